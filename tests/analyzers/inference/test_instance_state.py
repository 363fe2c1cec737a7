"""What a method needs of its instance beyond what the constructor makes."""

import pytest

from analyzers.inference.instance_state import attributes_set_elsewhere
from tests.analyzers.inference.function_contexts import subject

CASES = {
    "what another method sets": ("""
class Graph:
    def build(self, x):
        self.nodes = [x]

    def groups(self):
        return list(self.nodes)
""", "Graph.groups", {"nodes"}),
    "what the constructor sets to None": ("""
class Scaler:
    mean = None

    def __init__(self):
        self.scale: float | None = None

    def fit(self, x):
        self.mean, self.scale = x.mean(), x.std()

    def transform(self, x):
        return (x - self.mean) / self.scale
""", "Scaler.transform", {"mean", "scale"}),
    "what a method reads that it calls": ("""
class Net:
    def attach(self, hook):
        self.hook = hook

    def run(self):
        return self._call()

    def _call(self):
        return self.hook()
""", "Net.run", {"hook"}),
    "what a subclass defines": ("""
class Loss:
    def forward(self, x):
        return self.loss(x)

class Hinge(Loss):
    def loss(self, x):
        return x
""", "Loss.forward", {"loss"}),
    "nothing that the constructor or its helpers set": ("""
class Meter:
    def __init__(self):
        self.reset()

    def reset(self):
        self.sum, self.count = 0.0, 0

    def update(self, x):
        self.sum += x
        self.count += 1

    def average(self):
        return self.sum / self.count
""", "Meter.average", set()),
    "nothing that a base class's constructor has set": ("""
class Base:
    def __init__(self):
        self.set_scale(2)

    def set_scale(self, scale):
        self.scale = scale

class Meter(Base):
    def __init__(self):
        super().__init__()

    def scaled(self, x):
        return x * self.scale
""", "Meter.scaled", set()),
    "nothing that the method sets itself": ("""
class Cache:
    def warm(self):
        self.kept = 1

    def get(self):
        if not hasattr(self, "kept"):
            self.kept = 2
        return self.kept
""", "Cache.get", set()),
    "nothing that nobody sets": ("""
class Net:
    def forward(self, x):
        return self.fc1(x)
""", "Net.forward", set()),
    "nothing for a plain function": ("def f(x):\n    return x.y\n", "f", set()),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_needs(case):
    text, function, names = CASES[case]
    assert attributes_set_elsewhere(subject(text, function)) == names
