from torch import nn


def critic(features: int, hidden: int = 16) -> nn.Module:
    return nn.Sequential(nn.Linear(features, hidden), nn.LeakyReLU(0.2), nn.Linear(hidden, 1))
