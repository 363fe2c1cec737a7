"""The library NumPy: what relational testing asks of it."""

from __future__ import annotations

from typing import Any, Tuple

from ....generation.recipes import Recipe
from ...nouns import Namespace
from ..arrays.catalogue import catalogue
from ..arrays.containers import PLAIN
from ..arrays.inputs import Array
from ..arrays.library import ArrayLibrary
from . import spelling

MODULES = ("numpy", "numpy.linalg", "numpy.fft")


class Numpy(ArrayLibrary):
    """``numpy``, ``numpy.linalg``, ``numpy.fft`` and the methods of its arrays."""

    name = "numpy"

    def __init__(self) -> None:
        import numpy

        super().__init__(
            catalogue(MODULES, (("numpy.ndarray", numpy.ndarray),)), {"np": numpy, "numpy": numpy}
        )
        self.version = str(numpy.__version__)
        self.namespace: Namespace = {"numpy": numpy, **PLAIN}

    def array(self) -> Array:
        """Makes ``numpy.array([1.0], dtype=numpy.float32)``."""
        return spelling.array

    def spelled_array(self, value: Any) -> Recipe:
        """The recipe of an array, a scalar or a dtype."""
        return spelling.spelled(value)

    def is_array(self, value: Any) -> bool:
        """Whether a value is an array; scalars of NumPy are none."""
        import numpy

        return isinstance(value, numpy.ndarray)

    def copied_array(self, value: Any) -> Any:
        """An array of the same strides, with elements of its own."""
        import numpy

        if not isinstance(value, numpy.ndarray):
            return value
        if 0 not in value.strides or value.size < 2:
            return value.copy(order="K")
        inner = value[tuple(slice(0, 1) if not step else slice(None) for step in value.strides)]
        return numpy.broadcast_to(inner.copy(order="K"), value.shape)

    def plain(self, array: Any) -> Tuple[str, Tuple[int, ...], Any]:
        """Dtype by name, shape, and the array itself."""
        return str(array.dtype), tuple(array.shape), array

    def seed(self) -> None:
        """Start NumPy's global random numbers anew."""
        import numpy

        numpy.random.seed(0)
