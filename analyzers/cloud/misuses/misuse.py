"""Common parts of the misuses of ML APIs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from analyzers.cloud import messages
from analyzers.cloud.answer_crashes import ExecutedProbe
from analyzers.cloud.branch_findings import BranchMessage, Proof, branch_finding
from analyzers.cloud.conditions.condition_comparisons import Comparison
from analyzers.criteria import all_ran, is_shown, outcome_point
from analyzers.ports import Executor
from analyzers.rules.cloud_rules import MISUSE
from analyzers.vocabulary import (
    BranchOutcome,
    Constant,
    Finding,
    Goal,
    Level,
    Probe,
    Suggestion,
    Target,
)

MOST_BASES = 3


@dataclass(frozen=True, slots=True)
class MisuseContext:
    """A target, its runs so far, and the executor for more."""

    target: Target
    executed: Sequence[ExecutedProbe]
    bench: Executor

    def askers(self, goal: Goal) -> list[Probe]:
        """Return a few probes with answers under which a decision or clause was asked."""
        points = {outcome_point(goal, outcome) for outcome in BranchOutcome}
        found = [probe for probe, run in self.executed if probe.script and points & run.hits]
        return found[:MOST_BASES]

    def unmoved(self, comparison: Comparison, probes: Sequence[Probe]) -> Goal | None:
        """Return the one outcome that a comparison has in these and all other runs.

        That of the whole decision where the comparison settles it.
        """
        runs = self.bench.run(probes)
        if not all_ran(runs):
            return None
        seen = [*runs, *(run for _, run in self.executed)]
        both = (replace(comparison.goal, outcome=outcome) for outcome in BranchOutcome)
        always = next((goal for goal in both if is_shown(Constant(goal), runs)), None)
        if always is None or not is_shown(Constant(always), seen):
            return None
        whole = always.whole()
        settled = comparison.settles is always.outcome and is_shown(Constant(whole), seen)
        return whole if settled else always

    def moved(self, goal: Goal, probes: Sequence[Probe]) -> bool:
        """Return whether some of the probes gives a decision or clause another outcome."""
        other = next(outcome for outcome in BranchOutcome if outcome is not goal.outcome)
        return any(outcome_point(goal, other) in run.hits for run in self.bench.run(probes))


@dataclass(frozen=True, slots=True)
class Misuse:
    """A kind of misuse, the API, and how a comparison shows it."""

    kind: str
    api: str
    comparison: Comparison
    reason: str
    always: Goal
    probes: Sequence[Probe]
    suggestion: Suggestion | None = None


def constant_comparison(target: Target, misuse: Misuse) -> Finding:
    """Return the finding of a comparison that no answer of the API turns."""
    always, text = misuse.always, misuse.comparison.text
    words = BranchMessage(
        *messages.constant_comparison(always, misuse.reason),
        {
            "misuse": misuse.kind,
            "api": misuse.api,
            "line": always.line,
            "comparison": text,
            "outcome": str(always.outcome),
        },
    )
    proof = Proof(misuse.probes, Constant(always), f"{misuse.kind}:{text}")
    suggestion = misuse.suggestion if always.clause is None else None
    level = Level.FAILURE if always.clause is None else Level.WARNING
    return branch_finding(target, always, MISUSE, level, words, proof, suggestion)
