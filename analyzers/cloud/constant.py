"""Branches that no ML answer can steer (Keeper, section 4.1.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from analyzers.cloud.branches import Proof, Words, branch_finding, describe
from analyzers.cloud.repair import ConstantCondition, lint_condition
from analyzers.guest.goals import Decision, decisions
from analyzers.judging import decision_point, shows
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
        goal.whole(Outcome.FALSE if lint.outcome else Outcome.TRUE).id
        for goal, decision in _decisions(target, bench).values()
        if (lint := lint_condition(bench.source(goal.path), decision)) is not None
    )


def constant_conditions(
    target: Target, executed: Sequence[tuple[Probe, Run]], bench: Bench
) -> Iterator[Finding]:
    """Findings for conditions with a constant operand, as the runs confirm."""
    for goal, decision in _decisions(target, bench).values():
        lint = lint_condition(bench.source(goal.path), decision)
        if lint is None:
            continue
        always = goal.whole(Outcome.TRUE if lint.outcome else Outcome.FALSE)
        seen = [(p, r) for p, r in executed if decision_point(always) in r.hits][:MOST_PROBES]
        if seen and shows(Constant(always), [run for _, run in executed]):
            yield _constant(target, always, lint, [probe for probe, _ in seen])


def _decisions(target: Target, bench: Bench) -> Mapping[str, tuple[Goal, Decision]]:
    found: dict[str, tuple[Goal, Decision]] = {}
    for goal in target.goals:
        for decision in decisions(bench.source(goal.path)) if goal.decision_id not in found else ():
            if (decision.function, decision.ordinal) == (goal.function, goal.decision):
                found[goal.decision_id] = goal, decision
    return found


def _constant(
    target: Target, goal: Goal, lint: ConstantCondition, probes: Sequence[Probe]
) -> Finding:
    edit = lint.rewrite
    suggestion = None
    if edit is not None:
        suggestion = Suggestion(goal.path, edit.start_line, edit.end_line, edit.replacement)
    words = Words(
        title=f"`{goal.decision_text}` is always {goal.outcome}",
        message=f"{describe(goal)} whatever the API answers: {lint.reason}",
        evidence={"proof": "constant-condition", "bound": "any answer"},
    )
    proof = Proof(probes, Constant(goal), f"constant:{goal.decision_text}")
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
        probes = [p for p, r in executed if decision_point(always) in r.hits][:MOST_PROBES]
        if shows(Constant(always), [run for _, run in executed]):
            yield _exhausted(target, goal, always, searched.bound, probes)


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
