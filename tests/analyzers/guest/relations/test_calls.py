"""Calls of a library as text and as values."""

import pytest
import torch

from analyzers.guest.inputs.recipes import BadRecipe
from analyzers.guest.relations.libraries.library_registry import library
from analyzers.guest.relations.library_calls import call_text, live_call, parse_call
from analyzers.guest.relations.relation_types import LiveCall
from analyzers.guest.relations.synthesis.parameter_matching import types_of, with_types

TORCH = library("torch")

SOURCES = [
    "torch.lcm(torch.tensor([6]), torch.tensor(4))",
    "torch.sum(torch.tensor([[1.0, nan]]), dim=-1, dtype=torch.float64)",
    "torch.nn.Softshrink(0.5)(torch.tensor([1.0, -inf]))",
    "torch.nn.ReLU()(torch.tensor([-1.0]))",
    "torch.nn.Bilinear(1, 1, 2, bias=False)(torch.tensor([1.0]), torch.tensor([2.0]))",
]


@pytest.mark.parametrize("source", SOURCES)
def test_a_call_is_read_made_and_told_again(source: str) -> None:
    call = parse_call(source, TORCH)
    assert call.source() == source
    assert call_text(live_call(call, TORCH), TORCH) == call


def test_it_runs() -> None:
    assert live_call(parse_call(SOURCES[0], TORCH), TORCH).run().tolist() == [12]
    assert live_call(parse_call(SOURCES[2], TORCH), TORCH).run().tolist() == [0.5, float("-inf")]


def test_each_making_has_its_own_values() -> None:
    call = parse_call("torch.Tensor.add_(torch.tensor([1]), 1)", TORCH)
    assert [live_call(call, TORCH).run().tolist() for _ in range(2)] == [[2], [2]]


@pytest.mark.parametrize(
    "source",
    [
        "torch.save(1, 'file')",
        "os.system('true')",
        "torch.nonsense(1)",
        "torch.add",
        "torch.add(1)(2)(3)",
        "torch.add(x for x in [])",
        "torch.nn.ReLU()(input=torch.tensor(1.0))",
        "torch.add(1,",
        "torch.abs(" + "1" * 30_000 + ")",
    ],
)
def test_what_is_no_call_is_refused(source: str) -> None:
    with pytest.raises(BadRecipe):
        parse_call(source, TORCH)


def test_a_call_that_is_too_long_to_tell_is_refused() -> None:
    live = LiveCall("torch.stack", torch.stack, [[torch.rand(64) for _ in range(60)]])
    with pytest.raises(BadRecipe):
        call_text(live, TORCH)


def test_what_is_no_api_is_not_made() -> None:
    call = parse_call(SOURCES[0], TORCH)
    with pytest.raises(LookupError):
        live_call(type(call)("torch.save", call.arguments), TORCH)


def test_parameters_have_the_types_that_calls_give_them() -> None:
    (api,) = [item for item in TORCH.apis() if item.name == "torch.sum"]
    sources = ["torch.sum(torch.tensor([1]), 0)", "torch.sum(torch.tensor([1]), (0,), dtype=None)"]
    lives = [live_call(parse_call(source, TORCH), TORCH) for source in sources]
    seen = {}
    for live in lives:
        for name, kind in types_of(api, live, TORCH).items():
            seen.setdefault(name, set()).add(kind)
    types = {item.name: set(item.types) for item in with_types(api, seen).parameters}
    assert types["input"] == {"tensor"}
    assert types["dim"] == {"int", "tuple"}
    assert types["dtype"] == {"None"}
    assert types["keepdim"] == set()
