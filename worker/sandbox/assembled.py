"""What a guest may say of variants of a file that it ran."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analyzers.guest.assembling.states import (
    DIED,
    LONGEST,
    NOT_RUN,
    RAISED,
    RAN,
    STAGES,
    TIMED_OUT,
)
from worker.sandbox.related import matching
from worker.sandbox.said import short
from worker.sandbox.shapes import BadFrame, amount, boolean, count, many, record, text

MOST_FILES = 10_000
MOST_APIS = 1_000
LONGEST_NAME = 300
_STATES = "|".join((RAN, RAISED, DIED, TIMED_OUT, NOT_RUN))
STATE = record(
    state=matching(_STATES, LONGEST_NAME, "state of a file"),
    stage=matching("|".join(("", *STAGES)), LONGEST_NAME, "stage"),
    exception=matching(r"(?:[\w.<>]+)?", LONGEST, "name of an exception"),
    detail=short(LONGEST),
    line=count,
    finite=boolean,
    apis=many(matching(r"torch(?:\.[^\W\d]\w*)+", LONGEST_NAME, "name of a library"), MOST_APIS),
    seconds=amount,
)
ASSEMBLED = record(type=text, states=many(STATE, MOST_FILES))


def check_assembled(message: Mapping[str, Any], files: int) -> None:
    """Expect one state for each file, or none at all; a stage where a run did not end well."""
    if len(message["states"]) not in {0, files}:
        raise BadFrame(f"other than one state for each of {files} files")
    if any((each["state"] == RAISED) is not bool(each["exception"]) for each in message["states"]):
        raise BadFrame("an exception that was not raised, or none that was")
