"""Names of fields: as the schema writes them, and as REST does."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import Any, Tuple

_HUMP = re.compile(r"(?<=[a-z0-9])([A-Z])")


@functools.cache
def camel(name: str) -> str:
    """``label_annotations`` as REST writes it: ``labelAnnotations``."""
    first, *rest = name.rstrip("_").split("_")
    return first + "".join(part[:1].upper() + part[1:] for part in rest)


def snake(name: str) -> str:
    """``labelAnnotations`` as the schema writes it: ``label_annotations``."""
    return _HUMP.sub(lambda hump: "_" + hump.group(1).lower(), name)


def snaked(value: Any) -> Any:
    """A REST body with every key in snake case."""
    if isinstance(value, Mapping):
        return {snake(str(key)): snaked(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [snaked(item) for item in value]
    return value


def read(value: Any, name: str) -> Any:
    """A field of a mapping or object, under any of its spellings, or ``None``."""
    if value is None:
        return None
    kind: Any = type(value)
    if _is_mapping(kind):
        return next((value[spelling] for spelling in _spellings(name) if spelling in value), None)
    for spelling in _spellings(name):
        found = getattr(value, spelling, None)
        if found is not None:
            return found
    return None


@functools.cache
def _spellings(name: str) -> Tuple[str, ...]:
    return tuple(dict.fromkeys((name, name + "_", camel(name))))


@functools.lru_cache(maxsize=1024)
def _is_mapping(kind: type) -> bool:
    return issubclass(kind, Mapping)
