"""Branches that no ML answer can steer (Keeper, section 4.1.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from analyzers.cloud.branches import Proof, Words, branch_finding
from analyzers.cloud.conditions.decided import clause_goal, decisions_of
from analyzers.cloud.conditions.lint import ConstantCondition, lint_condition
from analyzers.guest.goals import Decision
from analyzers.judging import decision_point, outcome_point, shows
from analyzers.ports import Bench
from analyzers.vocabulary import (
    Constant,
    Finding,
    Goal,
    Level,
    Outcome,
    Probe,
    Run,
    Searched,
    Suggestion,
    Target,
)

MOST_PROBES = 6


def settled(target: Target, bench: Bench) -> frozenset[str]:
    """The goals that a lint settles: no search need look for them."""
    return frozenset(
        opposed(_always(goal, decision, lint)).id
        for goal, decision in decisions_of(target, bench).values()
        if (lint := lint_condition(bench.source(goal.path), decision)) is not None
    )


def constant_conditions(
    target: Target, executed: Sequence[tuple[Probe, Run]], bench: Bench
) -> Iterator[Finding]:
    """Findings for conditions with a constant operand, as the runs confirm."""
    for goal, decision in decisions_of(target, bench).values():
        lint = lint_condition(bench.source(goal.path), decision)
        if lint is None:
            continue
        always = _always(goal, decision, lint)
        probes = _telling([p for p, r in executed if outcome_point(always) in r.hits])
        if probes and shows(Constant(always), [run for _, run in executed]):
            yield _constant(target, always, lint, probes)


def _telling(probes: Sequence[Probe]) -> Sequence[Probe]:
    """A few of many probes: the first, found by the search, and the last, of odd inputs."""
    half = MOST_PROBES // 2
    return probes if len(probes) <= MOST_PROBES else [*probes[:half], *probes[-half:]]


def _always(goal: Goal, decision: Decision, lint: ConstantCondition) -> Goal:
    """The outcome that a constant condition, or its constant clause, always has."""
    outcome = Outcome.TRUE if lint.outcome else Outcome.FALSE
    if lint.clause is None:
        return goal.whole(outcome)
    return clause_goal(goal, decision, lint.clause, outcome)


def _constant(
    target: Target, goal: Goal, lint: ConstantCondition, probes: Sequence[Probe]
) -> Finding:
    edit = lint.rewrite
    suggestion = None
    if edit is not None:
        suggestion = Suggestion(goal.path, edit.start_line, edit.end_line, edit.replacement)
    words = Words(
        title=f"`{goal.text}` is always {goal.outcome}",
        message=f"`{goal.text}` is {goal.outcome} whatever the API answers: {lint.reason}.",
        evidence={"proof": "constant-condition", "bound": "any answer"},
    )
    proof = Proof(probes, Constant(goal), f"constant:{goal.text}")
    return branch_finding(
        target, goal, "cloud/dead-branch", Level.FAILURE, words, proof, suggestion
    )


def exhausted_branches(
    target: Target, searched: Searched, executed: Sequence[tuple[Probe, Run]]
) -> Iterator[Finding]:
    """Findings for branches whose whole bounded answer space was searched.

    Only whole decisions: a clause that never decides may be a belt with
    braces.  A run that reached the branch refutes the search.
    """
    for goal in target.goals:
        if goal.id not in searched.exhausted or goal.clause is not None:
            continue
        always = goal.whole(opposite(goal.outcome))
        probes = _telling([p for p, r in executed if decision_point(always) in r.hits])
        if shows(Constant(always), [run for _, run in executed]):
            yield _exhausted(target, goal, always, searched.bound, probes)


def opposed(goal: Goal) -> Goal:
    """The same decision or clause turning out otherwise."""
    return replace(goal, outcome=opposite(goal.outcome))


def opposite(outcome: Outcome) -> Outcome:
    """The other outcome of a decision."""
    return Outcome.FALSE if outcome is Outcome.TRUE else Outcome.TRUE


def _exhausted(
    target: Target, goal: Goal, always: Goal, bound: str, probes: Sequence[Probe]
) -> Finding:
    words = Words(
        title=f"`{goal.decision_text}` is never {goal.outcome}",
        message=(
            f"No answer of the API makes `{goal.decision_text}` {goal.outcome}; "
            f"searched completely: {bound}."
        ),
        evidence={"proof": "bounded-search", "bound": bound},
    )
    proof = Proof(probes, Constant(always), f"bounded:{goal.decision_text}")
    return branch_finding(target, goal, "cloud/dead-branch", Level.FAILURE, words, proof)
