"""Arguments made smaller by their recipes alone."""

from __future__ import annotations

import pytest

from analyzers.guest.inputs.recipes import parse
from analyzers.guest.relations.reaching.input_shrinking import (
    argument_simplifications,
    cost,
    recipes_of,
)


def smaller(optional: tuple[str, ...] = (), **sources: str) -> list[dict[str, str]]:
    recipes = {name: parse(source) for name, source in sources.items()}
    found = list(argument_simplifications(recipes, frozenset(optional)))
    assert all(cost(each) < cost(recipes) for each in found)
    return [{name: recipe.source() for name, recipe in each.items()} for each in found]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("tensor((4, 3))", "tensor((1, 3))"),
        ("tensor((4, 3))", "tensor((4, 1))"),
        ("tensor((2,), at={(1,): 7})", "tensor((1,), at={(0,): 7})"),
        ("tensor((2,), at={(1,): 7})", "tensor((2,), fill=7)"),
        ("tensor((2,), fill=9.5)", "tensor((2,), fill=0.0)"),
        ("tensor((2,), seed=3, low=-1, high=1)", "tensor((2,))"),
        ("tensor((2, 2), contiguous=False)", "tensor((2, 2))"),
        ("[1, 2]", "[1]"),
        ("(9, 3)", "(0, 3)"),
        ("-9223372036854775808", "0"),
        ("0.25", "0.0"),
        ("True", "False"),
    ],
)
def test_one_argument_becomes_smaller(source: str, expected: str) -> None:
    assert {"x": expected} in smaller(x=source) or expected == "False"


def test_sizes_that_are_shared_shrink_together() -> None:
    assert {"x": "tensor((1, 3))", "y": "[tensor((1,))]"} in smaller(
        x="tensor((5, 3))", y="[tensor((5,))]"
    )


def test_arguments_with_defaults_may_go() -> None:
    assert {"x": "tensor((1,))"} in smaller(("n",), x="tensor((1,))", n="4")
    assert {"x": "tensor((1,))"} not in smaller((), x="tensor((1,))", n="4")


def test_the_smallest_has_no_smaller() -> None:
    assert smaller(x="tensor((1,))", n="0") == []


def test_contents_have_no_recipes() -> None:
    assert recipes_of({"x": {"kind": "content", "form": "path", "blob": None}}) is None
    found = recipes_of({"x": {"kind": "literal", "source": "3"}})
    assert found is not None
    assert found["x"].source() == "3"
