"""Findings that stand at a condition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analyzers.vocabulary import (
    Criterion,
    Finding,
    Goal,
    InputKind,
    Json,
    JsonObject,
    Level,
    Probe,
    Suggestion,
    Target,
)

NAME = "cloud"

THINGS = {
    InputKind.IMAGE: "pictures",
    InputKind.TEXT: "texts",
    InputKind.AUDIO: "recordings",
    InputKind.VALUE: "inputs",
}


@dataclass(frozen=True, slots=True)
class BranchMessage:
    """What a finding says: a line, a paragraph, and facts."""

    title: str
    message: str
    evidence: JsonObject


@dataclass(frozen=True, slots=True)
class Proof:
    """The probes that show a finding, the criterion, and the kind of input."""

    probes: Sequence[Probe]
    criterion: Criterion
    input_kind: str


def branch_finding(
    target: Target,
    goal: Goal,
    rule: str,
    level: Level,
    words: BranchMessage,
    proof: Proof,
    suggestion: Suggestion | None = None,
) -> Finding:
    """A finding at the condition of ``goal``, which its evidence names."""
    evidence: dict[str, Json] = {"goal": describe(goal), **words.evidence}
    return Finding(
        analyzer=NAME,
        rule=rule,
        level=level,
        path=goal.path,
        line=goal.line,
        end_line=goal.end_line,
        symbol=f"{goal.path}::{goal.function}",
        target=target.id,
        title=words.title,
        message=words.message,
        evidence=evidence,
        probes=tuple(proof.probes),
        criterion=proof.criterion,
        input_kind=proof.input_kind,
        suggestion=suggestion,
    )


def describe(goal: Goal) -> str:
    """A goal in words, as it stands in evidence."""
    return f"`{goal.decision_text}` is {goal.outcome}"


def quoted(readings: Sequence[str]) -> str:
    """Readings in quotation marks, separated by commas."""
    return ", ".join(f"“{reading}”" for reading in readings)


def percent(low: float, high: float | None = None) -> str:
    """``40 %``, or ``17–69 %`` for an interval."""
    ends = [f"{100 * end:.0f}" for end in (low, high) if end is not None]
    return "–".join(ends) + " %"


def things(kind: InputKind, readings: Sequence[str]) -> str:
    """Pictures (texts, …) of these readings."""
    return f"{THINGS[kind]} of {quoted(readings)}"
