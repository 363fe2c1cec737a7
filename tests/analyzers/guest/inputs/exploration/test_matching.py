"""Whether values meet constraints, dimensions of one call shared."""

from typing import Any

import numpy
import pytest
import torch

from analyzers.guest.inputs.exploration.constraint_checks import parsed, problem_of, problem_of_call
from analyzers.guest.inputs.exploration.postconditions import closed, plain
from analyzers.guest.inputs.exploration.shared_dimensions import Dimensions


def problem(value: Any, text: str) -> str | None:
    known = Dimensions()
    return problem_of(value, parsed(text), known) or known.settle()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3, "ints(min=1, max=3)"),
        (numpy.int64(4), "ints(multiple_of=2)"),
        (0.5, "floats(min=0, max=1)"),
        (float("nan"), "floats(allow_nan=True)"),
        ("ab", "strings(min_len=2)"),
        ([1, 2], "int_lists(min=1)"),
        ((1, "a"), "tuples(ints(), strings())"),
        (-1, "anys(-1, ints(min=5))"),
        ({"a": 1}, "dicts(strings(), ints())"),
        (torch.full((2,), -0.1), "tensors(min=-0.1)"),
        (torch.zeros(2, 4), "tensors(dtype='float32', shape='n 2*n')"),
        (torch.zeros(5, 6, 2), "tensors(shape='*batch 2')"),
        (numpy.zeros((2, 2)), "np_arrays(dtype='float64', shape=('n', 'n'))"),
    ],
)
def test_what_fits_is_met(value: Any, text: str) -> None:
    assert problem(value, text) is None


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (4, "ints(max=3)"),
        (True, "ints()"),
        (3, "ints(multiple_of=2)"),
        (float("inf"), "floats()"),
        (0.0, "floats(min=0, exclude_min=True)"),
        ("a", "strings(min_len=2)"),
        ([0], "int_lists(min=1)"),
        ((1,), "tuples(ints(), strings())"),
        (2, "anys(-1, ints(min=5))"),
        (torch.zeros(2, 5), "tensors(shape='n 2*n')"),
        (torch.zeros(2, 3), "tensors(shape='n n')"),
        (torch.tensor([float("nan")]), "tensors(finite=True)"),
        (torch.zeros(2, dtype=torch.int64), "tensors(dtype='float32')"),
        (numpy.zeros(2), "tensors()"),
        (torch.ones(2), "tensors(max=0.5)"),
    ],
)
def test_what_does_not_fit_is_told(value: Any, text: str) -> None:
    assert problem(value, text) is not None


def test_arguments_share_dimensions() -> None:
    constraints = {"x": parsed("tensors(shape='b n')"), "y": parsed("tensors(shape='n+1')")}
    fits = {"x": torch.zeros(2, 3), "y": torch.zeros(4)}
    assert problem_of_call(fits, constraints, {}) is None
    assert problem_of_call({**fits, "y": torch.zeros(3)}, constraints, {}) is not None


def test_closed_condition_is_read_as_it_was_written() -> None:
    condition = "matches(result, \"tensors(shape='n')\")"
    (told,) = closed([condition], {"x": "tensors(shape='n')", "k": "ints()"})
    assert told != condition
    assert "k=" not in told
    assert plain(told) == condition
    assert plain("a  ==  b") == "a  ==  b"
