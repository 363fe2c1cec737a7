"""Inputs for a Keras model that nobody has called yet: small ones, as recipes."""

from __future__ import annotations

import inspect
import itertools
import time
from typing import Any, Dict, Iterator, List, Optional, Tuple

from ...inputs.recipes import evaluate, parse
from ..model_types import ModelUnderTest
from .array_frames import arrays_in
from .keras_calls import named_layers, predict
from .serialized_model import deserialize_model, keras_error_summary, serialize_model

Shape = Tuple[Optional[int], ...]
_BATCH = 2
_SIZES = (8, 16, 32, 28, 64, 5, 224)
_CHANNELS = (3, 1)
_FEATURES = (8, 16, 4, 10, 32, 64, 128)
_VOCABULARY = 10
_INDICES = ("Embedding", "ReversibleEmbedding", "TokenAndPositionEmbedding")
_INDEX_NAME = ("id", "ids", "tokens", "token", "indices", "index", "words")


class NoKerasInputs(Exception):  # noqa: N818 - a fact about the model
    """None of the inputs that were tried is taken; says which error was met last."""


def inputs_for(module: Any, seconds: float = 5.0) -> str:
    """Return the recipe of arguments that a Keras model runs on; raises :class:`NoKerasInputs`."""
    until, last = time.monotonic() + seconds, "nothing could be tried"
    for recipe in itertools.islice(_recipes(module), 400):
        if time.monotonic() > until:
            break
        error = _refused(module, recipe)
        if error is None:
            return recipe
        last = error
    raise NoKerasInputs(f"none of the inputs tried is taken, at last: {last}")


def _refused(module: Any, recipe: str) -> Optional[str]:
    import numpy

    try:
        found = arrays_in(predict(_unbuilt(module), evaluate(parse(recipe), {}), {}))
    except Exception as error:
        return f"{type(error).__name__}: {keras_error_summary(error)}"
    if not found:
        return "it returns no tensor"
    finite = all(bool(numpy.isfinite(each).all()) for each in found if each.dtype.kind == "f")
    return None if finite and all(each.size for each in found) else "its outputs are not finite"


def _unbuilt(module: Any) -> Any:
    """Return a model for one try, since a failing call can leave layers built for its shapes."""
    if module.built:
        return module
    try:
        return deserialize_model(serialize_model(ModelUnderTest(module, (), {}, "keras")), None)
    except Exception:
        return module


def _recipes(module: Any) -> Iterator[str]:
    specified = _specified(module)
    if specified is not None:
        for size in _SIZES:
            yield f"({_filled(specified, size)},)"
        return
    for parts in _guessed(module):
        yield "(" + "".join(f"{each}, " for each in parts).strip() + ")"


def _specified(module: Any) -> Any:
    try:
        found = getattr(module, "_inputs_struct", None) or module.inputs
    except Exception:
        return None
    if isinstance(found, list) and len(found) == 1 and not hasattr(module, "_inputs_struct"):
        return found[0]
    functional = getattr(module, "_functional", None)
    return getattr(functional, "_inputs_struct", found) if functional is not None else found


def _filled(specified: Any, size: int, seed: int = 1) -> str:
    if isinstance(specified, dict):
        pairs = [
            f"{key!r}: {_filled(value, size, seed + number)}"
            for number, (key, value) in enumerate(specified.items())
        ]
        return "{" + ", ".join(pairs) + "}"
    if isinstance(specified, (list, tuple)):
        inside = [_filled(each, size, seed + number) for number, each in enumerate(specified)]
        items = ", ".join(inside)
        if isinstance(specified, list):
            return f"[{items}]"
        return f"({items}{',' * (len(inside) == 1)})"
    return _array(tuple(specified.shape), str(specified.dtype), size, seed, _most(specified))


def _array(shape: Shape, dtype: str, size: int, seed: int, most: Optional[int]) -> str:
    batch = (_BATCH if shape and shape[0] is None else shape[0],) if shape else ()
    sizes = (*batch, *(size if each is None else each for each in shape[1:]))
    if most is not None:
        whole = dtype if dtype.startswith(("int", "uint")) else "int32"
        return f"array({sizes!r}, dtype={whole!r}, seed={seed}, low=0, high={most})"
    if dtype == "bool":
        return f"array({sizes!r}, dtype='bool', seed={seed}, low=0, high=1)"
    if not dtype.startswith(("float", "bfloat")):
        return f"array({sizes!r}, dtype={dtype!r}, seed={seed}, low=0, high={_VOCABULARY - 1})"
    said = "" if dtype == "float32" else f", dtype={dtype!r}"
    return f"array({sizes!r}{said}, seed={seed}, low=-1, high=1)"


def _most(tensor: Any) -> Optional[int]:
    operation = getattr(getattr(tensor, "_keras_history", None), "operation", None)
    for node in getattr(operation, "_outbound_nodes", ()):
        size = getattr(node.operation, "input_dim", None)
        if type(node.operation).__name__ in _INDICES and isinstance(size, int):
            return size - 1
    return None


def _guessed(module: Any) -> Iterator[List[str]]:
    names = _required(module)
    ways = list(itertools.islice(_ways(module), 60))
    for way in ways:
        yield [_named(name, way, number + 1) for number, name in enumerate(names)]


def _required(module: Any) -> List[str]:
    parameters = inspect.signature(module.call).parameters.values()
    needed = [
        each.name
        for each in parameters
        if each.default is each.empty
        and each.kind in (each.POSITIONAL_OR_KEYWORD, each.POSITIONAL_ONLY)
    ]
    return needed or ["inputs"]


Way = Tuple[Tuple[int, ...], Optional[int]]


def _ways(module: Any) -> Iterator[Way]:
    kinds = [(type(part.layer).__name__, part.layer) for part in named_layers(module)]
    for kind, layer in kinds[:6]:
        yield from _ways_of(kind, layer)
    for shape in ((8,), (8, 8), (32, 32, 3)):
        yield (_BATCH, *shape), None


def _ways_of(kind: str, layer: Any) -> Iterator[Way]:
    if kind in _INDICES:
        yield from (((_BATCH, size), int(layer.input_dim) - 1) for size in _SIZES)
        return
    spec = getattr(layer, "input_spec", None)
    known = dict(getattr(spec, "axes", None) or {}) if not isinstance(spec, (list, tuple)) else {}
    rank = getattr(spec, "ndim", None) or _rank(kind)
    if rank is None:
        features = [known[-1]] if -1 in known else list(_FEATURES)
        yield from (((_BATCH, each), None) for each in features)
        return
    channels = [known[-1]] if -1 in known else list(_CHANNELS if rank > 3 else _FEATURES)
    for size, channel in itertools.product(_SIZES, channels):
        yield (_BATCH, *(size,) * (rank - 2), channel), None


def _rank(kind: str) -> Optional[int]:
    ranks: Dict[str, int] = {"1D": 3, "2D": 4, "3D": 5}
    recurrent = ("LSTM", "GRU", "SimpleRNN", "RNN", "Bidirectional", "MultiHeadAttention")
    return 3 if kind in recurrent else ranks.get(kind[-2:])


def _named(name: str, way: Way, seed: int) -> str:
    shape, most = way
    if most is None and set(name.lower().split("_")) & set(_INDEX_NAME):
        most = _VOCABULARY - 1
    return _array(shape, "float32", 0, seed, most)
