"""What a guest may say while it studies a library (``docs/guest-protocol.md``)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from analyzers.relations import rows
from analyzers.relations.library_names import (
    harmless,
    harmless_template,
    harmless_words,
    is_line,
)
from analyzers.vocabulary import JsonObject
from worker.relations.nouns import Event, Heard, Order, Studied
from worker.sandbox.said import short
from worker.sandbox.shapes import BadFrame, Checker, boolean, count, json_object, many, record, text

MOST_ROWS = 100_000
MOST_NOTES = 1_000
LONGEST_NAME = 300
LONGEST_NOTE = 2_000
LONGEST_RECALL = 2_000
_NAME = short(LONGEST_NAME)
_PROGRESS = record(
    type=text, stage=_NAME, done=count, total=count, rows=many(json_object, MOST_ROWS)
)
_STUDIED = record(
    frozenset({"complete"}),
    type=text,
    version=_NAME,
    notes=many(short(LONGEST_NOTE), MOST_NOTES),
    complete=boolean,
)
_CHECKED = record(kind=text, stage=_NAME, name=_NAME)
_Read = Callable[[JsonObject, str], object]
_TOLD: Mapping[str, _Read] = {
    "api": rows.known,
    "relation": rows.equivalence,
    "divergence": rows.divergence,
}
_TASKS: Mapping[str, frozenset[str]] = {
    "relations": frozenset({"api", "relation", "checked", "recall"}),
    "divergences": frozenset({"api", "divergence", "checked", "recall"}),
}


def heard(message: Mapping[str, Any], order: Order) -> Event:
    """What a guest has said of an order; raises ``BadFrame``.

    Rows of calls that do more than compute are left out: people run what they say.
    """
    match message.get("type"):
        case "progress":
            _check(_PROGRESS, message)
            for row in message["rows"]:
                _check_row(row, order)
            told = (message["stage"], message["done"], message["total"])
            return Heard(*told, tuple(filter(_is_harmless, message["rows"])))
        case "studied":
            _check(_STUDIED, message)
            if message["version"] != order.version:
                raise BadFrame(f"studied {message['version']!r:.80}, not {order.version}")
            complete = message.get("complete", True)
            return Studied(message["version"], tuple(message["notes"]), complete)
        case kind:
            raise BadFrame(f"is of an unknown type: {kind!r:.80}")


def _check(checker: Checker, message: Mapping[str, Any]) -> None:
    try:
        checker(message)
    except BadFrame as error:
        raise BadFrame(f"{message['type']}: {error}") from None


def _check_row(row: Mapping[str, Any], order: Order) -> None:
    kind = row.get("kind")
    if type(kind) is not str or kind not in _TASKS[order.task]:
        raise BadFrame(f"a row of an unknown kind: {kind!r:.80}")
    if kind == "checked":
        _CHECKED(row)
    if kind == "recall" and len(json.dumps(row)) > LONGEST_RECALL:
        raise BadFrame(f"recall: is longer than {LONGEST_RECALL}")
    if kind in _TOLD:
        try:
            _TOLD[kind]({name: item for name, item in row.items() if name != "kind"}, order.library)
        except rows.BadRow as error:
            raise BadFrame(f"{kind}: {error}") from None
    if not all(is_line(str(row.get(name, "f()"))) for name in ("template", "call")):
        raise BadFrame(f"{kind}: holds a call that is more than one line")


def _is_harmless(row: Mapping[str, Any]) -> bool:
    match row["kind"]:
        case "relation":
            return harmless_template(row["template"])
        case "divergence":
            return harmless(row["call"]) and harmless_words(row["related"])
        case _:
            return True
