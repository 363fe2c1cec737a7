"""NumPy's arrays, scalars and dtypes as the text that makes them again."""

from __future__ import annotations

from typing import Any, Tuple

from ....generation.recipes import BadRecipe, Call, Literal, Name, Recipe, literal
from ..arrays.containers import MOST_ITEMS, elements, number

INFERRED = ("float64", "int64", "bool", "complex128")
KINDS = "biufc"
"""The kinds of dtype whose elements have text: no strings, dates, records or objects."""


def spelled(value: Any) -> Recipe:
    """The recipe of an array with its layout, of a scalar, or of a dtype.

    Raises :class:`BadRecipe` for everything else and for what is large.
    """
    import numpy

    if type(value) is numpy.ndarray:
        return _laid_out(value)
    if isinstance(value, numpy.generic):
        _check_kind(value.dtype)
        return Call(f"numpy.{value.dtype.name}", (number(value.item()),))
    if isinstance(value, numpy.dtype):
        _check_kind(value)
        return Name(f"numpy.{value.name}")
    if isinstance(value, type) and issubclass(value, numpy.generic):
        return Name(f"numpy.{value.__name__}")
    raise BadRecipe(f"a {type(value).__name__} has no text")


def array(items: Any, dtype: str) -> Recipe:
    """An array of nested lists of numbers."""
    return Call("numpy.array", (elements(items),), (("dtype", Name(f"numpy.{dtype}")),))


def _check_kind(dtype: Any) -> None:
    if dtype.kind not in KINDS or not dtype.isnative or dtype.name in ("longdouble", "float128"):
        raise BadRecipe(f"elements of {dtype} have no text")


def _laid_out(value: Any) -> Recipe:
    import numpy

    _check_kind(value.dtype)
    if value.flags.c_contiguous or value.size == 0:
        return _contiguous(value)
    if value.flags.f_contiguous:
        return Call("numpy.asfortranarray", (_contiguous(numpy.ascontiguousarray(value)),))
    inner = value[tuple(slice(0, 1) if not step else slice(None) for step in value.strides)]
    if inner.shape != value.shape and inner.flags.c_contiguous:
        return Call("numpy.broadcast_to", (_contiguous(inner), literal(value.shape)))
    order = sorted(range(value.ndim), key=lambda at: (-value.strides[at], at))
    dense = value.transpose(order)
    if not dense.flags.c_contiguous:
        raise BadRecipe("an array of this layout has no text")
    back = tuple(order.index(at) for at in range(value.ndim))
    return Call("numpy.transpose", (_contiguous(dense), literal(back)))


def _contiguous(value: Any) -> Recipe:
    dtype = _dtype(value)
    if value.size == 0 and value.shape != (0,):
        return Call("numpy.zeros", (literal(value.shape),), dtype)
    if value.size > MOST_ITEMS:
        return _repeated(value, dtype)
    needed = dtype if value.size else (("dtype", Name(f"numpy.{value.dtype.name}")),)
    return Call("numpy.array", (elements(value.tolist()),), needed)


def _repeated(value: Any, dtype: Tuple[Tuple[str, Recipe], ...]) -> Recipe:
    first = value.flat[0]
    if bool((value == first).all()):
        return Call("numpy.full", (literal(value.shape), number(first.item())), dtype)
    if value.ndim == 1 and value.tolist() == list(range(value.size)):
        return Call("numpy.arange", (Literal(value.size),), dtype)
    raise BadRecipe("an array of many elements has no text")


def _dtype(value: Any) -> Tuple[Tuple[str, Recipe], ...]:
    name = value.dtype.name
    return () if name in INFERRED else (("dtype", Name(f"numpy.{name}")),)
