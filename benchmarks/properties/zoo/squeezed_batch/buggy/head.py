import torch
from torch import nn

from predict import labels_of


def head(channels, classes):
    return nn.Sequential(nn.Conv2d(channels, classes, 1), nn.AdaptiveAvgPool2d(1))


def main():
    net = head(8, 5)
    pictures = torch.rand(33, 8, 4, 4)
    found = []
    for batch in pictures.split(16):
        found += labels_of(net(batch))
    print(found)


if __name__ == "__main__":
    main()
