"""Train a small one on random pictures."""

import torch

from densenet import dense_net


def main():
    net = dense_net(3, blocks=2, layers=[2, 3], growth=4)
    print(net(torch.rand(2, 3, 16, 16)).shape)


if __name__ == "__main__":
    main()
