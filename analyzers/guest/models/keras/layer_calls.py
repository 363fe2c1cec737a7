"""The layers of a Keras model, what each is fed, and what it gives for that."""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass
from typing import (
    Any,
    Callable,
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

from .array_frames import NotSerializable, serialize
from .keras_calls import evaluating, of_inputs, predict, to_numpy

Layer = Any


@dataclass(frozen=True)
class LayerCall:
    """One call of one layer, in the order in which they ended.

    ``layer`` is its number among :func:`layers`, ``arguments`` are its positional and
    keyword arguments and ``output`` what it gave, with NumPy's arrays for tensors.
    """

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
    """A model's layers as its author made them, with their names: no parts of Keras's own.

    A layer of a functional or Sequential model goes by its own name (``conv2d_1`` is the
    second convolution without one), one of a class by the attribute that holds it
    (``block.conv``).
    """
    return list(_layers(model, "", set()))


def _layers(owner: Any, prefix: str, seen: Set[int]) -> Iterator[NamedLayer]:
    for name, layer in _parts(owner):
        if id(layer) in seen or type(layer).__name__ == "InputLayer":
            continue
        seen.add(id(layer))
        full = f"{prefix}{name}"
        inside = list(_layers(layer, f"{full}.", seen)) if is_composite(layer) else []
        yield from inside
        if not inside:
            yield NamedLayer(full, layer, owner)


def is_composite(layer: Layer) -> bool:
    """Whether a layer is made of others by its author, and not by Keras."""
    import keras  # type: ignore[import-untyped]

    own = not type(layer).__module__.startswith("keras.")
    return own or isinstance(layer, keras.Model)


def _parts(owner: Any) -> List[Tuple[str, Layer]]:
    if type(owner).__module__.startswith("keras."):
        return list(_numbered(getattr(owner, "operations", None) or owner._layers))
    named: Dict[int, str] = {id(value): name for name, value in _attributes(owner)}
    return [(named.get(id(each)) or str(each.name), each) for each in owner._layers]


def _numbered(operations: Sequence[Layer]) -> Iterator[Tuple[str, Layer]]:
    """Layers with their names; those that Keras made up are counted in this model alone.

    Keras counts the layers of a process: ``conv2d_7`` is another one in the next.
    """
    counts: Dict[str, int] = {}
    for each in operations:
        name = re.sub(r"_\d+$", "", str(each.name))
        if name.replace("_", "") != type(each).__name__.lower():
            yield str(each.name), each
            continue
        count = counts[name] = counts.get(name, -1) + 1
        yield (f"{name}_{count}" if count else name), each


def _attributes(owner: Any) -> Iterator[Tuple[str, Any]]:
    """What an object holds by a name that its author gave; under torch in ``_modules``."""
    held = vars(owner)
    for name, value in {**held, **held.get("_modules", {})}.items():
        if name.startswith("_"):
            continue
        yield name, value
        for key, each in _items(value):
            yield f"{name}.{key}", each


def _items(value: Any) -> Iterator[Tuple[Any, Any]]:
    if isinstance(value, (list, tuple)):
        yield from enumerate(value)
    elif isinstance(value, Mapping):
        yield from value.items()


def record_layer_calls(
    model: Any, arguments: Sequence[Any], keywords: Mapping[str, Any]
) -> List[LayerCall]:
    """The calls of a model's layers while it predicts; those without arrays are left out."""
    numbers = {id(part.layer): (n, part.name) for n, part in enumerate(named_layers(model))}
    steps: List[LayerCall] = []

    def see(layer: Layer, args: Tuple[Any, ...], kwargs: Dict[str, Any], output: Any) -> None:
        if id(layer) not in numbers:
            return
        given = to_numpy((args, kwargs))
        found = to_numpy(output)
        if _is_tellable(given) and _is_tellable(found):
            steps.append(LayerCall(*numbers[id(layer)], given, found))

    with _seeing(see):
        predict(model, arguments, keywords)
    return steps


def _is_tellable(value: Any) -> bool:
    try:
        serialize(value, [])
    except NotSerializable:
        return False
    return True


@contextmanager
def _seeing(see: Callable[..., None]) -> Generator[None, None, None]:
    """Tell of each call of a layer or operation once it has ended."""
    import keras

    kind: Any = keras.Operation
    original = kind.__call__

    def called(self: Any, *args: Any, **kwargs: Any) -> Any:
        output = original(self, *args, **kwargs)
        see(self, args, kwargs, output)
        return output

    kind.__call__ = called
    try:
        yield
    finally:
        kind.__call__ = original


def replay_layer(model: Any, number: int, given: Any, dtype: str) -> Any:
    """What one layer of a model gives for such arguments, as arrays."""
    import keras

    layer = named_layers(model)[number].layer
    arguments, keywords = of_inputs(given, dtype)
    keras.utils.set_random_seed(0)
    return to_numpy(layer(*arguments, **evaluating(layer, keywords)))
