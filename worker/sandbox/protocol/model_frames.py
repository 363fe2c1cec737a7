"""What a guest may say of a model that it ran several ways."""

from __future__ import annotations

import ast
import sys
from collections.abc import Collection, Mapping
from typing import Any

from analyzers.guest.assembly.training_stages import (
    DIED,
    LONGEST,
    NOT_RUN,
    RAISED,
    RAN,
    STAGES,
    TIMED_OUT,
)
from analyzers.guest.inputs.recipes import names, parse
from analyzers.guest.models.judging.export_branches import CHANGES
from analyzers.guest.models.mutation.mutation_grammar import MalformedMutation, parse_mutations
from worker.sandbox.protocol.exploration_frames import MOST_COMPARISONS, line, matching, word
from worker.sandbox.protocol.frame_shapes import (
    ARGUMENTS,
    ENDING,
    BadFrame,
    Checker,
    amount,
    boolean,
    count,
    many,
    optional,
    recipe,
    record,
    short,
    text,
    whole,
)

RULES = frozenset({"divergence", "non-finite", "crash", "not-compiled", "gradient"})
MOST_DEPARTURES = 40
MOST_LEFT_OUT = 40
MOST_APIS = 2_000
MOST_MUTATIONS = 8
LONGEST_NAME = 300
LONGEST_TEXT = 2_000
LONGEST_PATH = 1_000
LARGEST = sys.float_info.max


def inputs(value: object) -> None:
    """Expect the recipe of a tuple, or an empty text: it is written into conditions.

    It names nothing of the project.
    """
    if value == "":
        return
    recipe(value)
    if not isinstance(ast.parse(str(value), mode="eval").body, ast.Tuple):
        raise BadFrame("is no tuple")
    if names(parse(str(value))):
        raise BadFrame("names something of the project")


def mutations(value: object) -> None:
    """Expect a line of mutations: it is written into conditions."""
    try:
        found = parse_mutations(value) if type(value) is str else None
    except MalformedMutation as error:
        raise BadFrame("is no line of mutations") from error
    if found is None or len(found) > MOST_MUTATIONS:
        raise BadFrame("is no line of a few mutations")


def number(value: object) -> None:
    """Expect a finite number, such as a float32 can be."""
    if type(value) not in (int, float) or not abs(value) <= LARGEST:  # type: ignore[arg-type]
        raise BadFrame("is no finite number")


def place(value: object) -> None:
    """Expect the number of a line of a file, or 0 for none."""
    if value != 0:
        line(value)


def printable(longest: int) -> Checker:
    """Expect a line of text that drives no terminal and ends no code span."""

    def check_printable(value: object) -> None:
        is_text = type(value) is str and len(value) <= longest
        if not is_text or not str(value).isprintable() or "`" in str(value):
            raise BadFrame("is no line of text")

    return check_printable


execution = matching(r"[a-z][a-z0-9-]*", LONGEST_NAME, "name of an execution")
other = matching("|".join(["", *CHANGES]), LONGEST_NAME, "name of a change of inputs")
rule = matching("|".join(sorted(RULES)), LONGEST_NAME, "rule about models")
plain = printable(LONGEST_TEXT)
version = matching(r"[\w.+!-]*", LONGEST_NAME, "version")
LAYER = record(
    name=matching(r"[\w.\[\]-]*", LONGEST_NAME, "name of a layer"),
    kind=matching(r"[\w.]*", LONGEST_NAME, "kind of a layer"),
    path=short(LONGEST_PATH),
    line=place,
    source=plain,
)
DEPARTURE = record(
    rule=rule,
    execution=execution,
    arguments=ARGUMENTS,
    inputs=inputs,
    mutations=mutations,
    other=other,
    ending=optional(ENDING),
    signal=optional(whole),
    outcome=short(LONGEST_TEXT),
    expected=short(LONGEST_TEXT),
    error_ratio=optional(amount),
    d_mad=optional(amount),
    layer=optional(LAYER),
    single=short(LONGEST_TEXT),
    low=optional(number),
    high=optional(number),
)
EXECUTED = record(
    type=text,
    departures=many(DEPARTURE, MOST_DEPARTURES),
    done=many(execution, MOST_LEFT_OUT),
    left_out=many(record(execution=execution, reason=short(LONGEST_TEXT)), MOST_LEFT_OUT),
    model=plain,
    mutants=count,
    amplified=count,
    apis=many(matching(r"[\w.]+", LONGEST_NAME, "name of an API"), MOST_APIS),
    executions=count,
    seconds=amount,
    obstacle=optional(short(LONGEST_TEXT)),
    notes=many(short(LONGEST_TEXT), 100),
    versions=many(record(package=word, version=version), MOST_LEFT_OUT),
)


def check_executed(message: Mapping[str, Any], asked: Collection[str]) -> None:
    """Expect executions that were asked for, one ending each, and counts that can be."""
    if message["executions"] > MOST_COMPARISONS or message["mutants"] > MOST_COMPARISONS:
        raise BadFrame("more executions than there can be")
    if message["amplified"] > message["mutants"]:
        raise BadFrame("more mutants amplified than made")
    told = [each["execution"] for each in (*message["departures"], *message["left_out"])]
    for name in (*told, *message["done"]):
        if name not in asked:
            raise BadFrame(f"an execution that was not asked for: {name:.80}")
    for each in message["departures"]:
        if (each["ending"] is None) is (each["signal"] is None):
            raise BadFrame("a departure with two endings, or none")


MOST_FILES = 10_000
MOST_ASSEMBLED_APIS = 1_000
_STATES = "|".join((RAN, RAISED, DIED, TIMED_OUT, NOT_RUN))
STATE = record(
    state=matching(_STATES, LONGEST_NAME, "state of a file"),
    stage=matching("|".join(("", *STAGES)), LONGEST_NAME, "stage"),
    exception=matching(r"(?:[\w.<>]+)?", LONGEST, "name of an exception"),
    detail=short(LONGEST),
    line=count,
    finite=boolean,
    apis=many(
        matching(r"torch(?:\.[^\W\d]\w*)+", LONGEST_NAME, "name of a library"), MOST_ASSEMBLED_APIS
    ),
    seconds=amount,
)
ASSEMBLED = record(type=text, states=many(STATE, MOST_FILES))


def check_assembled(message: Mapping[str, Any], files: int) -> None:
    """Expect one state for each file, or none at all; a stage where a run did not end well."""
    if len(message["states"]) not in {0, files}:
        raise BadFrame(f"other than one state for each of {files} files")
    if any((each["state"] == RAISED) is not bool(each["exception"]) for each in message["states"]):
        raise BadFrame("an exception that was not raised, or none that was")
