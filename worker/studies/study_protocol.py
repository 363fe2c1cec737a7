"""Frames that a guest may send while it studies a library (``docs/guest-protocol.md``)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta

from analyzers.relations import table_rows
from analyzers.relations.library_names import (
    harmless,
    harmless_template,
    harmless_words,
    is_line,
)
from analyzers.vocabulary import JsonObject
from worker.sandbox.protocol.frame_shapes import (
    BadFrame,
    Count,
    Frame,
    JsonData,
    Note,
    checked,
)

Task: TypeAlias = Literal["relations", "divergences"]


@dataclass(frozen=True, slots=True)
class StudyRequest:
    """The subject of a study.

    ``inputs`` are compared for a pair, or fuzzed for an API; ``seconds`` bounds the whole.
    """

    library: str
    version: str
    task: Task
    apis: tuple[str, ...] = ()
    inputs: int = 100
    seconds: float = 900.0
    seed: int = 0
    workers: int = 2
    oracles: tuple[str, ...] = ()
    relations: tuple[JsonObject, ...] = ()

    def frame(self, seconds: float, done: Mapping[str, list[str]]) -> dict[str, Any]:
        """Return what the guest is sent, with the time that is left and what is done already."""
        return {
            "type": "study",
            "library": self.library,
            "task": self.task,
            "apis": list(self.apis) or None,
            "relations": list(self.relations),
            "done": dict(done),
            "inputs": self.inputs,
            "seconds": seconds,
            "seed": self.seed,
            "workers": self.workers,
            "oracles": list(self.oracles) or None,
        }

    @property
    def digest(self) -> str:
        """Equal for orders whose rows may stand together."""
        said = [self.library, self.version, self.task, self.apis, self.inputs, self.seed]
        text = json.dumps([*said, self.oracles, self.relations])
        return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class StudyUpdate:
    """The progress of one stage of a study, with its new rows."""

    stage: str
    done: int
    total: int
    rows: tuple[JsonObject, ...] = ()


@dataclass(frozen=True, slots=True)
class StudyResult:
    """The end of a study of one version; ``complete`` is false where the time was over before."""

    version: str
    notes: tuple[str, ...] = ()
    complete: bool = True


Event: TypeAlias = StudyUpdate | StudyResult

MOST_ROWS = 100_000
MOST_NOTES = 1_000
LONGEST_NAME = 300
LONGEST_RECALL = 2_000
_Name = Annotated[str, Meta(max_length=LONGEST_NAME)]


class _Progress(Frame):
    type: str
    stage: _Name
    done: Count
    total: Count
    rows: Annotated[list[JsonData], Meta(max_length=MOST_ROWS)]


class _Studied(Frame):
    type: str
    version: _Name
    notes: Annotated[list[Note], Meta(max_length=MOST_NOTES)]
    complete: bool = True


class _CheckedRow(Frame):
    kind: str
    stage: _Name
    name: _Name


_Read = Callable[[JsonObject, str], object]
_TOLD: Mapping[str, _Read] = {
    "api": table_rows.known,
    "relation": table_rows.equivalence,
    "divergence": table_rows.divergence,
}
_TASKS: Mapping[str, frozenset[str]] = {
    "relations": frozenset({"api", "relation", "checked", "recall"}),
    "divergences": frozenset({"api", "divergence", "checked", "recall"}),
}


def read_update(message: Mapping[str, Any], order: StudyRequest) -> Event:
    """Return a guest's update without calls that do more than compute; raise ``BadFrame``."""
    match message.get("type"):
        case "progress":
            checked(message, _Progress)
            for row in message["rows"]:
                _check_row(row, order)
            told = (message["stage"], message["done"], message["total"])
            return StudyUpdate(*told, tuple(filter(_is_harmless, message["rows"])))
        case "studied":
            checked(message, _Studied)
            if message["version"] != order.version:
                raise BadFrame(f"studied {message['version']!r:.80}, not {order.version}")
            complete = message.get("complete", True)
            return StudyResult(message["version"], tuple(message["notes"]), complete)
        case kind:
            raise BadFrame(f"is of an unknown type: {kind!r:.80}")


def _check_row(row: Mapping[str, Any], order: StudyRequest) -> None:
    kind = row.get("kind")
    if type(kind) is not str or kind not in _TASKS[order.task]:
        raise BadFrame(f"a row of an unknown kind: {kind!r:.80}")
    if kind == "checked":
        checked(row, _CheckedRow)
    if kind == "recall" and len(json.dumps(row)) > LONGEST_RECALL:
        raise BadFrame(f"recall: is longer than {LONGEST_RECALL}")
    if kind in _TOLD:
        try:
            _TOLD[kind]({name: item for name, item in row.items() if name != "kind"}, order.library)
        except table_rows.InvalidRowError as error:
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
