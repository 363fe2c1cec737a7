import torch

from probe import linear_probe

DATASETS = {"digits": (1, 28), "tiles": (3, 32), "crops": (3, 50), "marks": (1, 9)}


def baseline(name: str) -> torch.Tensor:
    channels, side = DATASETS[name]
    return linear_probe(torch.rand(4, channels, side, side))


if __name__ == "__main__":
    print(linear_probe(torch.rand(4, 1, 28, 28)).shape)
    print(linear_probe(torch.rand(4, 3, 50, 50), classes=5).shape)
