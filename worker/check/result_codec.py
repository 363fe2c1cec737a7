"""JSON of what is known of an examined target, and back.

Objects of the vocabulary are written with the name of their class, and nothing else can be made
from a text: what is read back is data, whoever wrote it.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from inspect import getmembers, isclass
from typing import Any

from analyzers import vocabulary
from analyzers.vocabulary import Coverage, TargetCounters, Verdict

SCHEMA = "assayer-result/1"


@dataclass(frozen=True, slots=True)
class TargetResult:
    """The result of examining one target: its verdicts in order, counters, coverage and notes.

    ``allotted`` are the seconds that it might have taken, ``seconds`` those that it took.
    """

    verdicts: tuple[Verdict, ...]
    counters: TargetCounters
    coverage: Coverage
    notes: tuple[str, ...]
    allotted: float
    seconds: float


_CLASSES: dict[str, Any] = {
    "TargetResult": TargetResult,
    **{
        name: each
        for name, each in getmembers(vocabulary, isclass)
        if is_dataclass(each) or issubclass(each, Enum)
    },
}


def to_text(result: TargetResult) -> bytes:
    """Return a result as text; raise ``TypeError`` for what no text can hold."""
    return json.dumps({"schema": SCHEMA, "result": _packed(result)}).encode("ascii")


def from_text(text: bytes) -> TargetResult:
    """Return the result in a text; raise ``ValueError`` where there is none."""
    try:
        document = json.loads(text)
        result = _unpacked(document["result"])
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError("the text holds no result") from error
    if document["schema"] != SCHEMA or not isinstance(result, TargetResult):
        raise ValueError("the text holds something else")
    return result


def _packed(value: Any) -> Any:
    if isinstance(value, Enum):
        return {"enum": type(value).__name__, "of": value.value}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, bytes):
        return {"bytes": base64.b64encode(value).decode("ascii")}
    if isinstance(value, tuple | list | AbstractSet):
        kind = "tuple" if isinstance(value, tuple) else "list"
        kind = "set" if isinstance(value, AbstractSet) else kind
        return {kind: [_packed(each) for each in value]}
    if isinstance(value, Mapping):
        return {"map": [[_packed(key), _packed(each)] for key, each in value.items()]}
    name = type(value).__name__
    if _CLASSES.get(name) is not type(value):
        raise TypeError(f"a {name} is no part of a result")
    given = {each.name: getattr(value, each.name) for each in fields(value) if each.init}
    return {"class": name, "fields": {key: _packed(each) for key, each in given.items()}}


def _unpacked(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    if "class" in value:
        given = {name: _unpacked(each) for name, each in value["fields"].items()}
        return _CLASSES[value["class"]](**given)
    if "enum" in value:
        return _CLASSES[value["enum"]](value["of"])
    ((kind, content),) = value.items()
    return _READERS[kind](content)


_READERS: Mapping[str, Callable[[Any], Any]] = {
    "bytes": base64.b64decode,
    "tuple": lambda content: tuple(map(_unpacked, content)),
    "list": lambda content: list(map(_unpacked, content)),
    "set": lambda content: frozenset(map(_unpacked, content)),
    "map": lambda content: {_unpacked(key): _unpacked(each) for key, each in content},
}
