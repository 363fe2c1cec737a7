"""Branches that do not separate positive from negative texts (Keeper, 4.1.1).

Keeper looks at what exercises a branch; here the shares of all positive and
of all negative texts that reach it are compared with ``1 - threshold`` of the
recall, each with its interval.  Only the branch that a condition selects is
judged: what falls through to an ``else`` need not be one emotion.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from analyzers.cloud.answers import NEGATIVE, POSITIVE
from analyzers.cloud.branches import Proof, Words, branch_finding
from analyzers.cloud.recall import FEWEST_INPUTS
from analyzers.cloud.statistics import recall_interval
from analyzers.judging import reached
from analyzers.ports import Bench
from analyzers.vocabulary import (
    Content,
    Finding,
    Form,
    Goal,
    Json,
    Level,
    Mixes,
    NotRun,
    Outcome,
    Probe,
    Run,
    Target,
    Wanted,
)

TEXTS_PER_INPUT = 2
SIGNED = re.compile(r"score|sentiment|polarity|feeling|mood|emotion|valence|tone", re.IGNORECASE)
NEITHER = re.compile(r"neutral|mixed|unknown", re.IGNORECASE)
BOTH = re.compile(r"positiv.*negativ|negativ.*positiv", re.IGNORECASE | re.DOTALL)
STRENGTH = re.compile(r"\babs\(|fabs\(")
POLARITY_WORDS = re.compile(
    r"positiv|negativ|happy|unhappy|sad\b|good|bad\b|angry|hate|love|like|smil|frown|toxic|nice",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Poll:
    """Recorded runs on texts of one polarity; ``shortfall`` where there are none."""

    probes: tuple[Probe, ...]
    runs: tuple[Run, ...]
    shortfall: str | None

    def share(self, goal: Goal) -> tuple[int, float, tuple[float, float]]:
        """How many reach the goal, which share, and its 95 % interval."""
        hits = sum(reached(goal, run) for run in self.runs)
        return hits, hits / len(self.runs), recall_interval(hits, len(self.runs))


def poll(api: str, polarity: str, template: Probe, bench: Bench) -> Poll:
    """Run texts that people rated as of this polarity."""
    supply = bench.inputs(Wanted(api, polarity), bench.plan.inputs * TEXTS_PER_INPUT)
    probes = [template.with_input(item) for item in supply.inputs]
    runs = bench.run(probes)
    kept = [(p, r) for p, r in zip(probes, runs, strict=True) if not isinstance(r.ending, NotRun)]
    reasons = [r.ending.reason for r in runs if isinstance(r.ending, NotRun)]
    return Poll(
        tuple(probe.answered(run.exchanges) for probe, run in kept),
        tuple(run for _, run in kept),
        reasons[0] if reasons and not kept else supply.shortfall,
    )


def takes_text(template: Probe) -> bool:
    """Whether the ML input of the target is a text."""
    return any(isinstance(a, Content) and a.form is Form.TEXT for a in template.arguments.values())


def mixed(
    target: Target, closed: Collection[str], polls: tuple[Poll, Poll], bench: Bench
) -> Iterator[Finding]:
    """A finding for each branch that both polarities reach.

    ``closed``: ids of the decisions of which something else is known.
    """
    if any(len(each.runs) < FEWEST_INPUTS for each in polls):
        return
    limit = 1 - bench.plan.recall_threshold
    branches = {goal.decision_id: goal.whole(Outcome.TRUE) for goal in target.goals}
    for decision, goal in branches.items():
        if decision in closed or not _about_polarity(goal, bench):
            continue
        shares = [each.share(goal) for each in polls]
        if all(share > limit for _, share, _ in shares):
            yield _finding(target, goal, polls, limit)


def _about_polarity(goal: Goal, bench: Bench) -> bool:
    """Whether a condition means to tell feelings apart.

    It compares something signed; or words about feelings stand next to it.
    One that asks for neither feeling, or for both by name, means to tell
    something else.
    """
    text = goal.decision_text
    if NEITHER.search(text) or (BOTH.search(text) and not re.search("[<>]", text)):
        return False
    strength = STRENGTH.search(text) or ("magnitude" in text and "score" not in text)
    if SIGNED.search(text) and re.search("[<>]", text) and not strength:
        return True
    lines = bench.source(goal.path).splitlines()[goal.line - 1 : goal.end_line + 3]
    return bool(POLARITY_WORDS.search("\n".join(lines)))


def _finding(target: Target, goal: Goal, polls: tuple[Poll, Poll], limit: float) -> Finding:
    (p_hits, p_share, p_range), (n_hits, n_share, n_range) = (each.share(goal) for each in polls)
    positives, negatives = (len(each.runs) for each in polls)
    words = Words(
        title=f"`{goal.decision_text}` does not tell positive from negative texts",
        message=(
            f"`{goal.decision_text}` is true for {p_hits} of {positives} texts that people rated "
            f"positive ({p_share:.0%}, 95 % interval {p_range[0]:.0%} to {p_range[1]:.0%}) and for "
            f"{n_hits} of {negatives} that they rated negative "
            f"({n_share:.0%}, {n_range[0]:.0%} to {n_range[1]:.0%})."
        ),
        evidence={
            "positive": _evidence(p_hits, positives, p_range),
            "negative": _evidence(n_hits, negatives, n_range),
            "threshold": limit,
        },
    )
    proof = Proof(
        polls[0].probes + polls[1].probes,
        Mixes(goal, positives, limit),
        f"text:{POSITIVE}|{NEGATIVE}:{goal.decision_text}",
    )
    clear = p_range[0] > limit and n_range[0] > limit
    level = Level.FAILURE if clear else Level.WARNING
    return branch_finding(target, goal, "cloud/mixed-sentiment", level, words, proof)


def _evidence(hits: int, total: int, interval: tuple[float, float]) -> dict[str, Json]:
    return {"inputs": total, "reached": hits, "interval": [round(end, 4) for end in interval]}
