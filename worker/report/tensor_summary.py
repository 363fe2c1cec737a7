"""The values of a tensor that a recipe makes: shape, dtype, range and a small map of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from analyzers.guest.inputs.makers.array_makers import array
from analyzers.guest.inputs.recipes import (
    BadRecipe,
    CallRecipe,
    DisplayRecipe,
    LiteralRecipe,
    PairsRecipe,
    Recipe,
    parse,
)

MOST_ELEMENTS = 200_000
MOST_CELLS = 16
_MADE = ("tensor", "array", "jax_array")
_DRAWN = ("seed", "low", "high", "values")
_PLACED = ("shape", "dtype", "fill", "at")


def tensor_summary(source: str) -> Mapping[str, Any] | None:
    """Return shape, dtype, finite range and map of a recipe's tensor; ``None`` for another value.

    The map has at most 16 x 16 elements of the last two axes, evenly chosen; ``None`` in it is not
    a finite number.
    """
    try:
        recipe = parse(source)
        if not isinstance(recipe, CallRecipe) or recipe.function not in _MADE:
            return None
        given = {name: _value(each) for name, each in _named(recipe).items()}
        if math.prod(given["shape"]) > MOST_ELEMENTS or "complex" in str(given.get("dtype")):
            return None
        dtype = str(given.pop("dtype", "float32"))
        return _summary(array(dtype=dtype.replace("bfloat16", "float32"), **given), dtype)
    except (BadRecipe, ArithmeticError, LookupError, TypeError, ValueError):
        return None


def _named(recipe: CallRecipe) -> dict[str, Recipe]:
    given = dict(zip(_PLACED, recipe.arguments, strict=False)) | dict(recipe.keywords)
    return {name: each for name, each in given.items() if name in (*_PLACED, *_DRAWN)}


def _value(recipe: Recipe) -> Any:
    match recipe:
        case LiteralRecipe(value):
            return value
        case DisplayRecipe("tuple", items):
            return tuple(map(_value, items))
        case PairsRecipe(items):
            return {_value(key): _value(item) for key, item in items}
        case _:
            raise BadRecipe("no plain value")


def _summary(made: Any, dtype: str) -> Mapping[str, Any]:
    finite = [each for each in made.ravel().tolist() if math.isfinite(each)]
    return {
        "shape": list(made.shape),
        "dtype": dtype,
        "low": min(finite, default=None),
        "high": max(finite, default=None),
        "not_finite": made.size - len(finite),
        "cells": _cells(made),
    }


def _cells(made: Any) -> list[list[float | None]]:
    """Return a few of the numbers along the last two axes, at the beginning of all others."""
    if made.size == 0:
        return []
    flat = made.reshape(-1, made.shape[-1]) if made.ndim else made.reshape(1, 1)
    rows = flat[: made.shape[-2]] if made.ndim > 1 else flat
    return [
        [_cell(row[column]) for column in _chosen(len(row))]
        for row in (rows[place] for place in _chosen(len(rows)))
    ]


def _chosen(size: int) -> list[int]:
    few = min(size, MOST_CELLS)
    return [place * size // few for place in range(few)]


def _cell(element: Any) -> float | None:
    return float(f"{float(element):.3g}") if math.isfinite(element) else None
