"""Promises of programs: those that base keeps and head breaks are told, others are not."""

import pytest

from analyzers.drivers.definitions import Definitions
from analyzers.properties.base_search import ComparedRun
from analyzers.properties.driver_runs import DriverRuns
from analyzers.properties.program_promises import broken_promise
from analyzers.vocabulary import Probe, Program, Returned
from tests.analyzers.properties.revisions import PATH, TwoRevisions, target

CODE = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, dim=4):
        super().__init__()
        self.linear = nn.Linear(dim, dim)
        self.register_buffer("shift", torch.rand(dim))
        self.drop = nn.Dropout(0.5)

    def forward(self, x, mask=None):
        y = self.drop(self.linear(x) + self.shift)
        if mask is not None:
            y = y.masked_fill(~mask[..., None], 0)
        return y


class ToGray:
    def __init__(self, scale=1.0):
        self.scale = scale

    def __call__(self, image):
        return to_gray(image) * self.scale


class Decoder(nn.Module):
    def __init__(self, dim=4):
        super().__init__()
        self.linear = nn.Linear(dim, dim)

    def forward(self, x, cache=None, return_cache=False):
        x = self.linear(x)
        seen = x if cache is None else torch.cat((cache, x), 1)
        y = seen.cumsum(1)[:, -x.shape[1]:]
        return (y, seen) if return_cache else y

    def generate(self, x, use_cache=True):
        if not use_cache:
            return torch.cat([self(x[:, : n + 1])[:, -1:] for n in range(x.shape[1])], 1)
        found, kept = [], None
        for each in x.split(1, 1):
            y, kept = self(each, cache=kept, return_cache=True)
            found.append(y)
        return torch.cat(found, 1)


def pooled(x, mask):
    many = mask.sum(1, keepdim=True)
    return x.masked_fill(~mask[..., None], 0).sum(1) / many


def to_gray(image, scale=1.0):
    return image.mean(-1) * scale


def loss(x, y, reduction="mean"):
    off = (x - y).abs()
    return off if reduction == "none" else off.mean() if reduction == "mean" else off.sum()


class Filter:
    def __init__(self):
        self._root = torch.tensor([[1.0, 0.0], [2.0, 1.0]])

    @property
    def P(self):
        return self._root @ self._root.T

    @P.setter
    def P(self, value):
        self._root = torch.linalg.cholesky(value)


class Average:
    def __init__(self, model):
        self.model = model
        self.names = {n for n, p in model.named_parameters() if p.is_floating_point()}

    def __call__(self, x):
        known = dict(self.model.named_parameters())
        return sum(known[name].sum() for name in sorted(self.names)) * x


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, slope):
        return slope * 2


def doubled(x):
    return Doubled.apply(x)
"""
NET = "import torch\nfrom net import Net\ny = Net({0})(torch.randn(3, 5, {0}))"
MASKED = (
    "import torch\nfrom net import Net\nmask = torch.arange(5) < {0}\n"
    "net = Net()\ny = net(torch.randn(2, 5, 4), mask=mask.expand(2, 5))"
)
GRAY = "import torch\nfrom net import ToGray\ngray = ToGray(2.0)\ny = gray(torch.rand(2, {0}, 3))"
LOSS = "import torch\nfrom net import loss\nx = torch.rand({0}, 3)\ny = loss(x, x.flip(0) * 2)"
FILTER = (
    "import torch\nfrom net import Filter\nf = Filter()\nf.P = f.P + {0} * torch.eye(2)\np = f.P"
)
AVERAGE = (
    "import torch\nfrom net import Average\nnet = torch.nn.Linear({0}, 2)\n"
    "mean = Average(net)\ny = mean(torch.ones(3))"
)
DOUBLED = "import torch\nfrom net import doubled\ny = doubled(torch.randn({0}, 3))"
DECODER = "import torch\nfrom net import Decoder\ny = Decoder()(torch.randn({0}, 3, 4))"
GENERATES = (
    "import torch\nfrom net import Decoder\ndecoder = Decoder()\n"
    "y = decoder.generate(torch.randn({0}, 3, 4))"
)
POOLED = (
    "import torch\nfrom net import pooled\nmask = torch.arange(5) < {0}\n"
    "y = pooled(torch.randn(2, 5, 4), mask=mask.expand(2, 5))"
)
ASSERTS = (
    "import torch\nfrom net import to_gray\nx = torch.rand({0}, 3)\n"
    "asserted_1 = to_gray(x).max() <= 1"
)


def told(program, old, new, function="Net.forward", base=CODE):
    """Return the promise that some variations of a program break, and the bench."""
    assert old in base
    bench = TwoRevisions(base, base.replace(old, new))
    bench.changed = [target(function)]
    first = f"{PATH}::{function}"
    texts = dict.fromkeys(program.format(number) for number in (2, 3, 4, 1))
    programs = [Program(text, "README.md:4", "", n) for n, text in enumerate(texts)]
    probes = [Probe(first, {}, (), observed=True, program=each) for each in programs]
    pairs = zip(probes, bench.run_on_base(probes), bench.run(probes), strict=True)
    runs = [ComparedRun(*each) for each in pairs]
    assert all(isinstance(each.base.ending, Returned) for each in runs)
    definitions = Definitions.of({PATH: base})
    return broken_promise(DriverRuns(runs, definitions=definitions), bench), bench


@pytest.mark.parametrize(
    ("name", "program", "old", "new"),
    [
        ("batch independence", NET, "self.linear(x)", "self.linear(x) - x.mean(0)"),
        ("masked places", MASKED, "self.linear(x)", "self.linear(x - x.amax(1, keepdim=True))"),
        ("padding", POOLED, "many = mask.sum(1, keepdim=True)", "many = mask.shape[1]"),
        ("cached decoding", DECODER, "torch.cat((cache, x), 1)", "torch.cat((cache, x), 1) - 1"),
        (
            "cached decoding",
            GENERATES,
            "self(each, cache=kept, return_cache=True)",
            "self(each, cache=None, return_cache=True)",
        ),
        (
            "state_dict",
            NET,
            'self.register_buffer("shift", torch.rand(dim))',
            "self.shift = torch.rand(dim)",
        ),
        ("repetition", NET, "self.linear(x)", "self.linear(x) * torch.rand(1)"),
        ("unchanged arguments", NET, "self.linear(x)", "self.linear(x.mul_(2))"),
        ("function", GRAY, "to_gray(image) *", "image.amax(-1) *"),
        ("reduction", LOSS, "off.mean()", "off.sum() / len(x)"),
        ("settable property", FILTER, "self._root @ self._root.T", "self._root.T @ self._root"),
        ("precision", AVERAGE, "p.is_floating_point()", "p.dtype == torch.float32"),
        ("gradient", DOUBLED, "return x * 2", "return x * 3"),
        ("assertion", ASSERTS, "image.mean(-1)", "image.sum(-1)"),
    ],
)
def test_promise_that_head_breaks_is_named(name, program, old, new):
    function = {"settable property": "Filter.P"}.get(name, "Net.forward")
    found, bench = told(program, old, new, function)
    assert found is not None
    assert found.promise.name == name
    assert 1 <= found.broken <= found.kept
    (base,), (head,) = bench.run_on_base([found.probe]), bench.run([found.probe])
    assert isinstance(base.ending, Returned)
    assert head.ending == found.ending


@pytest.mark.parametrize(
    ("program", "old", "new"),
    [
        (NET, "self.linear(x)", "nn.functional.layer_norm(self.linear(x), (x.shape[-1],))"),
        (MASKED, "self.linear(x)", "self.linear(x * 2)"),
        (NET, "nn.Linear(dim, dim)", "nn.Linear(dim, dim, bias=False)"),
        (GRAY, "image.mean(-1) * scale", "image.amax(-1) * scale"),
        (LOSS, "(x - y).abs()", "(x - y) ** 2"),
        (POOLED, ".sum(1) / many", ".sum(1) / many * 2"),
        (DECODER, "self.linear(x)", "self.linear(x) * 2"),
        (GENERATES, "self.linear(x)", "self.linear(x) * 2"),
        (FILTER, "[2.0, 1.0]", "[3.0, 1.0]"),
        (DOUBLED, "x * 2", "x * 2.0"),
    ],
)
def test_ordinary_change_breaks_nothing(program, old, new):
    found, _ = told(program, old, new, "Filter.P")
    assert found is None


def test_assertion_that_holds_by_chance_is_no_promise():
    chance = "import torch\nfrom net import to_gray\nasserted_1 = to_gray(torch.rand(2)) > 0.6"
    found, _ = told(chance, "image.mean(-1)", "image.amin(-1)")
    assert found is None


def test_promise_that_base_does_not_keep_is_not_told():
    base = CODE.replace("self.linear(x)", "self.linear(x) - x.mean(0)")
    found, _ = told(NET, "x.mean(0)", "x.amax(0)", base=base)
    assert found is None
