"""Models as authors write them, small."""

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

from analyzers.guest.models.model_types import ModelUnderTest


class Functional(nn.Module):
    """Activations as functions, a pool used twice."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 4, 3, padding=1)
        self.conv2 = nn.Conv2d(4, 4, 3, padding=1)
        self.pool = nn.MaxPool2d(2)
        self.fc = nn.Linear(16, 5)

    def forward(self, x):
        x = self.pool(F.relu(self.conv1(x), inplace=True))
        x = self.pool(self.conv2(x).relu())
        return torch.tanh(self.fc(torch.flatten(x, 1)))


class Residual(nn.Module):
    """Works in place, and its batch's size decides: not to be traced."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(4, 4, 3, padding=1)
        self.norm = nn.BatchNorm2d(4)
        self.act = nn.ReLU(inplace=True)
        self.blocks = nn.Sequential(nn.Conv2d(4, 4, 1), nn.ReLU(inplace=True))
        self.order = [self.conv, self.norm]

    def forward(self, x):
        out = x
        for each in self.order:
            out = each(out)
        out += x
        if out.sum() > 1e9:
            return out
        return self.act(self.blocks(out))


class Recurrent(nn.Module):
    """Weights under two names, tokens, and a layer that gives a tuple."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(7, 8)
        self.lstm = nn.LSTM(8, 8, batch_first=True)
        self.head = nn.Linear(8, 7)
        self.head.weight = self.embedding.weight

    def forward(self, tokens, scale=1.0):
        output, _ = self.lstm(self.embedding(tokens))
        return self.head(output * scale)


class Encoder(nn.Module):
    """torch.nn's own encoder, which may use its layers' weights without calling them."""

    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.norm = nn.LayerNorm(8)

    def forward(self, x):
        return self.norm(self.encoder(x))


def functional():
    return _model(Functional, torch.randn(2, 1, 8, 8))


def residual():
    return _model(Residual, torch.randn(1, 4, 6, 6))


def recurrent():
    return _model(Recurrent, torch.randint(0, 7, (2, 5)))


def encoder():
    return _model(Encoder, torch.randn(2, 5, 8))


ALL = (functional, residual, recurrent, encoder)


def _model(kind, given):
    torch.manual_seed(3)
    return ModelUnderTest(kind().eval(), (given,))
