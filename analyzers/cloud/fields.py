"""The names of fields in answers: code asks for them as often as for what they hold."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator, Mapping, Sequence

from analyzers import catalogue
from analyzers.catalogue import Api
from analyzers.catalogue.places import forgotten_by
from analyzers.vocabulary import Json

FAILURES = frozenset({"error", "errors", "message", "code", "status", "statuscode"})
"""What services call the fields in which they say that they failed."""
_CAMEL = re.compile(r"[a-z]+([A-Z][a-z]+)+")
_ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def is_field(api: Api, text: str) -> bool:
    """Whether a text names a field of a provider's answers, as any of its SDKs spells it."""
    name = _plain(text)
    is_camel = _CAMEL.fullmatch(text) is not None
    return is_camel or name in FAILURES or name in _fields(api.provider)


@functools.cache
def _fields(provider: str) -> frozenset[str]:
    known = catalogue.load()
    own = [name for name, api in known.apis.items() if api.provider == provider]
    return frozenset(_plain(field) for api in own for field in _names(known.ordinary.get(api)))


def decided_by_words(condition: str) -> bool:
    """Whether a condition needs nothing but words: no number, nothing else besides."""
    try:
        tree = ast.parse(condition.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return not any(isinstance(node, (ast.And, *_ORDER)) for node in ast.walk(tree))


forgotten_by(_fields.cache_clear)


def _names(value: Json) -> Iterator[str]:
    if isinstance(value, Mapping):
        yield from value
        for inner in value.values():
            yield from _names(inner)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for inner in value:
            yield from _names(inner)


def _plain(name: str) -> str:
    return name.replace("_", "").casefold()
