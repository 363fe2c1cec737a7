"""NumPy's arrays, scalars and dtypes as the text that makes them again."""

from __future__ import annotations

from typing import Any

from ...inputs.recipes import BadRecipe, CallRecipe, LiteralRecipe, NameRecipe, Recipe, literal
from .array_library import (
    MOST_ITEMS,
    PLAIN,
    ArrayLibrary,
    ArrayNames,
    elements,
    list_functions,
    number,
)

INFERRED = ("float64", "int64", "bool", "complex128")
KINDS = "biufc"
"""The kinds of dtype whose elements have text: no strings, dates, records or objects."""


def numpy_recipe(value: Any) -> Recipe:
    """Return the recipe of an array with its layout, of a scalar, or of a dtype.

    Raises :class:`BadRecipe` for everything else and for what is large.
    """
    import numpy

    if type(value) is numpy.ndarray:
        return _laid_out(value)
    if isinstance(value, numpy.generic):
        _check_kind(value.dtype)
        return CallRecipe(f"numpy.{value.dtype.name}", (number(value.item()),))
    if isinstance(value, numpy.dtype):
        _check_kind(value)
        return NameRecipe(f"numpy.{value.name}")
    if isinstance(value, type) and issubclass(value, numpy.generic):
        return NameRecipe(f"numpy.{value.__name__}")
    raise BadRecipe(f"a {type(value).__name__} has no text")


def _check_kind(dtype: Any) -> None:
    if dtype.kind not in KINDS or not dtype.isnative or dtype.name in ("longdouble", "float128"):
        raise BadRecipe(f"elements of {dtype} have no text")


def _laid_out(value: Any) -> Recipe:
    import numpy

    _check_kind(value.dtype)
    if value.flags.c_contiguous or value.size == 0:
        return _contiguous(value)
    if value.flags.f_contiguous:
        return CallRecipe("numpy.asfortranarray", (_contiguous(numpy.ascontiguousarray(value)),))
    inner = value[tuple(slice(0, 1) if not step else slice(None) for step in value.strides)]
    if inner.shape != value.shape and inner.flags.c_contiguous:
        return CallRecipe("numpy.broadcast_to", (_contiguous(inner), literal(value.shape)))
    order = sorted(range(value.ndim), key=lambda at: (-value.strides[at], at))
    dense = value.transpose(order)
    if not dense.flags.c_contiguous:
        raise BadRecipe("an array of this layout has no text")
    back = tuple(order.index(at) for at in range(value.ndim))
    return CallRecipe("numpy.transpose", (_contiguous(dense), literal(back)))


def _contiguous(value: Any) -> Recipe:
    name = value.dtype.name
    dtype = () if name in INFERRED else (("dtype", NameRecipe(f"numpy.{name}")),)
    if value.size == 0 and value.shape != (0,):
        return CallRecipe("numpy.zeros", (literal(value.shape),), dtype)
    if value.size <= MOST_ITEMS:
        needed = dtype if value.size else (("dtype", NameRecipe(f"numpy.{name}")),)
        return CallRecipe("numpy.array", (elements(value.tolist()),), needed)
    first = value.flat[0]
    if bool((value == first).all()):
        return CallRecipe("numpy.full", (literal(value.shape), number(first.item())), dtype)
    if value.ndim == 1 and value.tolist() == list(range(value.size)):
        return CallRecipe("numpy.arange", (LiteralRecipe(value.size),), dtype)
    raise BadRecipe("an array of many elements has no text")


MODULES = ("numpy", "numpy.linalg", "numpy.fft")


class Numpy(ArrayLibrary):
    """``numpy``, ``numpy.linalg``, ``numpy.fft`` and the methods of its arrays."""

    name = "numpy"
    names = ArrayNames("numpy.array", "numpy.zeros", "numpy.full", "numpy.")

    def __init__(self) -> None:
        import numpy

        super().__init__(
            list_functions(MODULES, (("numpy.ndarray", numpy.ndarray),)),
            {"np": numpy, "numpy": numpy},
        )
        self.version = str(numpy.__version__)
        self.namespace = {"numpy": numpy, **PLAIN}

    def array_recipe(self, value: Any) -> Recipe:
        """Return the recipe of an array or a scalar of NumPy."""
        return numpy_recipe(value)

    def is_array(self, value: Any) -> bool:
        """Return whether a value is an array; scalars of NumPy are none."""
        import numpy

        return isinstance(value, numpy.ndarray)

    def copied_array(self, value: Any) -> Any:
        """Return an array of the same strides, with elements of its own."""
        import numpy

        if not isinstance(value, numpy.ndarray):
            return value
        if 0 not in value.strides or value.size < 2:
            return value.copy(order="K")
        inner = value[tuple(slice(0, 1) if not step else slice(None) for step in value.strides)]
        return numpy.broadcast_to(inner.copy(order="K"), value.shape)

    def plain(self, array: Any) -> tuple[str, tuple[int, ...], Any]:
        """Return dtype by name, shape, and the array itself."""
        return str(array.dtype), tuple(array.shape), array

    def seed(self) -> None:
        """Start NumPy's global random numbers anew."""
        import numpy

        numpy.random.seed(0)
