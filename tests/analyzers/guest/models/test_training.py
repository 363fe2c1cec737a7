"""Training that breaks is told, training that is fine never."""

import importlib

import pytest
import torch
from torch import nn

from analyzers.guest.models.model_extraction import prepared
from analyzers.guest.models.training import training_failure
from benchmarks.models.zoo import MODELS


def _model(name):
    zoo = importlib.import_module(f"benchmarks.models.zoo.{name}")
    torch.manual_seed(0)
    return prepared(zoo.build(), zoo.inputs())


@pytest.mark.parametrize("name", [each for each in MODELS if each not in ("resnet18", "vgg19")])
def test_models_of_the_zoo_train(name):
    assert training_failure(_model(name), 3) is None


class Root(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.zeros(3))

    def forward(self, x):
        return (self.scale * x).abs().sqrt()


def test_a_gradient_that_is_infinite_is_told_with_its_parameter():
    told = training_failure(prepared(Root(), (torch.ones(2, 3),)), 2)
    assert told.startswith("the gradient of scale has NaN in step 1")


class Shrinking(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(3, momentum=2.0)

    def forward(self, x):
        return self.norm(x)


def test_statistics_that_become_negative_are_told():
    model = prepared(Shrinking(), (torch.rand(4, 3) * 0.1,))
    assert "evaluation mode has NaN" in training_failure(model, 1)


def test_large_outputs_are_no_divergence():
    net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 3, bias=False))
    with torch.no_grad():
        net[2].weight.mul_(1e6)
    assert training_failure(prepared(net, (torch.rand(3, 2, 4) * 1e3,)), 20) is None


class Masking(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)

    def forward(self, x):
        return self.fc(x).masked_fill(torch.tensor([True, False, False, True]), -torch.inf)


def test_outputs_that_are_infinite_by_design_are_not_told():
    assert training_failure(prepared(Masking(), (torch.rand(2, 3),)), 2) is None


def test_what_cannot_be_derived_is_not_told():
    assert training_failure(prepared(nn.Flatten(), (torch.rand(2, 3),)), 2) is None
