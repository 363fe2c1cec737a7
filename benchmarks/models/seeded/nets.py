"""Models with layers that the ten of the zoo have not."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy
import torch
from torch import nn


class Decoder(nn.Module):
    """Upsampling of feature maps: transposed convolution, groups, resampling, pooling."""

    def __init__(self) -> None:
        super().__init__()
        self.up = nn.ConvTranspose2d(8, 12, 4, stride=2, padding=1)
        self.norm = nn.GroupNorm(3, 12)
        self.act = nn.LeakyReLU(0.1)
        self.resize = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False)
        self.smooth = nn.AvgPool2d(3, stride=1, padding=1)
        self.out = nn.Conv2d(12, 3, 3, padding=1)

    def forward(self, x: Any) -> Any:
        x = self.act(self.norm(self.up(x)))
        return torch.sigmoid(self.out(self.smooth(self.resize(x))))


class Tagger(nn.Module):
    """A gated recurrent network over vectors with attention."""

    def __init__(self) -> None:
        super().__init__()
        self.gru = nn.GRU(8, 16, batch_first=True)
        self.attention = nn.MultiheadAttention(16, 4, batch_first=True)
        self.act = nn.SiLU()
        self.head = nn.Linear(16, 5)

    def forward(self, x: Any) -> Any:
        found, _ = self.gru(x)
        attended, _ = self.attention(found, found, found, need_weights=False)
        return self.head(self.act(found + attended))


class Gated(nn.Module):
    """A gated recurrent network over vectors."""

    def __init__(self) -> None:
        super().__init__()
        self.gru = nn.GRU(8, 16, batch_first=True)
        self.head = nn.Linear(16, 5)

    def forward(self, x: Any) -> Any:
        return self.head(torch.relu(self.gru(x)[0]))


def decoder() -> tuple[Any, tuple[Any, ...]]:
    """Built, with what it takes."""
    return Decoder(), (torch.randn(2, 8, 6, 6),)


def tagger() -> tuple[Any, tuple[Any, ...]]:
    """Built, with what it takes."""
    return Tagger(), (torch.randn(2, 7, 8),)


def gated() -> tuple[Any, tuple[Any, ...]]:
    """Built, with what it takes."""
    return Gated(), (torch.randn(2, 7, 8),)


def picture() -> tuple[Any, tuple[Any, ...]]:
    """A convolutional network of Keras."""
    keras: Any = import_module("keras")
    layers = keras.layers
    model = keras.Sequential(
        [
            layers.Input((12, 12, 3)),
            layers.Conv2D(8, 3, strides=2, padding="same", name="conv"),
            layers.BatchNormalization(name="norm"),
            layers.ReLU(name="relu"),
            layers.AveragePooling2D(2, name="pool"),
            layers.Flatten(name="flatten"),
            layers.Dense(6, activation="softmax", name="dense"),
        ]
    )
    numbers = numpy.random.default_rng(0)
    shapes = [each.shape for each in model.layers[1].weights]
    model.layers[1].set_weights([numbers.uniform(0.5, 1.5, shape) for shape in shapes])
    return model, (numbers.normal(size=(2, 12, 12, 3)).astype("float32"),)


def vectors() -> tuple[Any, tuple[Any, ...]]:
    """A dense network of Keras."""
    keras: Any = import_module("keras")
    layers = keras.layers
    model = keras.Sequential(
        [
            layers.Input((10,)),
            layers.Dense(16, name="hidden"),
            layers.LayerNormalization(name="norm"),
            layers.Activation("gelu", name="gelu"),
            layers.Dense(8, name="narrow"),
            layers.Activation("tanh", name="tanh"),
            layers.Dense(4, name="scores"),
            layers.Softmax(name="softmax"),
        ]
    )
    return model, (numpy.random.default_rng(0).normal(size=(3, 10)).astype("float32"),)


NETS = {
    "decoder": decoder,
    "tagger": tagger,
    "gated": gated,
    "picture": picture,
    "vectors": vectors,
}
KERAS = ("picture", "vectors")
