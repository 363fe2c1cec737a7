"""Keras models on their own backend, in float64 there, and on the other backends."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from ..model_types import Execution, ModelUnderTest, Unsupported
from .array_frames import NotSerializable, arrays_in, serialize
from .backend_process import BackendProcess, RaisedInBackend, warm_backend
from .keras_calls import deserialize_with_precision, of_inputs, of_precision, predict, to_numpy
from .serialized_model import SerializedModel, keras_error_summary, serialize_model

EPS32, EPS64 = 2.0**-23, 2.0**-52
BACKENDS = ("torch", "jax", "numpy", "tensorflow")
CALL_SECONDS = 30.0


def own_backend() -> str:
    """Return the backend that Keras has, or will have, in this process."""
    keras = sys.modules.get("keras")
    if keras is not None:
        return str(keras.backend.backend())
    return os.environ.get("KERAS_BACKEND", "tensorflow")


class KerasEager:
    """The model on the project's own backend, as its author calls it."""

    name = "keras-eager"
    eps = EPS32
    framework = "keras"
    foreign = False

    def unavailable(self) -> Optional[str]:
        """Return only where Keras is missing."""
        return _missing("keras")

    def prepared(self, model: ModelUnderTest) -> Callable[..., Any]:
        """Return the model itself."""
        module = _keras(model)

        def call(*inputs: Any, **keywords: Any) -> Any:
            return predict(module, inputs, keywords)

        return call


class KerasFloat64(KerasEager):
    """The same backend with all floating layers, weights and inputs in float64.

    It shares what the backend gets wrong on purpose or by mistake, so that the others'
    difference from it is one of backends, whichever of them is at fault.
    """

    name = "keras-float64"
    eps = EPS64

    def prepared(self, model: ModelUnderTest) -> Callable[..., Any]:
        """Return a second model of the same configuration and weights."""
        _keras(model)
        arguments = to_numpy((tuple(model.inputs), dict(model.keywords)))
        given = serialize_model(model)
        _check_same(model, given, arguments)
        module = _remade(given, of_inputs(arguments, "float64"))

        def call(*inputs: Any, **keywords: Any) -> Any:
            wide, named = of_inputs(to_numpy((inputs, keywords)), "float64")
            with of_precision("float64"):
                return predict(module, wide, named)

        return call


def _check_same(model: ModelUnderTest, given: SerializedModel, arguments: Any) -> None:
    """Raise :class:`Unsupported` where a model of a class is another one by its configuration."""
    import numpy

    if not given.modules:
        return
    inputs, keywords = arguments
    own = arrays_in(predict(model.module, inputs, keywords))
    _check_remade(given, arguments)
    again = arrays_in(predict(deserialize_with_precision(given, arguments), inputs, keywords))
    same = len(own) == len(again) and all(
        one.shape == other.shape and numpy.allclose(one, other, 1e-3, 1e-5, equal_nan=True)
        for one, other in zip(own, again)
    )
    if not same:
        raise Unsupported("made again from its configuration it gives something else")


def _check_remade(given: SerializedModel, arguments: Any) -> None:
    """Raise :class:`Unsupported` where a model is not made again on its own backend either."""
    try:
        deserialize_with_precision(given, arguments)
    except Exception as error:
        raise Unsupported(
            f"it is not made again from its configuration: {keras_error_summary(error)}"
        ) from error


def _remade(given: SerializedModel, arguments: Any) -> Any:
    try:
        return deserialize_with_precision(given, arguments, "float64")
    except Unsupported:
        raise
    except Exception as error:
        raise Unsupported(
            f"it is not made again in float64: {keras_error_summary(error)}"
        ) from error


class KerasBackend:
    """The model over another backend, in a child with the same weights."""

    eps = EPS32
    framework = "keras"
    foreign = False

    def __init__(self, backend: str) -> None:
        self.backend = backend
        self.name = f"keras-{backend}"

    @property
    def is_own(self) -> bool:
        """Return whether it is the backend that the project runs on already."""
        return self.backend == own_backend()

    def unavailable(self) -> Optional[str]:
        """Return where Keras or the backend is missing, or the project runs on it already."""
        if self.is_own:
            return f"{self.backend} is the backend that the model runs on anyway"
        return _missing("keras") or _missing(self.backend)

    def prepared(self, model: ModelUnderTest) -> Callable[..., Any]:
        """Return the model, handed over."""
        _keras(model)
        remote = RemoteModel(self.backend, model)

        def call(*inputs: Any, **keywords: Any) -> Any:
            return remote.call(inputs, keywords)

        return call


class RemoteModel:
    """A model that a child has; made again there where that child was started anew.

    Raises ``Unsupported`` and :class:`RaisedInBackend` as a child does.
    """

    _made = 0

    def __init__(
        self,
        backend: str,
        model: ModelUnderTest,
        dtype: str = "float32",
        seconds: float = CALL_SECONDS,
    ) -> None:
        self._backend, self._dtype, self._seconds = backend, dtype, seconds
        self._given = serialize_model(model)
        self._arguments = to_numpy((tuple(model.inputs), dict(model.keywords)))
        RemoteModel._made += 1
        self._number = RemoteModel._made
        self._host()

    def _host(self) -> BackendProcess:
        found = warm_backend(self._backend)
        if self._number not in found.models:
            arrays = list(self._given.weights)
            rest, told_ = _versioned_reason(self._arguments)
            question = {
                **self._about("build"),
                "weights": len(arrays),
                "config": self._given.config,
                "modules": list(self._given.modules),
                "arguments": told_,
                "dtype": self._dtype,
            }
            try:
                found.hand_over(self._number, question, [*arrays, *rest], self._seconds)
            except RaisedInBackend as raised:
                _check_remade(self._given, self._arguments)
                raise raised from None
        return found

    def _about(self, ask: str) -> Dict[str, Any]:
        return {"ask": ask, "model": self._number}

    def call(self, inputs: Sequence[Any], keywords: Dict[str, Any]) -> Any:
        """Return what the model gives, as arrays."""
        return self._asked("call", "arguments", (tuple(inputs), keywords))

    def replayed(self, steps: Sequence[Tuple[int, Any]]) -> Any:
        """Return what layers give for such arguments, each by its number."""
        return self._asked("replay", "steps", [tuple(step) for step in steps])

    def _asked(self, ask: str, name: str, value: Any) -> Any:
        arrays, tree = _versioned_reason(to_numpy(value))
        return self._host().ask({**self._about(ask), name: tree}, arrays, self._seconds)


def _versioned_reason(value: Any) -> Tuple[List[Any], Any]:
    arrays: List[Any] = []
    try:
        tree = serialize(value, arrays)
    except NotSerializable as error:
        raise Unsupported(f"its arguments cannot be sent: {error}") from error
    return arrays, tree


def _keras(model: ModelUnderTest) -> Any:
    if model.framework != "keras":
        raise Unsupported("it is no model of Keras")
    return model.module


def _missing(package: str) -> Optional[str]:
    try:
        there = package in sys.modules or find_spec(package) is not None
    except (ImportError, ValueError):
        there = False
    return None if there else f"{package} is not installed"


KERAS: Tuple[Execution, ...] = (
    KerasEager(),
    KerasFloat64(),
    *(KerasBackend(name) for name in BACKENDS),
)
