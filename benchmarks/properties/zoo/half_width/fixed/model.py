from torch import nn

from tower import ConvTower


def small() -> nn.Module:
    return nn.Sequential(ConvTower(3, 16), nn.MaxPool2d(2), ConvTower(16, 32))


def large() -> nn.Module:
    return nn.Sequential(ConvTower(3, 64), nn.MaxPool2d(2), ConvTower(64, 128))
