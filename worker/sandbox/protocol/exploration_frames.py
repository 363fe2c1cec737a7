"""Frames about library calls that a guest saw, and about those it compared."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Annotated, Any, TypeAlias
from typing import Literal as OneOf

from msgspec import UNSET, Meta, UnsetType, field

from analyzers.guest.inputs.recipes import parse as parse_recipe
from analyzers.guest.relations.libraries.library_registry import LIBRARIES
from analyzers.relations.library_names import is_line
from worker.sandbox.protocol.frame_shapes import (
    LONGEST_SOURCE,
    Amount,
    Arguments,
    BadFrame,
    CheckedText,
    Count,
    Ending,
    Frame,
    Message,
    Name,
    Note,
    Notes,
    Whole,
    matching,
)

MOST_RECORDED = 2_000
MOST_REACHED = 20
MOST_BEYOND = 100
MOST_COMPARISONS = 10_000_000
MOST_FAILURES = 10
MOST_PASSING = 60
MOST_FAILING = 100
MOST_MATTERS = 100
MOST_CALLS = 2_000
MOST_NAMES = 200
MOST_EXECUTIONS = 1_000_000
LONGEST_NAME = 300
LONGEST_VERSION = 100
LONGEST_TEXT = 2_000
LONGEST_PATH = 1_000
LONGEST_CONSTRAINT = 500

Api: TypeAlias = Annotated[
    str, matching(rf"(?:{'|'.join(LIBRARIES)})(?:\.[^\W\d]\w*)+", LONGEST_NAME)
]
Word: TypeAlias = Annotated[str, matching(r"[a-z][a-z0-9_-]*", LONGEST_NAME)]
Path: TypeAlias = Annotated[str, Meta(max_length=LONGEST_PATH)]
Source: TypeAlias = Annotated[str, Meta(max_length=LONGEST_SOURCE)]


def _parse_call(value: str) -> None:
    """Parse a library call, or a layer and its call, on one line; nothing is allowed."""
    if value == "":
        return
    tree = ast.parse(value, mode="eval").body
    if not isinstance(tree, ast.Call) or not is_line(value):
        raise ValueError
    if not isinstance(tree.func, ast.Call):
        parse_recipe(value)
    elif tree.keywords:
        raise ValueError
    else:
        for part in (tree.func, *tree.args):
            parse_recipe(ast.unparse(part))


class CallSource(CheckedText):
    """The source of a library call, or nothing."""

    parse, what = _parse_call, "call, no recipe"


class CallPlace(Frame):
    """A library call in a file."""

    api: Api
    path: Path
    line: Annotated[int, Meta(ge=1, le=1 << 53)]
    function: Annotated[str, matching(r"[\w.<>]+", LONGEST_NAME)]
    source: CallSource


class _RecordedCall(CallPlace):
    probe: Count


class _Divergence(Frame):
    api: Api
    rule: OneOf["value", "status", "crash"]
    relation: Word
    related: Note
    call: CallSource
    outcome: Note
    expected: Note


class Ended(Frame, kw_only=True):
    """An input with the end of its run, or the signal that ended the process."""

    arguments: Arguments
    ending: Ending | UnsetType = UNSET
    signal: Whole | UnsetType = UNSET

    def __post_init__(self) -> None:
        if (self.ending is UNSET) is (self.signal is UNSET):
            raise ValueError("lacks an ending, or has a signal beside it")


class _Reached(Ended, kw_only=True):
    divergence: _Divergence
    at: CallPlace
    ensures: Annotated[list[Source], Meta(max_length=1)]


class _Failure(Ended, kw_only=True):
    matters: Annotated[list[Name], Meta(max_length=MOST_MATTERS)]
    seen: Count


class _Beyond(Frame):
    divergence: _Divergence
    at: CallPlace


class _Unmet(Frame):
    annotation: Note
    problem: Note


_Constraints = dict[str, Annotated[str, Meta(max_length=LONGEST_CONSTRAINT)]]


class ObservedFrame(Frame):
    """One call of a project's function."""

    function: Name
    arguments: _Constraints
    test: Name
    raised: bool
    owner: Name = ""
    constructor: _Constraints = field(default_factory=dict)


class RecordedMessage(Message, kw_only=True):
    """The library calls of probes, of a library that has a version."""

    library: Annotated[str, matching("|".join(("", *LIBRARIES)), LONGEST_NAME)]
    version: Annotated[str, matching(r"[\w.+!-]*", LONGEST_VERSION)]
    calls: Annotated[list[_RecordedCall], Meta(max_length=MOST_RECORDED)]
    notes: Notes


class RelatedMessage(Message, kw_only=True):
    """The divergences that inputs lead to."""

    reached: Annotated[list[_Reached], Meta(max_length=MOST_REACHED)]
    beyond: Annotated[list[_Beyond], Meta(max_length=MOST_BEYOND)]
    executions: Count
    seconds: Amount
    obstacle: Note | None
    notes: Notes


class ResolvedMessage(Message, kw_only=True):
    """Dotted names with what became of them."""

    states: Annotated[dict[Name, OneOf["there", "missing", "absent"]], Meta(max_length=MOST_NAMES)]


class ExploredMessage(Message, kw_only=True):
    """The inputs that an exploration drew."""

    hits: list[Count] = field(default_factory=list)
    executions: Count
    passed: Count
    refused: Count
    rejected: Count
    timed_out: Count
    seconds: Amount
    failures: Annotated[list[_Failure], Meta(max_length=MOST_FAILURES)]
    passing: Annotated[list[Arguments], Meta(max_length=MOST_PASSING)]
    failing: Annotated[list[Arguments], Meta(max_length=MOST_FAILING)]
    unmet: _Unmet | None
    obstacle: Note | None
    notes: Notes


class ObservedMessage(Message, kw_only=True):
    """The calls that tests made, and which tests passed."""

    outcomes: Annotated[dict[Name, bool], Meta(max_length=MOST_CALLS)]
    calls: Annotated[list[ObservedFrame], Meta(max_length=MOST_CALLS)]
    notes: Notes


def check_recorded(message: Mapping[str, Any], probes: int) -> None:
    """Expect calls to be those of probes that were sent, of a library that has a version."""
    library = message["library"]
    if bool(library) is not bool(message["version"]):
        raise BadFrame("a library without a version, or a version without a library")
    if any(each["api"].partition(".")[0] != library for each in message["calls"]):
        raise BadFrame("a call of another library")
    if any(each["probe"] >= probes for each in message["calls"]):
        raise BadFrame(f"a call beyond {probes} probes")


def check_related(message: Mapping[str, Any], apis: frozenset[str]) -> None:
    """Expect divergences of the APIs that were asked for, and counts that can be."""
    if message["executions"] > MOST_COMPARISONS:
        raise BadFrame("more executions than there can be")
    for each in (*message["reached"], *message["beyond"]):
        if not each["divergence"]["api"] == each["at"]["api"]:
            raise BadFrame("a divergence of an API that is not called there")
        if apis and each["at"]["api"] not in apis:
            raise BadFrame("a divergence of an API that was not asked for")


def check_counts(message: Mapping[str, Any], points: int) -> None:
    """Expect the parts of what was executed to be no more than the whole, hits to be points."""
    whole_count = message["executions"]
    parts = message["passed"] + message["refused"] + message["timed_out"]
    if parts > whole_count or whole_count > MOST_EXECUTIONS:
        raise BadFrame(f"{parts} outcomes of {whole_count} executions")
    if any(each["seen"] > whole_count for each in message["failures"]):
        raise BadFrame("an input seen more often than any was executed")
    if message.get("hits") and max(message["hits"]) >= points:
        raise BadFrame(f"a hit beyond {points} points")
