from vocabulary import embed

if __name__ == "__main__":
    print(embed(["the", "cat", "sat"]))
    print(embed("a dog ran".split(), dim=4))
