"""What a guest may say of library calls that it saw, and of those it compared."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any

from analyzers.guest.relations.libraries.library_registry import LIBRARIES
from analyzers.relations.library_names import is_line
from worker.sandbox.protocol.frame_shapes import (
    ARGUMENTS,
    ENDING,
    LONGEST_SOURCE,
    BadFrame,
    Checker,
    amount,
    boolean,
    count,
    counts,
    many,
    mapping,
    optional,
    recipe,
    record,
    short,
    text,
    whole,
)

MOST_RECORDED = 2_000
MOST_REACHED = 20
MOST_BEYOND = 100
MOST_NOTES = 100
MOST_COMPARISONS = 10_000_000
LONGEST_NAME = 300
LONGEST_VERSION = 100
LONGEST_TEXT = 2_000
LONGEST_PATH = 1_000
_RULES = frozenset({"value", "status", "crash"})
_API = rf"(?:{'|'.join(LIBRARIES)})(?:\.[^\W\d]\w*)+"


def matching(pattern: str, longest: int, what: str) -> Checker:
    """Expect a text of which the whole matches: what stands outside of code in reports."""
    compiled = re.compile(pattern)

    def check_matching(value: object) -> None:
        if type(value) is not str or len(value) > longest or not compiled.fullmatch(value):
            raise BadFrame(f"is no {what}")

    return check_matching


def source(value: object) -> None:
    """Expect the source of a library call as :func:`library_call`, or an empty text."""
    if value != "":
        library_call(value)


def library_call(value: object) -> None:
    """Expect the source of a library call, or of a layer and its call, on one line.

    It is written into reports and reproducers.
    """
    if type(value) is not str or len(value) > LONGEST_SOURCE:
        raise BadFrame("is no short text")
    try:
        tree = ast.parse(value, mode="eval").body
    except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
        raise BadFrame("is no call") from error
    if not isinstance(tree, ast.Call) or not is_line(value):
        raise BadFrame("is no call")
    if not isinstance(tree.func, ast.Call):
        recipe(value)
    elif tree.keywords:
        raise BadFrame("is no call of a layer")
    else:
        _layer_call(tree)


def _layer_call(tree: ast.Call) -> None:
    for part in (tree.func, *tree.args):
        try:
            said = ast.unparse(part)
        except RecursionError as error:
            raise BadFrame("is no call of a layer") from error
        recipe(said)


def rule(value: object) -> None:
    """Expect what a divergence is about."""
    if type(value) is not str or value not in _RULES:
        raise BadFrame("is no kind of divergence")


def line(value: object) -> None:
    """Expect the number of a line of a file."""
    count(value)
    if value == 0:
        raise BadFrame("is no line")


api = matching(_API, LONGEST_NAME, "name of a library")
word = matching(r"[a-z][a-z0-9_-]*", LONGEST_NAME, "word")
_PLACE: Mapping[str, Checker] = {
    "api": api,
    "path": short(LONGEST_PATH),
    "line": line,
    "function": matching(r"[\w.<>]+", LONGEST_NAME, "name of a function"),
    "source": source,
}
AT = record(**_PLACE)
DIVERGENCE = record(
    api=api,
    rule=rule,
    relation=word,
    related=short(LONGEST_TEXT),
    call=source,
    outcome=short(LONGEST_TEXT),
    expected=short(LONGEST_TEXT),
)
_REACHED_FIELDS: Mapping[str, Checker] = {
    "divergence": DIVERGENCE,
    "at": AT,
    "arguments": ARGUMENTS,
    "ensures": many(short(LONGEST_SOURCE), 1),
}
_REACHED_ENDED = record(**_REACHED_FIELDS, ending=ENDING)
_REACHED_DIED = record(**_REACHED_FIELDS, signal=whole)


def reached(value: object) -> None:
    """Expect an input that leads to a divergence: with its ending, or the signal it dies of."""
    (_REACHED_DIED if type(value) is dict and "signal" in value else _REACHED_ENDED)(value)


RECORDED = record(
    type=text,
    library=matching("|".join(("", *LIBRARIES)), LONGEST_NAME, "library"),
    version=matching(r"[\w.+!-]*", LONGEST_VERSION, "version"),
    calls=many(record(**_PLACE, probe=count), MOST_RECORDED),
    notes=many(short(LONGEST_TEXT), MOST_NOTES),
)
RELATED = record(
    type=text,
    reached=many(reached, MOST_REACHED),
    beyond=many(record(divergence=DIVERGENCE, at=AT), MOST_BEYOND),
    executions=count,
    seconds=amount,
    obstacle=optional(short(LONGEST_TEXT)),
    notes=many(short(LONGEST_TEXT), MOST_NOTES),
)


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


MOST_FAILURES = 10
MOST_PASSING = 20
MOST_MATTERS = 100
MOST_CALLS = 2_000
MOST_NAMES = 200
STATES = frozenset({"there", "missing", "absent"})
MOST_EXECUTIONS = 1_000_000
LONGEST_NOTE = 2_000
LONGEST_CONSTRAINT = 500

_FIELDS: Mapping[str, Checker] = {
    "arguments": ARGUMENTS,
    "matters": many(short(LONGEST_NAME), MOST_MATTERS),
    "seen": count,
}
_ENDED = record(**_FIELDS, ending=ENDING)
_DIED = record(**_FIELDS, signal=whole)


def failure(value: object) -> None:
    """Expect an input that failed: with its ending, or with the signal that ended the process."""
    (_DIED if type(value) is dict and "signal" in value else _ENDED)(value)


def outcomes(value: object) -> None:
    """Expect names of tests with whether they passed."""
    if type(value) is not dict or len(value) > MOST_CALLS:
        raise BadFrame("is no mapping of a few tests")
    for name, passed in value.items():
        short(LONGEST_NAME)(name)
        boolean(passed)


def states(value: object) -> None:
    """Expect dotted names with what became of them."""
    if type(value) is not dict or len(value) > MOST_NAMES:
        raise BadFrame("is no mapping of a few names")
    for name, state in value.items():
        short(LONGEST_NAME)(name)
        if type(state) is not str or state not in STATES:
            raise BadFrame("is no state of a name")


RESOLVED = record(type=text, states=states)
EXPLORED = record(
    frozenset({"hits"}),
    type=text,
    hits=counts,
    executions=count,
    passed=count,
    refused=count,
    rejected=count,
    timed_out=count,
    seconds=amount,
    failures=many(failure, MOST_FAILURES),
    passing=many(ARGUMENTS, MOST_PASSING),
    unmet=optional(record(annotation=short(LONGEST_NOTE), problem=short(LONGEST_NOTE))),
    obstacle=optional(short(LONGEST_NOTE)),
    notes=many(short(LONGEST_NOTE), MOST_NOTES),
)
OBSERVED = record(
    type=text,
    outcomes=outcomes,
    calls=many(
        record(
            function=short(LONGEST_NAME),
            arguments=mapping(short(LONGEST_CONSTRAINT)),
            test=short(LONGEST_NAME),
            raised=boolean,
        ),
        MOST_CALLS,
    ),
    notes=many(short(LONGEST_NOTE), MOST_NOTES),
)


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
