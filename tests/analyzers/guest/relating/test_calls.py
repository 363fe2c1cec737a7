"""Calls of a library as text and as values."""

import pytest
import torch

from analyzers.guest.generation.recipes import BadRecipe
from analyzers.guest.relating.calls import called, made, read
from analyzers.guest.relating.libraries import library
from analyzers.guest.relating.nouns import Live
from analyzers.guest.relating.typed import typed

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
    call = read(source, TORCH)
    assert call.source() == source
    assert called(made(call, TORCH), TORCH) == call


def test_it_runs() -> None:
    assert made(read(SOURCES[0], TORCH), TORCH).run().tolist() == [12]
    assert made(read(SOURCES[2], TORCH), TORCH).run().tolist() == [0.5, float("-inf")]


def test_each_making_has_its_own_values() -> None:
    call = read("torch.Tensor.add_(torch.tensor([1]), 1)", TORCH)
    assert [made(call, TORCH).run().tolist() for _ in range(2)] == [[2], [2]]


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
        read(source, TORCH)


def test_a_call_that_is_too_long_to_tell_is_refused() -> None:
    live = Live("torch.stack", torch.stack, [[torch.rand(64) for _ in range(60)]])
    with pytest.raises(BadRecipe):
        called(live, TORCH)


def test_what_is_no_api_is_not_made() -> None:
    call = read(SOURCES[0], TORCH)
    with pytest.raises(LookupError):
        made(type(call)("torch.save", call.arguments), TORCH)


def test_parameters_have_the_types_that_calls_give_them() -> None:
    (api,) = [item for item in TORCH.apis() if item.name == "torch.sum"]
    sources = ["torch.sum(torch.tensor([1]), 0)", "torch.sum(torch.tensor([1]), (0,), dtype=None)"]
    lives = [made(read(source, TORCH), TORCH) for source in sources]
    types = {item.name: set(item.types) for item in typed(api, lives, TORCH).parameters}
    assert types["input"] == {"tensor"}
    assert types["dim"] == {"int", "tuple"}
    assert types["dtype"] == {"None"}
    assert types["keepdim"] == set()
