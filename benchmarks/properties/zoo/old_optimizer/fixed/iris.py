from compiled import compiled

if __name__ == "__main__":
    print(compiled().count_params(), compiled(0.01).count_params(), compiled(0.1, 2).count_params())
