import torch

from pyramid_pool import pyramid_pool


def describe(pictures):
    """pictures: (n, 3, h, w)"""
    return pyramid_pool(pictures), pyramid_pool(pictures, levels=1)


if __name__ == "__main__":
    print([each.shape for each in describe(torch.rand(2, 3, 20, 30))])
