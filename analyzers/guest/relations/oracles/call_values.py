"""Values inside arguments: walked, and with other arrays in their places."""

from __future__ import annotations

from typing import Any, Callable, Iterator

from ..relation_types import LiveCall

DEEPEST = 6
_FLOATS = ("float16", "bfloat16", "float32", "float8_e4m3fn", "float8_e5m2")
_COMPLEX = ("complex32", "complex64")


def leaves(value: Any, depth: int = DEEPEST) -> Iterator[Any]:
    """Yield the values in containers, and the value itself where it is none."""
    if depth and isinstance(value, (list, tuple)):
        for item in value:
            yield from leaves(item, depth - 1)
    elif depth and isinstance(value, dict):
        for item in value.values():
            yield from leaves(item, depth - 1)
    else:
        yield value


def mapped(value: Any, change: Callable[[Any], Any], depth: int = DEEPEST) -> Any:
    """Return the same containers with each leaf changed."""
    if depth and isinstance(value, (list, tuple)):
        items = [mapped(item, change, depth - 1) for item in value]
        if hasattr(value, "_fields"):
            return type(value)(*items)
        if all(new is old for new, old in zip(items, value)):
            return value
        return list(items) if isinstance(value, list) else tuple(items)
    if depth and type(value) is dict:
        return {key: mapped(item, change, depth - 1) for key, item in value.items()}
    return change(value)


def changed(live: LiveCall, change: Callable[[Any], Any]) -> LiveCall:
    """Return the same call with each leaf of its arguments changed."""
    inputs = None if live.inputs is None else [mapped(item, change) for item in live.inputs]
    return LiveCall(
        live.api,
        live.function,
        [mapped(item, change) for item in live.arguments],
        {name: mapped(item, change) for name, item in live.keywords.items()},
        inputs,
    )


def operands(live: LiveCall) -> Iterator[Any]:
    """Yield the leaves of all that a call is given."""
    given: dict[str, Any] = live.keywords
    yield from leaves(live.arguments)
    yield from leaves(list(given.values()))
    yield from leaves(live.inputs or [])


def doubled(value: Any) -> Any:
    """Return a leaf (array or dtype) in double precision; raises what the library raises."""
    if _dtype_name(value) in _FLOATS:
        return _of_dtype(value, "float64")
    if _dtype_name(value) in _COMPLEX:
        return _of_dtype(value, "complex128")
    return _wide_dtype(value)


def _dtype_name(value: Any) -> str:
    if isinstance(value, type):
        return ""
    dtype = getattr(value, "dtype", None)
    return str(dtype).rsplit(".", 1)[-1] if dtype is not None else ""


def _of_dtype(array: Any, name: str) -> Any:
    if hasattr(array, "detach"):
        import torch

        return array.to(getattr(torch, name))
    return array.astype(name)


def _wide_dtype(value: Any) -> Any:
    """Return ``torch.float64`` for ``torch.float32``, NumPy's scalar types likewise."""
    text = str(value) if type(value).__module__ in ("torch", "numpy") else ""
    name = text.rsplit(".", 1)[-1]
    if type(value).__name__ != "dtype" or name not in (*_FLOATS, *_COMPLEX):
        return value
    import torch

    return torch.complex128 if name in _COMPLEX else torch.float64


_WRITING = "torch.nn.init."


def writes(api: str) -> bool:
    """Return whether an API changes its first argument, as torch names those that do."""
    return api.startswith(_WRITING) or (api.endswith("_") and not api.endswith("__"))


def overlaps(value: Any) -> bool:
    """Return whether elements of a tensor share a place in memory."""
    stride: Any = getattr(value, "stride", None)
    if not callable(stride):
        return False
    try:
        strides: Any = stride()
        places = zip(value.shape, strides)
    except Exception:
        return False
    return any(size > 1 and step == 0 for size, step in places)


def may_write(live: LiveCall, value: Any) -> bool:
    """Return whether a call that writes can give a value: of its subject's shape and dtype."""
    subject = live.arguments[0] if live.arguments else None
    if overlaps(subject):
        return False
    return bool(_form(subject) == _form(value))


def _form(value: Any) -> Any:
    """Return dtype and shape; a nested tensor has none, and raises when it is asked."""
    try:
        return getattr(value, "dtype", None), getattr(value, "shape", None)
    except RuntimeError:
        return None


def dtypes_of(live: LiveCall) -> list[str]:
    """Return the different dtypes of the arrays that a call is given."""
    found = {str(leaf.dtype) for leaf in operands(live) if hasattr(leaf, "dtype")}
    return sorted(found)
