"""What a guest may say of library calls that it saw, and of those it compared."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from worker.sandbox.said import ARGUMENTS, ENDING, LONGEST_SOURCE, recipe, short
from worker.sandbox.shapes import (
    BadFrame,
    Checker,
    amount,
    count,
    many,
    optional,
    record,
    text,
    whole,
)

MOST_RECORDED = 2_000
MOST_REACHED = 20
MOST_BEYOND = 100
MOST_NOTES = 100
MOST_EXECUTIONS = 10_000_000
LONGEST_NAME = 300
LONGEST_TEXT = 2_000
LONGEST_PATH = 1_000
_RULES = frozenset({"value", "status", "crash"})


def library_call(value: object) -> None:
    """Expect the source of a library call, or of a layer and its call; may be empty.

    It is written into reports and reproducers.
    """
    if value == "":
        return
    if type(value) is not str or len(value) > LONGEST_SOURCE:
        raise BadFrame("is no short text")
    try:
        tree = ast.parse(value, mode="eval").body
    except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
        raise BadFrame("is no call") from error
    if not isinstance(tree, ast.Call):
        raise BadFrame("is no call")
    if not isinstance(tree.func, ast.Call):
        recipe(value)
    elif tree.keywords:
        raise BadFrame("is no call of a layer")
    else:
        for part in (tree.func, *tree.args):
            recipe(ast.unparse(part))


def rule(value: object) -> None:
    """Expect what a divergence is about."""
    if type(value) is not str or value not in _RULES:
        raise BadFrame("is no kind of divergence")


_PLACE: Mapping[str, Checker] = {
    "api": short(LONGEST_NAME),
    "path": short(LONGEST_PATH),
    "line": count,
    "function": short(LONGEST_NAME),
    "source": library_call,
}
AT = record(**_PLACE)
DIVERGENCE = record(
    api=short(LONGEST_NAME),
    rule=rule,
    relation=short(LONGEST_NAME),
    related=short(LONGEST_TEXT),
    call=library_call,
    outcome=short(LONGEST_TEXT),
    expected=short(LONGEST_TEXT),
)
_FIELDS: Mapping[str, Checker] = {
    "divergence": DIVERGENCE,
    "at": AT,
    "arguments": ARGUMENTS,
    "ensures": many(short(LONGEST_SOURCE), 1),
}
_ENDED = record(**_FIELDS, ending=ENDING)
_DIED = record(**_FIELDS, signal=whole)


def reached(value: object) -> None:
    """Expect an input that leads to a divergence: with its ending, or the signal it dies of."""
    (_DIED if type(value) is dict and "signal" in value else _ENDED)(value)


RECORDED = record(
    type=text,
    library=short(LONGEST_NAME),
    version=short(LONGEST_NAME),
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
    """Expect calls to be those of probes that were sent."""
    if any(each["probe"] >= probes for each in message["calls"]):
        raise BadFrame(f"a call beyond {probes} probes")


def check_related(message: Mapping[str, Any], apis: frozenset[str]) -> None:
    """Expect divergences of the APIs that were asked for, and counts that can be."""
    if message["executions"] > MOST_EXECUTIONS:
        raise BadFrame("more executions than there can be")
    for each in (*message["reached"], *message["beyond"]):
        if not each["divergence"]["api"] == each["at"]["api"]:
            raise BadFrame("a divergence of an API that is not called there")
        if apis and each["at"]["api"] not in apis:
            raise BadFrame("a divergence of an API that was not asked for")
