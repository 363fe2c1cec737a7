"""What a project's subclassed models of Keras are made with, which Keras forgets.

``keras.Model.__new__`` keeps no arguments, so that the configuration of a model without a
``get_config`` of its own has its constructor's defaults, whatever it was made with.
"""

from __future__ import annotations

import functools
import inspect
import sys
from typing import Any, Dict, Optional, Tuple
from weakref import WeakKeyDictionary

from ..model_types import Unsupported

_PLAIN = (str, int, float, bool, type(None))
_OF_KERAS = ("name", "dtype", "trainable")
_MADE: WeakKeyDictionary[Any, Tuple[Tuple[Any, ...], Dict[str, Any]]] = WeakKeyDictionary()


def record_constructor_arguments() -> None:
    """Keep what models are made with from here on, where Keras is loaded."""
    kind = getattr(sys.modules.get("keras"), "Model", None)
    if isinstance(kind, type) and not hasattr(kind.__new__, "__wrapped__"):
        _watch(kind)


def _watch(kind: Any) -> None:
    original = kind.__new__

    @functools.wraps(original)
    def made(cls: Any, *args: Any, **kwargs: Any) -> Any:
        instance = original(cls, *args, **kwargs)
        if not cls.__module__.startswith("keras."):
            _MADE[instance] = args, kwargs
        return instance

    kind.__new__ = staticmethod(made)


def constructor_arguments(model: Any) -> Optional[Dict[str, Any]]:
    """The arguments that a model was made with, by name, defaults included.

    ``None`` for one that says so itself, or was made before anybody looked.  Raises
    :class:`Unsupported` for arguments that a configuration does not hold.
    """
    found = _MADE.get(model)
    if found is None or _configures(type(model)):
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


def _configures(kind: type) -> bool:
    """Whether a class has a configuration of its own."""
    owner = next((each for each in kind.__mro__ if "get_config" in vars(each)), kind)
    return not owner.__module__.startswith("keras.")


def _is_plain(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(map(_is_plain, value))
    return isinstance(value, _PLAIN)
