"""The library Keras: what relational testing asks of its ops, computed by torch."""

from __future__ import annotations

import os
from typing import Any

from ...inputs.recipes import BadRecipe, Recipe
from .array_library import PLAIN, ArrayLibrary, ArrayNames, list_functions

MODULES = ("keras.ops", "keras.activations")
BACKEND = "torch"


class Keras(ArrayLibrary):
    """``keras.ops`` and ``keras.activations``; its tensors are torch's.

    Keras reads its backend once, when it is imported: this asks for torch.
    """

    name = "keras"
    names = ArrayNames("keras.ops.convert_to_tensor", "keras.ops.zeros", "keras.ops.full")

    def __init__(self) -> None:
        os.environ.setdefault("KERAS_BACKEND", BACKEND)
        import keras  # type: ignore[import-untyped]

        if keras.backend.backend() != BACKEND:
            raise ImportError(f"Keras was imported with the backend {keras.backend.backend()}")
        import numpy
        import torch

        super().__init__(list_functions(MODULES), {"keras": keras, "ops": keras.ops, "np": numpy})
        self.version = str(keras.__version__)
        self.namespace = {"keras": keras, "torch": torch, **PLAIN}

    def array_recipe(self, value: Any) -> Recipe:
        """The recipe of a tensor, or of an array of NumPy as the tensor that ops make of it."""
        import numpy

        if not self.is_array(value) and not isinstance(value, (numpy.ndarray, numpy.generic)):
            raise BadRecipe(f"a {type(value).__name__} has no text")
        dtype, _, made = self.plain(value)
        if made.dtype.kind not in "biufc":
            raise BadRecipe(f"elements of {dtype} have no text")
        return self.names.of(made, dtype)

    def is_array(self, value: Any) -> bool:
        """Return whether a value is a tensor."""
        import torch

        return isinstance(value, torch.Tensor)

    def copied_array(self, value: Any) -> Any:
        """Return a tensor of its own."""
        return value.detach().clone() if self.is_array(value) else value

    def plain(self, array: Any) -> tuple[str, tuple[int, ...], Any]:
        """Return dtype by name, shape, and the elements; narrow floating types as float32."""
        import numpy

        dtype = str(array.dtype).rpartition(".")[2]
        if not self.is_array(array):
            return dtype, tuple(array.shape), numpy.asarray(array)
        dense = array.detach().cpu()
        narrow = dtype == "bfloat16" or dtype.startswith("float8")
        made = (dense.float() if narrow else dense.resolve_conj()).numpy()
        return dtype, tuple(made.shape), made

    def seed(self) -> None:
        """Start the random numbers of Keras and torch anew."""
        import keras

        keras.utils.set_random_seed(0)
