"""Whatever an annotation says of bounds and dtypes, what is drawn keeps to it, or it is unmet."""

import math
import random

import pytest
import torch
from hypothesis.errors import Unsatisfiable

from analyzers.guest.annotations.syntax import AnnotationError
from analyzers.guest.inputs.generation.call_scope import UnsatisfiableConstraint
from analyzers.guest.inputs.generation.scalar_strategies import LARGEST, WHOLE
from tests.analyzers.guest.inputs.generation.samples import made

_NUMBERS = [0, 1, -1, 0.1, -0.1, 0.5, 2, 3.7, 100, -100, 255, 256, 1e-8, -1e-8, 1e-40, 65504, 7e4]
_NUMBERS += [-7e4, 1e30, -1e30, 2**31, -(2**31), 2**53 + 1, 2**63 - 1, 1e300]
_EXACT = ("any", "uniform", "sorted", "unique")


def _bounds(drawn, *, whole, closed=False):
    numbers = [int(number) for number in _NUMBERS] if whole else _NUMBERS
    low, high = sorted(drawn.sample(numbers, 2))
    low, high = drawn.choice([(low, high), (low, low), (low, None), (None, high), (None, None)])
    open_low, open_high = (not closed and low != high and drawn.random() < 0.3 for _ in range(2))
    parts = {"min": low, "max": high}
    text = [f"{name}={value!r}" for name, value in parts.items() if value is not None]
    text += [
        f"exclude_{name}=True"
        for name, is_open in (("min", open_low), ("max", open_high))
        if is_open
    ]

    def within(number):
        above = low is None or (number > low if open_low else number >= low)
        return above and (high is None or (number < high if open_high else number <= high))

    return text, within


def _values(text):
    try:
        return made(text, count=6)
    except (UnsatisfiableConstraint, Unsatisfiable, AnnotationError):
        return []


@pytest.mark.parametrize("seed", range(6))
def test_arrays_keep_to_their_bounds(seed):
    drawn, met = random.Random(seed), 0
    for _ in range(10):
        dtype = drawn.choice([*WHOLE, *LARGEST])
        bounds, within = _bounds(drawn, whole=False)
        parts = [f"dtype={dtype!r}", "shape='n 3'", *bounds]
        parts += drawn.choice([[], [f"values={drawn.choice(_EXACT)!r}"]])
        kind = drawn.choice(["tensors", "tensors", "np_arrays", "jax_arrays"])
        for value in _values(f"{kind}({', '.join(parts)})"):
            met += 1
            numbers = value.flatten().tolist()
            assert str(value.dtype).rpartition(".")[2] == dtype
            assert all(within(number) and math.isfinite(number) for number in numbers), parts
    assert met


@pytest.mark.parametrize("seed", range(4))
def test_scalars_keep_to_their_bounds(seed):
    drawn, met = random.Random(seed), 0
    for _ in range(10):
        kind = drawn.choice(["floats", "float_lists"])
        bounds, within = _bounds(drawn, whole=False)
        width = [f"width={drawn.choice([16, 32, 64])}"] if kind == "floats" else []
        text = f"{kind}({', '.join([*bounds, *width])})"
        for value in _values(text):
            met += 1
            assert all(
                within(number) for number in (value if isinstance(value, list) else [value])
            ), (text, value)
        bounds, within = _bounds(drawn, whole=True, closed=True)
        step = drawn.choice([1, 1, 2, 7, 64])
        for value in _values(f"ints({', '.join([*bounds, f'multiple_of={step}'])})"):
            met += 1
            assert value % step == 0
            assert within(value)
    assert met


def test_probabilities_are_zero_and_one_now_and_then():
    found = made("tensors(shape=(2, 3), values='probabilities')", count=60)
    assert all(torch.allclose(each.sum(-1), torch.ones(2)) for each in found)
    assert any((each == 0).any() for each in found)
    assert any((each > 0).all() for each in found)
