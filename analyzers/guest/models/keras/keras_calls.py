"""Calls of Keras models and layers, of whatever backend this process has."""

from __future__ import annotations

import re
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from importlib import import_module
from typing import (
    Any,
    Dict,
    Generator,
    Iterator,
    List,
    Mapping,
    NamedTuple,
    Sequence,
    Set,
    Tuple,
)

from ..model_types import ModelUnderTest
from .array_frames import NotSerializable, as_array, serialize
from .serialized_model import (
    Arguments,
    SerializedModel,
    deserialize_model,
    keras_error_summary,
    of_dtype,
    serialize_model,
)


def predict(
    model: Any, arguments: Sequence[Any], keywords: Mapping[str, Any], seed: int = 0
) -> Any:
    """Return what a model gives in evaluation mode, as arrays of NumPy."""
    import keras  # type: ignore[import-untyped]

    keras.utils.set_random_seed(seed)
    of_torch = keras.backend.backend() == "torch"
    with import_module("torch").no_grad() if of_torch else nullcontext():
        given = model(*arguments, **evaluating(model, keywords))
    return to_numpy(given)


def evaluating(model: Any, keywords: Mapping[str, Any]) -> Dict[str, Any]:
    """Return a call's keywords, with ``training=False`` where a model takes it."""
    told = {"training": False} if getattr(model, "_call_has_training_arg", False) else {}
    return {**keywords, **told}


def to_numpy(value: Any) -> Any:
    """Return the same nesting with NumPy's arrays for tensors of any backend."""
    import keras

    def converted(tensor: Any) -> Any:
        return as_array(tensor) if keras.ops.is_tensor(tensor) else tensor

    return keras.tree.map_structure(converted, value)


def deserialize_with_precision(
    given: SerializedModel, arguments: Arguments, dtype: str = "float32"
) -> Any:
    """Return the model of a serialized model in this process, all of it in a dtype."""
    if dtype == "float32":
        return deserialize_model(given, arguments)
    config = of_dtype(given.config, dtype)
    with of_precision(dtype):
        return deserialize_model(SerializedModel(config, given.modules, given.weights), arguments)


@contextmanager
def of_precision(dtype: str) -> Generator[None, None, None]:
    """Make this dtype the usual one of Keras."""
    import keras

    usual = keras.config.floatx(), keras.config.dtype_policy()
    if dtype == usual[0]:
        yield
        return
    of_jax = dtype == "float64" and keras.backend.backend() == "jax"
    with import_module("jax").enable_x64(True) if of_jax else nullcontext():
        keras.config.set_floatx(dtype)
        keras.config.set_dtype_policy(dtype)
        try:
            yield
        finally:
            keras.config.set_floatx(usual[0])
            keras.config.set_dtype_policy(usual[1])


def of_inputs(arrays: Any, dtype: str) -> Any:
    """Return a nesting of arrays with its floating ones in a dtype."""
    import keras
    import numpy

    def cast(value: Any) -> Any:
        floating = isinstance(value, numpy.ndarray) and value.dtype.kind == "f"
        return value.astype(dtype) if floating else value

    return keras.tree.map_structure(cast, arrays)


def sample(model: ModelUnderTest, seed: int, amplitude: float) -> Any:
    """Return what float64 gives where floating weights and inputs are each off by such a share."""
    import keras
    import numpy

    drawn = numpy.random.default_rng(seed % 2**32)

    def moved(value: Any) -> Any:
        if not isinstance(value, numpy.ndarray) or value.dtype.kind != "f":
            return value
        return value * (1.0 + amplitude * drawn.uniform(-1.0, 1.0, value.shape))

    arguments = to_numpy((tuple(model.inputs), dict(model.keywords)))
    changed: Any = keras.tree.map_structure(moved, of_inputs(arguments, "float64"))
    inputs, keywords = changed
    given = serialize_model(model)
    weights = tuple(moved(each.astype("float64")) for each in given.weights)
    wide = deserialize_with_precision(
        SerializedModel(given.config, given.modules, weights), (inputs, keywords), "float64"
    )
    with of_precision("float64"):
        return predict(wide, inputs, keywords)


@dataclass(frozen=True)
class LayerCall:
    """One call of one layer (by number) in the order of ends; tensors are NumPy's arrays."""

    layer: int
    name: str
    arguments: Tuple[Tuple[Any, ...], Dict[str, Any]]
    output: Any


class NamedLayer(NamedTuple):
    """A layer, its name in the model, and what its author has put it into."""

    name: str
    layer: Any
    owner: Any


def named_layers(model: Any) -> List[NamedLayer]:
    """Return a model's layers as its author made them, with their names: no parts of Keras's own.

    A layer of a functional or Sequential model goes by its own name (``conv2d_1`` is the
    second convolution without one), one of a class by the attribute that holds it
    (``block.conv``).
    """
    return list(_layers(model, "", set()))


def _layers(owner: Any, prefix: str, seen: Set[int]) -> Iterator[NamedLayer]:
    import keras

    for name, layer in _parts(owner):
        if id(layer) in seen or type(layer).__name__ == "InputLayer":
            continue
        seen.add(id(layer))
        full = f"{prefix}{name}"
        own = not type(layer).__module__.startswith("keras.")
        composite = own or isinstance(layer, keras.Model)
        inside = list(_layers(layer, f"{full}.", seen)) if composite else []
        yield from inside or [NamedLayer(full, layer, owner)]


def _parts(owner: Any) -> List[Tuple[str, Any]]:
    if type(owner).__module__.startswith("keras."):
        return list(_numbered(getattr(owner, "operations", None) or owner._layers))
    named: Dict[int, str] = {id(value): name for name, value in _attributes(owner)}
    return [(named.get(id(each)) or str(each.name), each) for each in owner._layers]


def _numbered(operations: Sequence[Any]) -> Iterator[Tuple[str, Any]]:
    """Yield layers with their names; numbers that Keras counts by process are counted by model."""
    counts: Dict[str, int] = {}
    for each in operations:
        name = re.sub(r"_\d+$", "", str(each.name))
        if name.replace("_", "") != type(each).__name__.lower():
            yield str(each.name), each
            continue
        count = counts[name] = counts.get(name, -1) + 1
        yield (f"{name}_{count}" if count else name), each


def _attributes(owner: Any) -> Iterator[Tuple[str, Any]]:
    """Yield what an object holds by a name that its author gave; under torch in ``_modules``."""
    held = vars(owner)
    for name, value in {**held, **held.get("_modules", {})}.items():
        if name.startswith("_"):
            continue
        yield name, value
        items = dict(enumerate(value)) if isinstance(value, (list, tuple)) else value
        if isinstance(items, Mapping):
            for key, each in items.items():
                yield f"{name}.{key}", each


def record_layer_calls(
    model: Any, arguments: Sequence[Any], keywords: Mapping[str, Any]
) -> List[LayerCall]:
    """Return the calls of a model's layers while it predicts; those without arrays are left out."""
    import keras

    numbers = {id(part.layer): (n, part.name) for n, part in enumerate(named_layers(model))}
    steps: List[LayerCall] = []

    def see(layer: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any], output: Any) -> None:
        if id(layer) not in numbers:
            return
        given = to_numpy((args, kwargs))
        found = to_numpy(output)
        if _is_tellable(given) and _is_tellable(found):
            steps.append(LayerCall(*numbers[id(layer)], given, found))

    kind: Any = keras.Operation
    original = kind.__call__

    def called(self: Any, *args: Any, **kwargs: Any) -> Any:
        output = original(self, *args, **kwargs)
        see(self, args, kwargs, output)
        return output

    kind.__call__ = called
    try:
        predict(model, arguments, keywords)
    finally:
        kind.__call__ = original
    return steps


def _is_tellable(value: Any) -> bool:
    try:
        serialize(value, [])
    except NotSerializable:
        return False
    return True


def replay_layers(
    model: Any, steps: Sequence[Tuple[int, Any]], dtype: str
) -> List[Tuple[bool, Any]]:
    """Return for layers, by number, and arguments: whether it returned, and what as arrays."""
    with of_precision(dtype):
        return [_replayed(model, number, given, dtype) for number, given in steps]


def _replayed(model: Any, number: int, given: Any, dtype: str) -> Tuple[bool, Any]:
    import keras

    try:
        layer = named_layers(model)[number].layer
        arguments, keywords = of_inputs(given, dtype)
        keras.utils.set_random_seed(0)
        return True, to_numpy(layer(*arguments, **evaluating(layer, keywords)))
    except Exception as error:
        return False, f"{type(error).__name__}: {keras_error_summary(error)}"
