"""From the arguments of a library call to those of a target."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from analyzers.guest.inputs.recipes import BadRecipe, evaluate, parse
from analyzers.guest.relations.call_recording import RecordedCall
from analyzers.guest.relations.libraries.library_registry import library
from analyzers.guest.relations.mutation.call_draft import ArgumentPath
from analyzers.guest.relations.reaching.argument_origins import fixed, origins, part, slots
from analyzers.guest.relations.reaching.input_lifting import recipe_like, replace_at
from analyzers.guest.relations.relation_types import LiveCall
from analyzers.guest.runtime import call_outcomes


def test_origins_are_by_object_storage_and_value() -> None:
    import numpy
    import torch

    x, y, z = torch.arange(3.0), torch.ones(2, 2), numpy.array([4.0, 5.0])
    values = {"x": x, "batch": {"y": [y]}, "z": z, "n": 3}
    given = {0: x, 1: y.view(4), 2: torch.tensor([4.0, 5.0], dtype=torch.float64), 3: 3, 4: 4}
    found = origins({(place,): value for place, value in given.items()}, values)
    assert found == {(0,): ("x",), (1,): ("batch", "y", 0), (2,): ("z",), (3,): ("n",)}
    assert part(values, ("batch", "y", 0)) is y


def test_slots_are_by_parameter_however_they_are_given() -> None:
    import torch

    apis = {api.name: api for api in library("torch").apis()}
    x, y = torch.tensor([1]), torch.tensor([2])
    by_place = slots(LiveCall("torch.lcm", torch.lcm, [x, y]), apis["torch.lcm"])
    by_name = slots(
        LiveCall("torch.lcm", torch.lcm, [], {"other": y, "input": x}), apis["torch.lcm"]
    )
    assert by_place == by_name
    inside = slots(LiveCall("torch.cat", torch.cat, [[x, y]]), apis["torch.cat"])
    assert [path[1:] for path in inside] == [(0,), (1,)]


@pytest.mark.parametrize("dtype", ["int64", "float32", "bool", "float16", "bfloat16", "uint8"])
@pytest.mark.parametrize("shape", [(), (0, 3), (1,), (2, 3)])
def test_tensors_come_back_as_they_were(dtype: str, shape: tuple[int, ...]) -> None:
    import torch

    torch.manual_seed(1)
    value = (torch.rand(shape) * 4).to(getattr(torch, dtype))
    made = evaluate(recipe_like(value, value, library("torch")), {})
    assert made.dtype == value.dtype
    assert torch.equal(made, value)


def test_values_take_the_kind_that_the_target_takes() -> None:
    import numpy
    import torch

    torch_ = library("torch")
    assert recipe_like(torch.tensor([5]), 3, torch_).source() == "5"
    array = evaluate(recipe_like(torch.tensor([5]), numpy.zeros(1), torch_), {})
    assert (type(array), array.tolist()) == (numpy.ndarray, [5])
    odd = evaluate(recipe_like(torch.tensor([float("nan"), 1.0]), torch.ones(2), torch_), {})
    assert (bool(odd[0].isnan()), float(odd[1])) == (True, 1.0)
    with pytest.raises(BadRecipe):
        recipe_like(torch.arange(500), torch.arange(500), torch_)


def test_parts_of_displays_are_replaced() -> None:
    recipe = parse("[1, {'a': (2, 3)}]")
    assert replace_at(recipe, (1, "a", 0), parse("9")).source() == "[1, {'a': (9, 3)}]"
    with pytest.raises(BadRecipe):
        replace_at(parse("make()"), (0,), parse("9"))


SOURCE = """\
def f(x, n):
    a = torch.clamp(x, n, max=3)
    b = x.clamp(0, n)
    c = layer(x)
    return a, b, c
"""


@pytest.mark.parametrize(
    ("api", "line", "arguments", "keywords", "held"),
    [
        ("torch.clamp", 2, 2, ("max",), {("keywords", "max")}),
        ("torch.Tensor.clamp", 3, 3, (), {("arguments", 1)}),
        ("torch.relu", 4, 1, ("inplace",), {("keywords", "inplace")}),
    ],
)
def test_literals_and_what_is_not_given_is_fixed(
    api: str, line: int, arguments: int, keywords: tuple[str, ...], held: set[ArgumentPath]
) -> None:
    import torch

    ast.parse(SOURCE)
    call_outcomes.remember("/project/literals.py", SOURCE)
    given = LiveCall(
        api, torch.clamp, [torch.ones(1), 2, 3][:arguments], dict.fromkeys(keywords, 1)
    )
    seen = RecordedCall(api, "/project/literals.py", line, "f", given, given)
    is_array: Any = library("torch").is_array
    assert fixed(seen, frozenset(), is_array) == held


def test_what_comes_from_the_target_may_vary() -> None:
    import torch

    call_outcomes.remember("/project/literals.py", SOURCE)
    given = LiveCall("torch.dropout", torch.dropout, [torch.ones(1), 0.5], {"train": True})
    seen = RecordedCall("torch.dropout", "/project/literals.py", 4, "f", given, given)
    traced: frozenset[ArgumentPath] = frozenset({("arguments", 1)})
    assert fixed(seen, traced, library("torch").is_array) == {("keywords", "train")}
