from towers import two_towers

if __name__ == "__main__":
    print(two_towers(4, 6).count_params())
    print(two_towers(left=16, right=16).count_params())
