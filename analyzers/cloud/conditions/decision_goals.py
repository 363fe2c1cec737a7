"""The decisions of a target, and their clauses as goals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from analyzers.guest.instrumentation.goals import Decision, decisions
from analyzers.ports import Executor
from analyzers.vocabulary import BranchOutcome, Goal, Target


def clause_goal(goal: Goal, decision: Decision, clause: int, outcome: BranchOutcome) -> Goal:
    """Return one clause of a goal's decision turning out as ``outcome``."""
    text = next(each.text for each in decision.clauses if each.ordinal == clause)
    return replace(goal.whole(outcome), clause=clause, text=text)


def decisions_of(target: Target, bench: Executor) -> Mapping[str, tuple[Goal, Decision]]:
    """Return the decisions of a target's goals, by their ids, each with one of its goals."""
    found: dict[str, tuple[Goal, Decision]] = {}
    for goal in target.goals:
        for decision in decisions(bench.source(goal.path)) if goal.decision_id not in found else ():
            if (decision.function, decision.ordinal) == (goal.function, goal.decision):
                found[goal.decision_id] = goal, decision
    return found
