"""Results of base and head that differ: told by a condition that holds on base alone."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
import torch

from analyzers.guest.runtime.observation import observation
from analyzers.properties.changed_results import MOST_NUMBERS, result_difference


@dataclass
class Boxes:
    corners: torch.Tensor
    count: int


def observed(result, arguments=None, *, drew=False, state=""):
    return observation(result, arguments or {}, drew=drew, state=state)


def holds(condition, result, **arguments):
    def finite(value):
        return bool(torch.as_tensor(value).isfinite().all())

    return eval(condition, {"result": result, "finite": finite, **arguments})


@pytest.mark.parametrize(
    ("base", "head", "kind", "place"),
    [
        (torch.ones(3), torch.tensor([1.0, 1.5, 1.0]), "value", "result"),
        (np.zeros((2, 2)), np.eye(2), "value", "result"),
        (torch.ones(3), torch.ones(1, 3), "shape", "result"),
        (torch.ones(3), torch.ones(3, dtype=torch.float64), "dtype", "result"),
        (torch.ones(3), np.ones(3, "float32"), "type", "result"),
        (torch.ones(3), torch.tensor([1.0, math.nan, 1.0]), "non-finite", "result"),
        (torch.ones(3), torch.tensor([1.0, math.inf, 1.0]), "non-finite", "result"),
        (torch.ones(3), torch.tensor([[2.0, math.nan]]).half(), "non-finite", "result"),
        (0.25, 0.75, "value", "result"),
        (1.0, math.nan, "non-finite", "result"),
        (3, 4, "value", "result"),
        ("cat", "dog", "value", "result"),
        (None, torch.ones(1), "type", "result"),
        ((torch.ones(2), 1), (torch.ones(2), 2), "value", "result[1]"),
        ([1, 2], [1, 2, 3], "size", "result"),
        ({"loss": 1.0}, {"loss": 2.0}, "value", "result['loss']"),
        ({"loss": 1.0}, {"cost": 1.0}, "size", "result"),
        (Boxes(torch.ones(4), 1), Boxes(torch.zeros(4), 1), "value", "result.corners"),
    ],
)
def test_condition_holds_on_base_and_fails_on_head(base, head, kind, place):
    difference = result_difference(observed(base), observed(head))
    assert (difference.kind, difference.place) == (kind, place)
    assert holds(difference.condition, base)
    assert not holds(difference.condition, head)
    assert difference.before != difference.after


def test_difference_between_described_elements_shows_in_the_sum():
    base, head = torch.ones(10_000), torch.ones(10_000)
    head[5_001:5_009] = 40.0
    assert 5_001 % -(-10_000 // MOST_NUMBERS)
    difference = result_difference(observed(base), observed(head))
    assert difference.element == "result.sum()"
    assert holds(difference.condition, base)
    assert not holds(difference.condition, head)


@pytest.mark.parametrize(
    ("base", "head"),
    [
        (torch.full((5,), 1 / 3), torch.full((5,), 1 / 3) * (1 + 2e-6)),
        (torch.full((5,), 1 / 3).half(), torch.full((5,), 1 / 3).half() + 1e-3),
        (torch.tensor([1e6, 1e-3]), torch.tensor([1e6, 1.5e-3])),
        (0.1 + 0.2, 0.3),
        (torch.tensor([math.nan]), torch.tensor([1.0])),
        (math.nan, math.nan),
        (object(), object()),
        (torch.ones(2, dtype=torch.complex64), torch.zeros(2, dtype=torch.complex64)),
    ],
    ids=["float32", "float16", "large", "float", "base is NaN", "both", "unknown", "complex"],
)
def test_rounding_and_what_cannot_be_compared_are_no_difference(base, head):
    assert result_difference(observed(base), observed(head)) is None


def test_argument_that_is_changed_on_head_alone_is_named():
    kept, mutated = torch.ones(2), torch.zeros(2)
    base, head = observed(1.0, {"x": kept}), observed(1.0, {"x": mutated})
    difference = result_difference(base, head)
    assert difference.place == "x"
    assert holds(difference.condition, 1.0, x=kept)
    assert not holds(difference.condition, 1.0, x=mutated)


def test_values_are_not_compared_where_numbers_were_drawn_but_shapes_are():
    base, head = observed(torch.rand(3), drew=True), observed(torch.rand(3), drew=True)
    assert result_difference(base, head) is None
    assert result_difference(base, observed(torch.rand(4), drew=True)).kind == "shape"


@pytest.mark.parametrize(("state", "kind"), [("one", "value"), ("other", None)])
def test_values_are_compared_where_the_same_numbers_were_drawn(state, kind):
    base, head = observed(1.0, drew=True, state="one"), observed(2.0, drew=True, state=state)
    assert getattr(result_difference(base, head), "kind", None) == kind
