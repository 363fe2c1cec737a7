import argparse

from activations import NAMES, activation

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--activation", choices=NAMES, default="relu")
    print(activation(parser.parse_args().activation))
