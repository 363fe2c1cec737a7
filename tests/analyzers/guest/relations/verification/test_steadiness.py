"""Random results and uninitialised memory are told by trying."""

import pytest
import torch

from analyzers.guest.relations.libraries.library_registry import library
from analyzers.guest.relations.verification.call_validity import live_call_of, nondeterminism
from tests.analyzers.guest.relations.small import SmallLibrary

torch.set_num_threads(1)


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("torch.rand(3)", "random"),
        ("torch.bernoulli(torch.full((40,), 0.5))", "random"),
        ("torch.nn.functional.dropout(torch.full((40,), 1.0))", "random"),
        ("torch.nn.functional.dropout(torch.full((40,), 1.0), 0.5, False)", None),
        ("torch.nn.Dropout()(torch.full((40,), 1.0))", "random"),
        ("torch.nn.Linear(3, 2)(torch.tensor([1.0, 2.0, 3.0]))", None),
        ("torch.empty((3,))", "uninitialised"),
        ("torch.empty((40, 5), dtype=torch.int64)", "uninitialised"),
        ("torch.empty_like(torch.tensor([1.0, 2.0]))", "uninitialised"),
        ("torch.Tensor.new_empty(torch.tensor([1.0]), (7,))", "uninitialised"),
        ("torch.zeros((40,))", None),
        ("torch.add(torch.tensor([1.0, float('nan')]), 2)".replace("float('nan')", "nan"), None),
    ],
)
def test_torch(text, status):
    lib = library("torch")
    assert nondeterminism(live_call_of(text, lib), lib) == status


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("small.random(small.array([1.0]))", "random"),
        ("small.blank(small.array([1.0]))", "uninitialised"),
        ("small.absolute(small.array([1.0]))", None),
    ],
)
def test_another_library(text, status):
    lib = SmallLibrary()
    assert nondeterminism(live_call_of(text, lib), lib) == status
