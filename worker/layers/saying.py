"""What a guest says of layers, checked: it is data that files and checks will rest on."""

from __future__ import annotations

import ast
import sys
from collections.abc import Mapping
from typing import Any

from analyzers.vocabulary import JsonObject
from worker.sandbox.protocol.frame_shapes import (
    BadFrame,
    Checker,
    boolean,
    count,
    json_object,
    many,
    record,
    short,
    text,
)

MOST_LAYERS = 2_000
MOST_ITEMS = 100
LONGEST = 1_000
LARGEST = sys.float_info.max
_SHORT = short(LONGEST)
_TEXTS = many(_SHORT, MOST_ITEMS)


def _number(value: object) -> None:
    if type(value) not in (int, float) or not abs(value) <= LARGEST:  # type: ignore[arg-type]
        raise BadFrame("is no number")


_EDGE = record(value=_SHORT, refused=_SHORT, consequence=_SHORT)
_PARAMETER: dict[str, Checker] = {
    "name": _SHORT,
    "kinds": _TEXTS,
    "default": _SHORT,
    "low": _number,
    "high": _number,
    "open_low": boolean,
    "open_high": boolean,
    "choices": _TEXTS,
    "length": count,
    "said_by": _SHORT,
    "quote": _SHORT,
    "checked": boolean,
    "consequence": _SHORT,
    "edges": many(_EDGE, MOST_ITEMS),
    "tied": boolean,
}
_LAYER = record(
    name=_SHORT,
    describes=_SHORT,
    container=boolean,
    keeps_shape=boolean,
    example=_SHORT,
    inputs=_TEXTS,
    requires=_TEXTS,
    parameters=many(json_object, MOST_ITEMS),
)
_PROGRESS = record(type=text, done=count, total=count, rows=many(json_object, MOST_LAYERS))
_SURVEYED = record(type=text, version=_SHORT, trials=count, seconds=_number)


def progress(message: Mapping[str, Any]) -> list[JsonObject]:
    """The layers that a ``progress`` frame tells of; raises ``BadFrame``."""
    if message.get("type") != "progress":
        raise BadFrame(f"is of an unknown type: {message.get('type')!r:.80}")
    _PROGRESS(message)
    rows: list[JsonObject] = message["rows"]
    for row in rows:
        _check(row)
    return rows


def surveyed(message: Mapping[str, Any]) -> None:
    """Raise ``BadFrame`` where the end of a survey is none."""
    _SURVEYED(message)


def _check(row: Mapping[str, Any]) -> None:
    _LAYER(row)
    for parameter in row["parameters"]:
        for name, value in parameter.items():
            if name not in _PARAMETER:
                raise BadFrame(f"a parameter with an unknown field {name!r:.80}")
            _PARAMETER[name](value)
        if not {"name", "kinds"} <= set(parameter):
            raise BadFrame("a parameter without name or kinds")
    for source in (row["example"], *row["inputs"], *row["requires"]):
        _source(source)


def _source(source: str) -> None:
    """Expect an expression, or nothing: it is only ever read here, never run."""
    try:
        ast.parse(source or "None", mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise BadFrame(f"holds what is no expression: {source!r:.80}") from error
