"""A Keras model as its configuration and weights, and the model that they make again.

Sequential and functional models of Keras's own layers are whole in their
configuration.  Layers and models of the project go by the arguments that Keras
has recorded of them (``get_config``), and need the module that defines them.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import re
import sys
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple
from weakref import WeakKeyDictionary

from ..model_types import ModelUnderTest, Unsupported
from .array_frames import as_array

_PLAIN = (str, int, float, bool, type(None))
_OF_KERAS = ("name", "dtype", "trainable")
_MADE: WeakKeyDictionary[Any, Tuple[Tuple[Any, ...], Dict[str, Any]]] = WeakKeyDictionary()


def record_constructor_arguments() -> None:
    """Keep what models are made with from here on, where Keras is loaded."""
    kind: Any = getattr(sys.modules.get("keras"), "Model", None)
    if not isinstance(kind, type) or hasattr(kind.__new__, "__wrapped__"):
        return
    original: Any = kind.__new__

    @functools.wraps(original)
    def made(cls: Any, *args: Any, **kwargs: Any) -> Any:
        instance = original(cls, *args, **kwargs)
        if not cls.__module__.startswith("keras."):
            _MADE[instance] = args, kwargs
        return instance

    setattr(kind, "__new__", staticmethod(made))  # noqa: B010 - a class that is not known here


def constructor_arguments(model: Any) -> Optional[Dict[str, Any]]:
    """Return a model's recorded arguments by name, or ``None``; raises :class:`Unsupported`."""
    found = _MADE.get(model)
    kinds = type(model).__mro__
    owner = next((each for each in kinds if "get_config" in vars(each)), type(model))
    if found is None or not owner.__module__.startswith("keras."):
        return None
    args, kwargs = found
    bound = inspect.signature(type(model)).bind(*args, **kwargs)
    bound.apply_defaults()
    named: Dict[str, Any] = {}
    for parameter in bound.signature.parameters.values():
        value = bound.arguments[parameter.name]
        if parameter.kind is parameter.VAR_KEYWORD:
            named.update(value)
        elif parameter.kind is not parameter.VAR_POSITIONAL:
            named[parameter.name] = value
        elif value:
            raise Unsupported("it is made with arguments that have no names")
    for name, value in named.items():
        if name not in _OF_KERAS and not _is_plain(value):
            raise Unsupported(f"it is made with {name}, a {type(value).__name__}")
    return {name: value for name, value in named.items() if name not in _OF_KERAS}


def _is_plain(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(map(_is_plain, value))
    return isinstance(value, _PLAIN)


_LONGEST = 300
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_AROUND = ("Exception encountered when calling", "Arguments received by")


def keras_error_summary(error: BaseException) -> str:
    """Return the first line that is about the error itself, not about the layer around it."""
    lines = [line.strip() for line in _COLOURS.sub("", str(error)).splitlines()]
    telling = [line for line in lines if line and not line.startswith(_AROUND)]
    return (telling[0] if telling else "")[:_LONGEST]


MOST_MODELS = 4
"""How many models a child keeps; both sides forget the oldest alike."""

FRAMEWORKS = ("torch", "jax", "tensorflow")
FLOATING = ("float16", "bfloat16", "float32", "float64", "mixed_float16", "mixed_bfloat16")


@dataclass(frozen=True)
class SerializedModel:
    """A model to be made again: its JSON ``config``, defining ``modules`` and weights in order."""

    config: Mapping[str, Any]
    modules: Tuple[str, ...]
    weights: Tuple[Any, ...]


def serialize_model(model: ModelUnderTest) -> SerializedModel:
    """Return what makes a model again elsewhere; raises :class:`Unsupported` where nothing does."""
    import keras  # type: ignore[import-untyped]

    kinds = custom_classes(model.module)
    modules = tuple(dict.fromkeys(kind.__module__ for kind in kinds))
    for name in modules:
        _check_portable(name)
    try:
        config: Any = keras.saving.serialize_keras_object(model.module)
        config.pop("compile_config", None)
        config["config"] = {**config["config"], **(constructor_arguments(model.module) or {})}
        config = _accepted(config, {kind.__name__: kind for kind in kinds})
        weights = tuple(weights_of(model.module))
    except Unsupported:
        raise
    except Exception as error:
        raise Unsupported(
            f"the model has no configuration: {type(error).__name__}: {keras_error_summary(error)}"
        ) from error
    return SerializedModel(config, modules, weights)


def custom_classes(model: Any) -> Tuple[type, ...]:
    """Return the classes of a model and its layers that are not Keras's."""
    parts = (model, *model._flatten_layers(include_self=False))
    found = dict.fromkeys(type(each) for each in parts)
    return tuple(kind for kind in found if kind.__module__.partition(".")[0] != "keras")


def _accepted(config: Any, kinds: Mapping[str, type]) -> Any:
    """Return a configuration without what Keras adds and an author's constructor does not take."""
    if isinstance(config, (list, tuple)):
        return [_accepted(item, kinds) for item in config]
    if not isinstance(config, Mapping):
        return config
    found = {key: _accepted(value, kinds) for key, value in config.items()}
    kind = kinds.get(found.get("class_name", ""))
    if kind is None or not isinstance(found.get("config"), dict):
        return found
    takes = inspect.signature(inspect.getattr_static(kind, "__init__")).parameters
    if any(each.kind is each.VAR_KEYWORD for each in takes.values()):
        return found
    return {**found, "config": {k: v for k, v in found["config"].items() if k in takes}}


def _check_portable(name: str) -> None:
    module = sys.modules.get(name)
    if name == "__main__" or module is None:
        raise Unsupported(f"its classes are of {name}, which cannot be imported elsewhere")
    own = {value.__name__ for value in vars(module).values() if isinstance(value, ModuleType)}
    one = sorted({each.partition(".")[0] for each in own} & set(FRAMEWORKS))
    if one:
        raise Unsupported(f"{name} calls {one[0]} itself, and is for that backend alone")


Arguments = Tuple[Sequence[Any], Mapping[str, Any]]


def deserialize_model(given: SerializedModel, arguments: Optional[Arguments]) -> Any:
    """Return the model, called once where unbuilt; raises ``ValueError`` for other weights."""
    import keras

    custom = {
        key: value
        for name in given.modules
        for key, value in vars(importlib.import_module(name)).items()
        if isinstance(value, type) and value.__module__ == name
    }
    with keras.saving.custom_object_scope(custom):
        model = keras.saving.deserialize_keras_object(dict(given.config), safe_mode=False)
    if arguments is None:
        return model
    if not model.built or len(model.weights) != len(given.weights):
        model(*arguments[0], **arguments[1])
    set_weights(model, given.weights)
    return model


def set_weights(model: Any, weights: Sequence[Any]) -> None:
    """Give a model its weights; raises ``ValueError`` where it has others."""
    shapes = [tuple(weight.shape) for weight in model.weights]
    if shapes != [tuple(weight.shape) for weight in weights]:
        raise ValueError(f"it has weights of {shapes}, not those of the model")
    for variable, weight in zip(model.weights, weights):
        variable.assign(weight)


def of_dtype(config: Any, dtype: str) -> Any:
    """Return a configuration whose floating layers compute in, and are stored as, another dtype."""
    if isinstance(config, Mapping):
        return {key: _of_dtype(key, value, dtype) for key, value in config.items()}
    if isinstance(config, (list, tuple)):
        return [of_dtype(item, dtype) for item in config]
    return config


def _of_dtype(key: str, value: Any, dtype: str) -> Any:
    if key == "dtype" and isinstance(value, str):
        return dtype if value in FLOATING else value
    if key == "dtype" and isinstance(value, Mapping):
        name = value.get("config", {}).get("name")
        if value.get("class_name") != "DTypePolicy" or name not in FLOATING:
            raise Unsupported(f"a dtype policy {name or value.get('class_name')} is not changed")
        return {**value, "config": {**value["config"], "name": dtype}}
    return of_dtype(value, dtype)


def weights_of(model: Any) -> List[Any]:
    """Return a model's weights as arrays."""
    return [as_array(weight.numpy()) for weight in model.weights]
