"""Which targets are models, or make one."""

import pytest

from analyzers.models.model_classes import ProjectClasses, Role, found
from analyzers.vocabulary import Reason, Target

NETS = """
import torch
from torch import nn
from .base import Base
import lib.blocks as blocks


class Plain(nn.Module):
    def __init__(self, width):
        super().__init__()

    def _features(self, x):
        return x

    @staticmethod
    def helper(x):
        return x

    def forward(self, x):
        return self._features(x)

    def training_step(self, batch):
        return batch


class Derived(Base):
    def forward(self, x):
        return x


class Far(blocks.Block):
    def forward(self, x):
        return x


class FocalLoss(nn.Module):
    def forward(self, x, y):
        return x


class Other:
    def forward(self, x):
        return x


class Round(Round):
    def forward(self, x):
        return x


def build(width):
    model = nn.Sequential(nn.Linear(width, 2), nn.ReLU())
    return model


def plain() -> Plain:
    return make()


def value(x):
    return torch.relu(x)
"""
TEXTS = {
    "pkg/nets.py": NETS,
    "pkg/base.py": "import pytorch_lightning as pl\nclass Base(pl.LightningModule): pass\n",
    "src/lib/blocks.py": "from torch.nn import Module\nclass Block(Module): pass\n",
}


class Texts:
    def paths(self):
        return tuple(TEXTS)

    def source(self, path):
        return TEXTS[path]


def role(function):
    model = found(Target("pkg/nets.py", function, 1, 2, Reason.CHANGED, ()), Texts())
    return model and (model.role, model.name, model.forward)


@pytest.mark.parametrize(
    ("function", "told"),
    [
        ("Plain.forward", (Role.FORWARD, "Plain", "Plain.forward")),
        ("Plain.__init__", (Role.CONSTRUCTOR, "Plain", "Plain.forward")),
        ("Plain._features", (Role.METHOD, "Plain", "Plain.forward")),
        ("Derived.forward", (Role.FORWARD, "Derived", "Derived.forward")),
        ("Far.forward", (Role.FORWARD, "Far", "Far.forward")),
        ("build", (Role.BUILDER, "build", "")),
        ("plain", (Role.BUILDER, "plain", "")),
    ],
)
def test_models_and_what_makes_them(function, told):
    assert role(function) == told


@pytest.mark.parametrize(
    "function",
    [
        "Plain.helper",
        "Plain.training_step",
        "FocalLoss.forward",
        "Other.forward",
        "Round.forward",
        "value",
        "absent",
    ],
)
def test_what_is_no_model(function):
    assert role(function) is None


@pytest.mark.parametrize(
    ("text", "framework"),
    [
        ("import keras\nclass A(keras.Model): pass", "keras"),
        ("from keras import Model\nclass A(Model): pass", "keras"),
        ("from tensorflow import keras\nclass A(keras.models.Model): pass", "keras"),
        ("import torch as t\nclass A(t.nn.Sequential): pass", "torch"),
        ("from torch.nn.modules.module import Module\nclass A(Module): pass", "torch"),
        ("import torch\nclass A(torch.autograd.Function): pass", None),
    ],
)
def test_bases_by_whatever_name(text, framework):
    assert ProjectClasses({"a.py": text}).framework("a.py", "A") == framework
