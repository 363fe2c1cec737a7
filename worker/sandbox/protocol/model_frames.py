"""Frames about a model that a guest ran several ways."""

from __future__ import annotations

import ast
import sys
from collections.abc import Collection, Mapping
from typing import Annotated, Any, TypeAlias
from typing import Literal as OneOf

from msgspec import Meta

from analyzers.guest.assembly.training_stages import (
    DIED,
    LONGEST,
    NOT_RUN,
    RAISED,
    RAN,
    STAGES,
    TIMED_OUT,
)
from analyzers.guest.inputs.recipes import names
from analyzers.guest.inputs.recipes import parse as parse_recipe
from analyzers.guest.models.executed_frame import LONGEST_LAYER, MOST_LAYERS
from analyzers.guest.models.judging.export_branches import CHANGES
from analyzers.guest.models.mutation.mutation_grammar import parse_mutations
from worker.sandbox.protocol.exploration_frames import MOST_COMPARISONS, Path, Word
from worker.sandbox.protocol.frame_shapes import (
    Amount,
    Arguments,
    BadFrame,
    CheckedText,
    Count,
    Ending,
    Frame,
    Message,
    Note,
    Notes,
    Whole,
    matching,
)

MOST_DEPARTURES = 40
MOST_LEFT_OUT = 40
MOST_APIS = 2_000
MOST_MUTATIONS = 8
MOST_FILES = 10_000
MOST_ASSEMBLED_APIS = 1_000
LONGEST_NAME = 300
LONGEST_TEXT = 2_000
LARGEST = sys.float_info.max


def _parse_inputs(value: str) -> None:
    """Parse the recipe of a tuple that names nothing of the project; nothing is allowed."""
    if value and (
        names(parse_recipe(value)) or not isinstance(ast.parse(value, mode="eval").body, ast.Tuple)
    ):
        raise ValueError


def _parse_mutations(value: str) -> None:
    if len(parse_mutations(value)) > MOST_MUTATIONS:
        raise ValueError


def _parse_line(value: str) -> None:
    if not value.isprintable() or "`" in value:
        raise ValueError


class InputsSource(CheckedText):
    """The inputs of a condition."""

    parse, what = _parse_inputs, "tuple without names of the project"


class Mutations(CheckedText):
    """A line of mutations of a condition."""

    parse, what, longest = _parse_mutations, "line of a few mutations", sys.maxsize


class PrintableLine(CheckedText):
    """A line of text that drives no terminal and ends no code span."""

    parse, what, longest = _parse_line, "line of text", LONGEST_TEXT


Number: TypeAlias = Annotated[float, Meta(ge=-LARGEST, le=LARGEST)]
Execution: TypeAlias = Annotated[str, matching(r"[a-z][a-z0-9-]*", LONGEST_NAME)]
Dotted: TypeAlias = Annotated[str, matching(r"[\w.]+", LONGEST_NAME)]
TorchApi: TypeAlias = Annotated[str, matching(r"torch(?:\.[^\W\d]\w*)+", LONGEST_NAME)]


class _Layer(Frame):
    name: Annotated[str, matching(r"[\w.\[\]-]*", LONGEST_NAME)]
    kind: Annotated[str, matching(r"[\w.]*", LONGEST_NAME)]
    path: Path
    line: Count
    source: PrintableLine


class _LayerError(Frame):
    layer: Annotated[str, matching(r"[\w.\[\]-]*", LONGEST_LAYER)]
    error_ratio: Amount | None


class _Departure(Frame):
    rule: OneOf["divergence", "non-finite", "crash", "not-compiled", "gradient"]
    execution: Execution
    arguments: Arguments
    inputs: InputsSource
    mutations: Mutations
    other: Annotated[str, matching("|".join(("", *CHANGES)), LONGEST_NAME)]
    ending: Ending | None
    signal: Whole | None
    outcome: Note
    expected: Note
    error_ratio: Amount | None
    d_mad: Amount | None
    layer: _Layer | None
    single: Note
    low: Number | None
    high: Number | None
    layers: Annotated[list[_LayerError], Meta(max_length=MOST_LAYERS)]


class _LeftOut(Frame):
    execution: Execution
    reason: Note


class _PackageVersion(Frame):
    package: Word
    version: Annotated[str, matching(r"[\w.+!-]*", LONGEST_NAME)]


class ExecutedMessage(Message, kw_only=True):
    """A model that was run several ways."""

    departures: Annotated[list[_Departure], Meta(max_length=MOST_DEPARTURES)]
    done: Annotated[list[Execution], Meta(max_length=MOST_LEFT_OUT)]
    left_out: Annotated[list[_LeftOut], Meta(max_length=MOST_LEFT_OUT)]
    model: PrintableLine
    mutants: Count
    amplified: Count
    apis: Annotated[list[Dotted], Meta(max_length=MOST_APIS)]
    executions: Count
    seconds: Amount
    obstacle: Note | None
    notes: Notes
    versions: Annotated[list[_PackageVersion], Meta(max_length=MOST_LEFT_OUT)]


class _AssembledState(Frame):
    state: Annotated[str, matching("|".join((RAN, RAISED, DIED, TIMED_OUT, NOT_RUN)), LONGEST_NAME)]
    stage: Annotated[str, matching("|".join(("", *STAGES)), LONGEST_NAME)]
    exception: Annotated[str, matching(r"[\w.<>]*", LONGEST)]
    detail: Annotated[str, Meta(max_length=LONGEST)]
    line: Count
    finite: bool
    apis: Annotated[list[TorchApi], Meta(max_length=MOST_ASSEMBLED_APIS)]
    seconds: Amount


class AssembledMessage(Message, kw_only=True):
    """Files that were assembled and run."""

    states: Annotated[list[_AssembledState], Meta(max_length=MOST_FILES)]


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


def check_assembled(message: Mapping[str, Any], files: int) -> None:
    """Expect one state for each file, or none at all; a stage where a run did not end well."""
    if len(message["states"]) not in {0, files}:
        raise BadFrame(f"other than one state for each of {files} files")
    if any((each["state"] == RAISED) is not bool(each["exception"]) for each in message["states"]):
        raise BadFrame("an exception that was not raised, or none that was")
