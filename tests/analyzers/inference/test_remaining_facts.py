"""Parameters of which nothing but their uses says what they may be."""

import pytest

from analyzers.guest.annotations.syntax import render
from analyzers.inference.facts import Confidence
from analyzers.inference.function_contracts import infer_contract
from tests.analyzers.inference.function_contexts import subject

NUMBER = 'anys(tensors(dtype="float32", shape=("n",)), floats(min=0.1, max=2.0))'
CODE = """
import torch

def euler(func, t0, dt, y0):
    return y0 + dt * func(t0 + dt / 2, y0)

def cast(t, dtype):
    return t.to(dtype)

def looked_up(places, which):
    return places[which]

def optional(act=torch.relu, many=None):
    return act(many)

class Kept:
    def __init__(self, measure):
        self.measure = measure

    def step(self, y):
        return self.measure(y)

class Descent(torch.optim.Optimizer):
    def __init__(self, params):
        super().__init__(params, {})
"""


@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        ("euler", {"func": "callables()", **dict.fromkeys(("t0", "dt", "y0"), NUMBER)}),
        ("cast", {"dtype": "froms([torch.float32, torch.float64])"}),
        ("looked_up", {}),
        ("optional", {}),
        ("Kept.__init__", {"measure": "callables()"}),
    ],
)
def test_uses_are_a_guess(function, wanted):
    found = infer_contract(subject(CODE, function)).arguments
    named = {name: each for name, each in found.items() if name in wanted or not wanted}
    assert {name: render(each.constraint) for name, each in named.items()} == wanted
    assert {each.confidence for each in named.values()} <= {Confidence.GUESS}


def test_parameters_of_an_optimizer_are_tensors_that_require_gradients():
    found = infer_contract(subject(CODE, "Descent.__init__")).arguments["params"]
    assert "requires_grad=True" in render(found.constraint)


CONFIGURED = """
from dataclasses import dataclass

@dataclass
class Config:
    dim: int

def typed(cfg: Config):
    return cfg.dim

def keyed(cfg):
    return cfg["dim"] + cfg.get("heads", 1)
"""


def test_fields_of_a_configuration_are_read_by_key_too():
    found = infer_contract(subject(CONFIGURED, "keyed")).arguments["cfg"]
    assert render(found.constraint) == "configs(dim=froms([4, 8, 16, 32]), heads=froms([1, 2, 4]))"
