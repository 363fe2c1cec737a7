import torch

from encoder import Encoder


def main():
    encoder = Encoder(vocabulary_size=30)
    for _ in range(2):
        ids = torch.randint(0, 30, (4, 12))
        print(encoder(ids).norm())


if __name__ == "__main__":
    main()
