"""Frames that a guest may send, field by field (``docs/guest-protocol.md``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypeAlias
from typing import Literal as OneOf

from msgspec import UNSET, Meta, UnsetType, field

from worker.sandbox.protocol.exploration_frames import (
    ExploredMessage,
    ObservedFrame,
    ObservedMessage,
    RecordedMessage,
    RelatedMessage,
    ResolvedMessage,
    check_counts,
    check_recorded,
    check_related,
)
from worker.sandbox.protocol.frame_shapes import (
    Amount,
    Arguments,
    BadFrame,
    Count,
    Ending,
    Frame,
    JsonData,
    Libraries,
    Message,
    Whole,
    checked,
    matching,
)
from worker.sandbox.protocol.model_frames import (
    AssembledMessage,
    ExecutedMessage,
    check_assembled,
    check_executed,
)

MOST_FOUND = 2_000
MOST_ADDRESSES = 20
MOST_ASKED = 100
MOST_FILES, MOST_LINES = 100, 5000
MOST_OF_PROGRAM = 100
LONGEST_EXCERPT = 4000
Address: TypeAlias = Annotated[str, Meta(max_length=300)]
REPLIES: Mapping[object, frozenset[str]] = {
    None: frozenset(),
    "prepare": frozenset({"prepared", "unprepared"}),
    "run": frozenset({"ran", "done", "ask"}),
    "resolve": frozenset({"resolved"}),
    "search": frozenset({"searched", "limited"}),
    "explore": frozenset({"explored", "limited"}),
    "observe": frozenset({"observed", "limited"}),
    "record": frozenset({"recorded", "limited"}),
    "relate": frozenset({"related", "limited"}),
    "execute": frozenset({"executed", "limited"}),
    "assemble": frozenset({"assembled", "limited"}),
    "quit": frozenset(),
}


class _ScriptEntry(Frame):
    api: str
    answer: JsonData
    digest: str | None = None


class _Exchange(Frame):
    api: str
    digest: str
    answer: JsonData


class _Asked(Frame):
    api: str
    part: OneOf["content", "text", "uri"]
    digest: Annotated[str, matching("[0-9a-f]{64}", 64)]
    size: Count
    text: Annotated[str, Meta(max_length=LONGEST_EXCERPT)] = ""


_Lines: TypeAlias = Annotated[list[Count], Meta(max_length=MOST_LINES)]


class _Result(Frame):
    index: Count
    ending: Ending
    hits: list[Count]
    exchanges: list[_Exchange]
    seconds: Amount
    outside: Annotated[list[Address], Meta(max_length=MOST_ADDRESSES)] = field(default_factory=list)
    asked: Annotated[list[_Asked], Meta(max_length=MOST_ASKED)] = field(default_factory=list)
    completed: Count = 0
    lines: Annotated[dict[Address, _Lines], Meta(max_length=MOST_FILES)] = field(
        default_factory=dict
    )
    calls: Annotated[list[ObservedFrame], Meta(max_length=MOST_OF_PROGRAM)] = field(
        default_factory=list
    )


class _Parameter(Frame):
    name: str
    kind: str
    default: bool
    annotation: str | None


class _Request(Frame):
    content: bytes | None = None
    text: str | None = None
    uri: str | None = None
    parameters: JsonData | UnsetType = UNSET


class _Witness(Frame):
    goal: str
    arguments: Arguments
    script: list[_ScriptEntry] | None
    confirmed: bool


class _Crash(Frame):
    arguments: Arguments
    script: list[_ScriptEntry] | None
    ending: Ending


class _Template(Frame):
    arguments: Arguments


class _EndedProcess(Frame):
    index: Count
    signal: Whole


class _Prepared(Frame):
    type: str
    points: list[str]
    parameters: list[_Parameter]
    standins: list[str]
    notes: list[str]
    replaced: Libraries = field(default_factory=list)


class _Unprepared(Frame):
    type: str
    reason: str


class _Ran(Frame):
    type: str
    results: list[_Result]


class _Done(Message, kw_only=True):
    ended: _EndedProcess | None


class _Ask(Frame):
    type: str
    api: str
    request: _Request


class _Searched(Message, kw_only=True):
    template: _Template | None
    witnesses: Annotated[list[_Witness], Meta(max_length=MOST_FOUND)]
    crashes: Annotated[list[_Crash], Meta(max_length=MOST_FOUND)]
    exhausted: list[str]
    bound: str
    constants: dict[str, list[str]]
    obstacle: str | None
    executions: Count
    notes: list[str] = field(default_factory=list)


class _Limited(Message, kw_only=True):
    reason: str


MESSAGES: Mapping[str, type[Frame]] = {
    "prepared": _Prepared,
    "unprepared": _Unprepared,
    "ran": _Ran,
    "done": _Done,
    "ask": _Ask,
    "searched": _Searched,
    "limited": _Limited,
    "explored": ExploredMessage,
    "observed": ObservedMessage,
    "recorded": RecordedMessage,
    "related": RelatedMessage,
    "executed": ExecutedMessage,
    "assembled": AssembledMessage,
    "resolved": ResolvedMessage,
}


def check(message: Mapping[str, Any], request: Mapping[str, Any], points: int) -> None:
    """Raise ``BadFrame`` unless ``message`` answers ``request``; hits lie below ``points``."""
    kind = message.get("type")
    asked = request.get("type")
    if not isinstance(kind, str) or kind not in MESSAGES:
        raise BadFrame(f"is of an unknown type: {kind!r:.80}")
    if kind not in REPLIES.get(asked, frozenset()):
        raise BadFrame(f"{kind} is no reply to {asked}")
    try:
        checked(message, MESSAGES[kind])
    except BadFrame as error:
        raise BadFrame(f"{kind}: {error}") from None
    if kind in {"ran", "done"}:
        _check_places(message, request, points)
    if kind == "explored":
        check_counts(message, points)
    if kind == "recorded":
        check_recorded(message, len(request["probes"]))
    if kind == "related":
        check_related(message, frozenset(request["apis"]))
    if kind == "executed":
        check_executed(message, frozenset(request["executions"]))
    if kind == "assembled":
        check_assembled(message, len(request["files"]))


def _check_places(message: Mapping[str, Any], request: Mapping[str, Any], points: int) -> None:
    probes = len(request["probes"])
    ended = message.get("ended")
    results = message.get("results") or ([ended] if ended else [])
    for result in results:
        if result["index"] >= probes:
            raise BadFrame(f"index {result['index']} of {probes} probes")
        if result.get("hits") and max(result["hits"]) >= points:
            raise BadFrame(f"a hit beyond {points} points")
