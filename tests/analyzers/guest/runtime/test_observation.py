"""Descriptions of results: of limited size, whatever is described."""

import enum

import numpy as np
import pytest
import torch

from analyzers.guest.runtime.observation import MOST_NODES, MOST_NUMBERS, observation, random_state


def described(value):
    return observation(value, {}, drew=False)["result"]


def nodes(description):
    return 1 + sum(map(nodes, description.get("parts", {}).values()))


@pytest.mark.parametrize("size", [0, 1, 64, 65, 127, 128, 4_097])
def test_array_is_described_at_even_steps(size):
    found = described(torch.arange(size))
    assert len(found["numbers"]) <= MOST_NUMBERS
    assert found["numbers"][:1] == [0.0][:size]
    assert (found["shape"], found["sum"]) == ([size], size * (size - 1) / 2)


def test_large_containers_and_deep_ones_have_an_end():
    assert nodes(described([[each] for each in range(1_000)])) <= MOST_NODES + MOST_NUMBERS
    knot = []
    knot.append(knot)
    assert described(knot)["kind"] == "parts"


@pytest.mark.parametrize(
    "value",
    [
        torch.ones(2, dtype=torch.complex64),
        torch.eye(2).to_sparse(),
        np.array(["a"]),
        np.array([{}]),
    ],
)
def test_elements_that_are_no_real_numbers_are_left_out(value):
    assert described(value)["numbers"] == []


def test_module_is_described_by_its_state():
    assert set(described(torch.nn.Linear(2, 1))["parts"]) == {"'weight'", "'bias'"}


@pytest.mark.parametrize("value", [torch.nn.Linear, torch.Tensor, np.ndarray, torch.optim.Adam])
def test_class_is_described_by_its_kind(value):
    assert described(value) == {"kind": "object", "type": type(value).__name__}


def test_only_arrays_and_containers_are_described_among_arguments():
    after = observation(None, {"x": torch.ones(1), "n": 3, "self": object()}, drew=False)
    assert set(after["arguments"]) == {"x"}


@pytest.mark.parametrize("draw", [lambda: torch.rand(1), np.random.rand])
def test_drawing_shows_in_the_random_state(draw):
    before = random_state()
    assert random_state() == before
    draw()
    assert random_state() != before


class Colour(enum.IntEnum):
    RED = 3


@pytest.mark.parametrize(
    ("given", "access", "keys"),
    [
        ({np.str_("a"): 1, Colour.RED: 2, True: 3}, "key", ["'a'", "3", "True"]),
        ({"x" * 400: 1}, "", None),
        ({(1, 2): 1}, "", None),
    ],
)
def test_keys_are_literals_whatever_their_class(given, access, keys):
    found = described(given)
    assert found.get("access", "") == access
    assert (list(found["parts"]) if keys else None) == keys


@pytest.mark.parametrize(
    ("dtype", "shown"), [([("a", "i4"), ("b", "S5")], "[a, <i4, b, S5]"), ("S3", "S3")]
)
def test_dtypes_are_named_with_the_letters_of_type_names(dtype, shown):
    assert described(np.zeros(2, dtype))["dtype"] == shown


class Symbolic:
    """A tensor whose first side is known only when it is computed."""

    dtype, shape, ndim = "float32", (None, 3), 2


def test_array_without_known_sides_is_described_in_words():
    found = described(Symbolic())
    assert (found["kind"], found["type"]) == ("text", "Symbolic")
    assert "float32 of shape (None, 3)" in found["text"]


class Doubled(torch.Tensor):
    """Elements that do not fill the shape, as some subclasses have them."""

    def double(self):
        return torch.zeros(7)


def test_elements_that_do_not_fill_a_shape_are_left_out():
    assert described(torch.zeros(3).as_subclass(Doubled))["numbers"] == []
