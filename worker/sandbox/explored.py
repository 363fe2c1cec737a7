"""What a guest may say of the inputs that it drew, and of the calls that it saw."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worker.sandbox.said import ARGUMENTS, ENDING, short
from worker.sandbox.shapes import (
    BadFrame,
    Checker,
    amount,
    boolean,
    count,
    counts,
    many,
    mapping,
    optional,
    record,
    text,
    whole,
)

MOST_FAILURES = 10
MOST_PASSING = 20
MOST_MATTERS = 100
MOST_NOTES = 100
MOST_CALLS = 2_000
MOST_NAMES = 200
STATES = frozenset({"there", "missing", "absent"})
MOST_EXECUTIONS = 1_000_000
LONGEST_NAME = 300
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
