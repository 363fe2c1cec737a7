"""What the arguments of a call share."""

import pytest

from analyzers.guest.inputs.generation.call_scope import CallScope
from analyzers.guest.inputs.generation.object_strategies import given
from analyzers.guest.inputs.recipes import parse
from tests.analyzers.guest.inputs.generation.calling import drawn


def test_an_argument_comes_before_a_global_of_its_name():
    around = {"n": "ints(min=1, max=5)", "k": "ints(min=0, max=n)"}
    found = drawn(around, scope=CallScope({"n": 100}))
    assert found
    assert all(call["k"] <= call["n"] for call in found)


def test_names_bound_inside_an_expression_are_not_free():
    scope = CallScope({"SIZES": [1, 2]})
    assert scope.unbound("sum(s for s in SIZES) + n") == {"n"}
    assert not scope.varies("max(SIZES)")
    assert scope.varies("k - 1")


def test_nothing_is_kept_from_call_to_call():
    scope = CallScope(dims={"n": 3}, known={"x": 1}, least={"n": 2})
    scope.begin()
    assert (scope.dims, scope.known, scope.least) == ({}, {}, {"n": 2})
    assert scope.inner().least == {}


class WidthNet:
    def __init__(self, width=16, parts=3):
        self.width = width


def test_a_dimension_has_the_size_that_an_argument_of_its_name_is():
    found = drawn({"x": "tensors(shape='b n n+1')", "n": "ints(min=0, max=12)"})
    assert {tuple(call["x"].shape[1:]) for call in found} == {(c["n"], c["n"] + 1) for c in found}
    assert len({call["n"] for call in found}) > 3


def test_a_negative_argument_is_no_size():
    found = drawn({"x": "tensors(shape='b n')", "n": "ints(min=-9, max=-1)"})
    assert all(call["x"].shape[1] > 0 for call in found)


METHOD = {"x": "tensors(shape='b width 2*parts')", "k": "ints(min=width, max=width + 1)"}


@pytest.mark.parametrize(
    "constructor",
    [
        {"arguments": {"width": "ints(min=1, max=20)"}},
        {"arguments": {}},
        {"arguments": {}, "examples": ["[5, 2]", "{'parts': 1}"]},
    ],
)
def test_dimensions_have_the_sizes_that_an_instance_is_made_with(constructor):
    scope = CallScope({"Net": WidthNet})
    found = drawn(METHOD, scope=scope, owner="Net", constructor=constructor)
    assert found
    for call in found:
        assert call["x"].shape[1] == call["self"].width
        assert call["k"] - call["self"].width in (0, 1)
        assert call["x"].shape[2] == 2 * given(parse(call["recipes"]["self"]), scope)["parts"]
