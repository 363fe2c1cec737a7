"""Findings at a condition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analyzers.cloud.messages import describe
from analyzers.rules import Rule
from analyzers.vocabulary import (
    Criterion,
    Finding,
    Goal,
    Json,
    JsonObject,
    Level,
    Probe,
    Suggestion,
    Target,
)

NAME = "cloud"


@dataclass(frozen=True, slots=True)
class BranchMessage:
    """The title, message and evidence of a finding."""

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
    rule: Rule,
    level: Level,
    words: BranchMessage,
    proof: Proof,
    suggestion: Suggestion | None = None,
) -> Finding:
    """Return a finding at the condition of ``goal``, which its evidence names."""
    evidence: dict[str, Json] = {"goal": describe(goal), **words.evidence}
    return Finding(
        analyzer=NAME,
        rule=rule.id,
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
