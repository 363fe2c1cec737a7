"""Values in a call, in the words of aN, and as recipes that make them again."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

from analyzers.guest.annotations.syntax import render

from ..constraints.constraint_builders import array_text, parse_constraint
from ..facts import all_known
from ..shape_interpreter.abstract_values import (
    LayerChain,
    LibraryLayer,
    LibraryName,
    OneOf,
    ProjectClass,
    ProjectFunction,
    ProjectInstance,
    Tensor,
    TensorElements,
)

_LONGEST = 2000
_MOST_ITEMS = 64
_LIBRARIES = ("torch", "numpy", "jax", "keras")
_MAKERS = {"tensors": "tensor", "np_arrays": "array", "jax_arrays": "jax_array"}


def constraint_text(value: Any) -> Any:
    """A constraint that says what a value is; ``None`` where that is not known."""
    if isinstance(value, Tensor):
        dims, elements = value.shape.dims or (), value.elements
        if value.shape.dims is None or not all(isinstance(each, int) for each in dims):
            return None
        more: dict[str, object] = {"dtype": elements.dtype}
        if isinstance(elements.low, int | float) and isinstance(elements.high, int | float):
            floating = elements.dtype is not None and elements.dtype.startswith(("float", "bfloat"))
            if not (floating and elements.low == elements.high):
                more |= {"min": elements.low, "max": elements.high}
        return parse_constraint(array_text(value.kind, [str(each) for each in dims], more))
    if isinstance(value, OneOf) or _is_plain(value):
        text = repr(list(value.values) if isinstance(value, OneOf) else [value])
        return parse_constraint(f"froms({text})") if len(text) <= 502 else None
    if isinstance(value, list | tuple) and value and len(value) <= 8:
        inner = all_known(map(constraint_text, value))
        texts = [render(each) for each in inner or ()]
        if isinstance(value, tuple) and texts:
            return parse_constraint(f"tuples({', '.join(texts)})")
        if len(set(texts)) == 1:
            return parse_constraint(
                f"lists({texts[0]}, min_len={len(texts)}, max_len={len(texts)})"
            )
    return None


def _is_plain(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, list | tuple):
        return type(value) in (list, tuple) and all(_is_plain(each) for each in value)
    if isinstance(value, dict):
        return all(isinstance(k, str | int) and _is_plain(each) for k, each in value.items())
    return value is None or isinstance(value, bool | int | str)


def recipe_text(value: Any, path: str) -> str | None:
    """An expression of our makers that makes such a value; ``None`` where too little is known.

    ``path`` is the file whose own classes may be called in it.  Floats of an
    array of which nothing is said are drawn from 0 to 1; whole numbers are
    written, or drawn where their bounds are known.
    """
    found = _recipe(value, path)
    return found if found is not None and len(found) <= _LONGEST else None


def _recipe(value: Any, path: str) -> str | None:
    named = _of_project_or_library(value, path)
    if named is not None:
        return named
    if isinstance(value, Tensor):
        return _made(value)
    if type(value) is dict:
        pairs = [(_recipe(key, path), _recipe(each, path)) for key, each in value.items()]
        if any(key is None or each is None for key, each in pairs):
            return None
        return "{" + ", ".join(f"{key}: {each}" for key, each in pairs) + "}"
    if type(value) in (list, tuple) and len(value) <= _MOST_ITEMS:
        return _display(value, path)
    return repr(value) if _is_plain(value) and type(value) in _PLAIN else None


def _of_project_or_library(value: Any, path: str) -> str | None:
    if isinstance(value, ProjectInstance):
        return _constructed(value, path)
    if isinstance(value, ProjectClass | ProjectFunction):
        return _named(value, path)
    if isinstance(value, LibraryName | LibraryLayer | LayerChain):
        return _of_library(value, path)
    return None


_PLAIN = (bool, int, float, str, type(None))


def _display(value: Sequence[Any], path: str) -> str | None:
    known = all_known(_recipe(each, path) for each in value)
    if known is None:
        return None
    if isinstance(value, list):
        return f"[{', '.join(known)}]"
    return f"({', '.join(known)}{',' if len(known) == 1 else ''})"


def _constructed(value: ProjectInstance, path: str) -> str | None:
    named = None if value.given is None else _named(value.of, path)
    if value.given is None or named is None:
        return None
    return _call(named, *value.given, path)


def _call(named: str, args: Sequence[Any], kwargs: Mapping[str, Any], path: str) -> str | None:
    """Return a call of a name, or of what ``imported(…)`` gives."""
    placed = [_recipe(each, path) for each in args]
    words = {name: _recipe(each, path) for name, each in kwargs.items()}
    if None in placed or None in words.values():
        return None
    inside = [*(each or "" for each in placed), *(f"{n}={text}" for n, text in words.items())]
    if named.startswith("imported("):
        module = named.removeprefix("imported(").removesuffix(")")
        return f"constructed({', '.join([module, *inside])})"
    return f"{named}({', '.join(inside)})"


def _named(value: ProjectClass | ProjectFunction, path: str) -> str | None:
    """Return the name of what a file defines at its top, which is imported from another file."""
    home, name = value.module.path, value.name
    bound = isinstance(value, ProjectFunction) and value.bound is not None
    if bound or value.module.names.get(name) is not value.node:
        return None
    if home == path:
        return name
    return f"imported({home!r}, {name!r})" if home.endswith(".py") else None


def _of_library(value: LibraryName | LibraryLayer | LayerChain, path: str) -> str | None:
    """Return a library's object, or a layer with the arguments that it was given."""
    if isinstance(value, LayerChain):
        return _call("imported('torch.nn', 'Sequential')", value, {}, path)
    if isinstance(value, LibraryLayer):
        named = f"imported('torch.nn', {value.name!r})"
        known = "." not in value.name and value.given is not None
        return _call(named, *value.given, path) if known and value.given else None
    module, _, name = value.name.rpartition(".")
    if not module or module.partition(".")[0] not in _LIBRARIES:
        return None
    return f"imported({module!r}, {name!r})"


def _made(value: Tensor) -> str | None:
    dims, elements = value.shape.dims, value.elements
    if dims is None or not all(type(each) is int for each in dims) or elements.dtype is None:
        return None
    numbers = _numbers(tuple(dims), elements)
    start = f"{_MAKERS[value.kind]}({tuple(dims)!r}, dtype={elements.dtype!r}"
    return None if numbers is None else f"{start}{numbers})"


def _numbers(dims: tuple[Any, ...], elements: TensorElements) -> str | None:
    low, high = elements.low, elements.high
    known = isinstance(low, int | float) and isinstance(high, int | float)
    if elements.written is not None and elements.written[0] == dims:
        places = itertools.product(*map(range, dims))
        return f", at={dict(zip(places, elements.written[1], strict=True))!r}"
    if known and low == high:
        return f", fill={low!r}"
    if known:
        return f", seed=0, low={low!r}, high={high!r}"
    named = str(elements.dtype)
    return ", seed=0" if named.startswith(("float", "bfloat", "bool")) else None
