"""A small library over NumPy's arrays, with calls that are equal, random, dirty or deadly."""

from __future__ import annotations

import os
import random
import time
from types import ModuleType

import numpy as np

from analyzers.guest.inputs.recipes import CallRecipe as Made
from analyzers.guest.inputs.recipes import literal
from analyzers.guest.relations.library_calls import parse_call
from analyzers.guest.relations.mutation.array_construction import DTYPES, MOST_ELEMENTS, cast
from analyzers.guest.relations.relation_types import FUNCTION, ApiParameter, LibraryApi

_DICE = random.Random(0)
_LEVEL = [0]


def _array(values, dtype="float32"):
    return np.array(values, dtype=dtype)


def _negative_in_place(x):
    np.negative(x, out=x)
    return x


def _raise_level(x):
    _LEVEL[0] += 1
    return x


def _hang(x):
    while True:
        time.sleep(0.01)


FUNCTIONS = {
    "absolute": np.abs,
    "magnitude": lambda x: np.sqrt(x * x).astype(x.dtype) if x.dtype.kind == "f" else np.abs(x),
    "positive_part": lambda x: np.maximum(x, 0),
    "negative": np.negative,
    "negative_": _negative_in_place,
    "is_nan": np.isnan,
    "is_infinite": np.isinf,
    "random": lambda x: x + _DICE.random(),
    "blank": lambda x: np.empty((64, *x.shape), np.float64),
    "deadly": lambda x: os.abort(),
    "hanging": _hang,
    "picky": lambda x: x if x.dtype.kind == "c" else x.strange,
    "raise_level": _raise_level,
}
CALLS = (
    "small.absolute(small.array([1.0, 2.0]))",
    "small.absolute(small.array([3.0, 0.5, 4.0]))",
    "small.is_nan(small.array([1.0, 2.0]))",
    "small.is_nan(small.array([[1.0], [2.0]]))",
    "small.negative(small.array([1.0, -2.0]))",
    "small.negative_(small.array([1.0, -2.0]))",
    "small.random(small.array([1.0]))",
    "small.blank(small.array([1.0, 1.0]))",
    "small.raise_level(small.array([1.0]))",
    "small.picky(small.array([1.0]))",
)


class SmallArrays:
    """Maker of NumPy's arrays."""

    def is_plain(self, array):
        return str(array.dtype) in DTYPES and array.size <= MOST_ELEMENTS

    def made(self, dtype, values, like, /):
        return cast(values, dtype)

    def layouts(self, array):
        ways = [lambda: np.asfortranarray(array), lambda: array[::-1].copy()[::-1]]
        return ways + self.overlapping(array) if array.ndim else []

    def overlapping(self, array):
        few = not array.ndim or array.shape[0] < 2
        return [] if few else [lambda: np.broadcast_to(array[:1].copy(), array.shape)]


class SmallLibrary:
    """The library; its random numbers are Python's."""

    name = "small"
    version = "1.0"
    arrays = SmallArrays()
    unsafe = ("small.save",)

    def __init__(self, functions=FUNCTIONS, calls=CALLS):
        self._functions = dict(functions)
        self._calls = calls
        module = ModuleType("small")
        module.array, module.get_level = _array, lambda: _LEVEL[0]
        self.namespace = {"small": module}

    def apis(self):
        return [
            LibraryApi(f"small.{name}", FUNCTION, (ApiParameter("x", required=True),))
            for name in sorted(self._functions)
        ]

    def function(self, api):
        return self._functions[api.removeprefix("small.")]

    def named(self, function):
        return next((f"small.{k}" for k, v in self._functions.items() if v is function), None)

    def valid(self):
        for text in self._calls:
            yield parse_call(text, self), "by hand"

    def recipe_of(self, value):
        if not self.is_array(value):
            return literal(value)
        dtype = (("dtype", literal(str(value.dtype))),)
        return Made("small.array", (literal(value.tolist()),), dtype)

    def is_array(self, value):
        return isinstance(value, (np.ndarray, np.generic))

    def copied(self, value):
        return value.copy() if self.is_array(value) else value

    def plain(self, array):
        return str(array.dtype), tuple(array.shape), np.asarray(array)

    def seed(self):
        _DICE.seed(0)
