"""The decisions of a target, and their clauses as goals."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from analyzers.guest.instrumentation.goals import Decision, decisions
from analyzers.ports import Executor
from analyzers.vocabulary import BranchOutcome, Goal, Target


def decision_of(goal: Goal, source: str) -> Decision:
    """Return the decision of a goal in the text of its file; raise ``StopIteration`` for none."""
    address = (goal.function, goal.decision)
    return next(each for each in decisions(source) if (each.function, each.ordinal) == address)


def clause_goal(goal: Goal, decision: Decision, clause: int, outcome: BranchOutcome) -> Goal:
    """Return one clause of a goal's decision turning out as ``outcome``."""
    text = next(each.text for each in decision.clauses if each.ordinal == clause)
    return replace(goal.whole(outcome), clause=clause, text=text)


def decisions_of(target: Target, bench: Executor) -> Mapping[str, tuple[Goal, Decision]]:
    """Return the decisions of a target's goals, by their ids, each with one of its goals."""
    found: dict[str, tuple[Goal, Decision]] = {}
    for goal in target.goals:
        if goal.decision_id not in found:
            with suppress(StopIteration):
                found[goal.decision_id] = goal, decision_of(goal, bench.source(goal.path))
    return found
