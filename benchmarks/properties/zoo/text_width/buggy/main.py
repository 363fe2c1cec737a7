"""Prints how many parameters a network has."""
import argparse

from torch import nn


def parameters(width: int, depth: int) -> int:
    layers = [nn.Linear(width, width) for _ in range(depth)]
    return sum(p.numel() for p in nn.Sequential(*layers).parameters())


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", default=16, help="features of every layer, 1 to 512")
    parser.add_argument("--depth", type=int, default=2, choices=range(1, 5))
    args = parser.parse_args()
    print(parameters(args.width, args.depth))
