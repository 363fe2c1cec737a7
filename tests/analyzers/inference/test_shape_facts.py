"""What is inferred of networks' inputs is what they take: they are run on it."""

from __future__ import annotations

import ast
import importlib.util
import random
from pathlib import Path

import pytest
import torch

from analyzers.guest.annotations.constraints import Constraint, Expression
from analyzers.inference.constraint_sources import shape_facts
from analyzers.inference.facts import Confidence, InferredConstraint, InferredRequirement
from tests.analyzers.inference.function_contexts import said, subject

FILE = Path(__file__).parent / "cases" / "nets.py"
TEXT = FILE.read_text()
EXPECTED = {
    line.partition(" ")[0]: line.partition(" ")[2]
    for line in FILE.with_suffix(".txt").read_text().splitlines()
}
BUILT = {
    "BasicBlock": {"in_planes": 4, "planes": 6},
    "DoubleConv": {"i": 3, "o": 5},
    "PositionalEncoding": {"width": 8},
    "Tagger": {"vocab_size": 30},
    "Recurrent": {"input_size": 5, "hidden_size": 7},
    "Mlp": {"in_features": 9},
    "GroupNet": {"channels": 3},
    "QNetwork": {"state_size": 4, "action_size": 2},
}


def load():
    spec = importlib.util.spec_from_file_location("nets_under_test", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


NETS = load()


def draw(constraint: Constraint, dims: dict[str, int], choose: random.Random) -> torch.Tensor:
    """A tensor of a constraint; names of dimensions mean the same in all of a call."""
    given = constraint["shape"]
    assert isinstance(given, tuple)
    shape: list[int] = []
    for each in given:
        value = each.value if isinstance(each, Expression) else None
        if isinstance(each, Constraint):
            low, high = each.value("min"), each.value("max")
            shape.append(choose.choice(range(low, high + 1, each.value("multiple_of", 1))))
        elif isinstance(value, int):
            shape.append(value)
        elif value in ("...", "*shape"):
            shape += [3, 2]
        else:
            shape.append(dims.setdefault(value, choose.randint(1, 9)))
    if constraint.value("dtype") == "int64":
        return torch.randint(constraint.value("min"), constraint.value("max") + 1, shape)
    drawn = torch.rand(shape)
    return drawn if constraint.value("min") == 0 else drawn * 2 - 1


@pytest.mark.parametrize("name", EXPECTED)
def test_inputs_are_what_the_function_takes(name):
    facts = list(shape_facts.facts(subject(TEXT, name)))
    assert "; ".join(said(facts)) == EXPECTED[name]
    arguments = BUILT.get(name.partition(".")[0], {})
    made = getattr(NETS, name.partition(".")[0])
    function = made(**arguments) if isinstance(made, type) else made
    choose = random.Random(3)
    torch.manual_seed(0)
    run = 0
    while run < 4:
        dims = dict(arguments)
        values = {
            fact.parameter: draw(fact.constraint, dims, choose)
            for fact in facts
            if isinstance(fact, InferredConstraint)
        }
        required = [fact.condition for fact in facts if isinstance(fact, InferredRequirement)]
        if all(eval(condition, {}, values) for condition in required):
            function(**values)
            run += 1


def test_every_network_has_its_expectation():
    tree = ast.parse(TEXT)
    names = {
        f"{node.name}.forward" if isinstance(node, ast.ClassDef) else node.name
        for node in tree.body
        if isinstance(node, ast.ClassDef | ast.FunctionDef)
    }
    assert names == set(EXPECTED)


BUGGY = """
import torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(3, 16, 3)
        self.b = nn.Conv2d(32, 8, 3)
        self.c = nn.Linear(7, 2)
    def forward(self, x):
        return self.b(self.a(x))
    def strange(self, x, helper):
        return self.c(helper(x))
"""


def test_layers_that_do_not_fit_do_not_change_what_the_first_one_takes():
    (fact,) = shape_facts.facts(subject(BUGGY, "Net.forward"))
    assert isinstance(fact, InferredConstraint)
    assert fact.confidence is Confidence.STRONG
    assert said([fact])[0].startswith("x: tensors(dtype='float32', shape=('b', 3, ints(min=5")


def test_a_number_that_is_a_size_too_is_said_to_be_one():
    text = "import torch\ndef f(x, n):\n    return x.reshape(n, 4) @ torch.zeros(4, 2)\n"
    assert said(shape_facts.facts(subject(text, "f"))) == [
        "x: tensors(dtype='float32', shape=('n', 4)) STRONG",
        "x.shape[0] == n STRONG",
    ]


def test_labels_below_a_number_that_a_caller_chooses_are_the_first():
    text = "import torch.nn.functional as F\ndef f(labels, k):\n    return F.one_hot(labels, k)\n"
    (fact,) = said(shape_facts.facts(subject(text, "f")))
    assert fact == "labels: tensors(dtype='int64', shape=('n',), min=0, max=0) STRONG"


def test_file_that_knows_of_no_tensors_takes_arrays():
    text = "import numpy\nfrom .means import mean\ndef f(x):\n    a, b, c = x.shape\n    mean(x)\n"
    (fact,) = said(shape_facts.facts(subject(text, "f")))
    assert fact.startswith("x: np_arrays(shape=(")
    (fact,) = said(shape_facts.facts(subject(text.replace("numpy", "torch, numpy"), "f")))
    assert fact.startswith("x: tensors(dtype='float32', shape=(")


def test_what_goes_through_an_unknown_function_says_nothing():
    assert list(shape_facts.facts(subject(BUGGY, "Net.strange"))) == []


def test_an_object_that_holds_itself_is_no_trouble():
    text = """
import torch

class Node:
    def __init__(self, x):
        self.me, self.again = self, self.run
        self.x = x

    def run(self):
        return self.x

def f(x, flag):
    if flag:
        node = Node(x)
    else:
        node = Node(x)
    return torch.relu(node.run()).view(-1, 4)
"""
    assert [each.partition(":")[0] for each in said(shape_facts.facts(subject(text, "f")))] == ["x"]


def test_a_method_that_is_looked_up_on_its_type_is_no_trouble():
    text = """
import torch

def f(x, names):
    odd = set.symmetric_difference(set(names), {1})
    return torch.relu(x).view(-1, 4), odd, dict.fromkeys(names)
"""
    assert [each.partition(":")[0] for each in said(shape_facts.facts(subject(text, "f")))] == ["x"]


def test_a_rank_that_indices_alone_show_is_likely_only():
    text = (
        "import torch\nclass P:\n    def count(self, x: torch.Tensor):\n        return x.shape[1]\n"
    )
    assert said(shape_facts.facts(subject(text, "P.count"))) == [
        "x: tensors(dtype='float32', shape=('b', 'c')) LIKELY"
    ]


def test_shape_that_enters_a_layer_of_unknown_size_is_a_guess():
    text = """
from torch import nn
class Net(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.proj = nn.Linear(cfg.dim, 4)
        self.known = nn.Linear(8, 4)
    def forward(self, x):
        return self.proj(x)
    def other(self, x):
        return self.known(x)
"""
    assert said(shape_facts.facts(subject(text, "Net.forward")))[0].endswith(" GUESS")
    assert said(shape_facts.facts(subject(text, "Net.other")))[0].endswith(" STRONG")


KERAS = """
from keras import layers, Model
class Net(Model):
    def __init__(self):
        super().__init__()
        self.first = layers.Conv2D(8, 3, padding="same", strides=2)
        self.pool = layers.MaxPooling2D()
        self.flat = layers.Flatten()
        self.words = layers.Embedding(50, 16)
        self.state = layers.LSTM(12, return_sequences=True)
        self.mean = layers.GlobalAveragePooling1D()
        self.out = layers.Dense(4)
    def pictures(self, x):
        return self.out(self.flat(self.pool(self.first(x)))).shape[1]
    def call(self, tokens, labels):
        hidden = self.mean(self.state(self.words(tokens)))
        return self.out(hidden) + labels
"""


def test_keras_layers_have_channels_last():
    assert said(shape_facts.facts(subject(KERAS, "Net.pictures"))) == [
        "x: tensors(dtype='float32', "
        "shape=('b', ints(min=3, max=19), ints(min=3, max=19), 'w')) STRONG"
    ]
    assert said(shape_facts.facts(subject(KERAS, "Net.call"))) == [
        "tokens: tensors(dtype='int64', shape=('b', 'd'), min=0, max=49) STRONG",
        "labels: tensors(dtype='float32', shape=('b', 4)) STRONG",
    ]
