"""Branches that do not separate positive from negative texts (Keeper, 4.1.1).

The shares of all positive and of all negative texts that reach a branch are
compared with ``1 - threshold`` of the recall, each with its interval.  So is
what the branch gets (Keeper's own measure), where few texts reach it and the
intervals leave no doubt.  Only the branch that a condition selects is judged:
what falls through to an ``else`` need not be one emotion.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from analyzers.cloud import messages
from analyzers.cloud.api_answers import NEGATIVE, POSITIVE
from analyzers.cloud.branch_findings import BranchMessage, Proof, branch_finding
from analyzers.cloud.examination import Examination
from analyzers.cloud.inversion import Inverter
from analyzers.cloud.recall_statistics import FEWEST_INPUTS, recall_interval
from analyzers.cloud.repairs.sentiment_thresholds import retuned
from analyzers.criteria import reached
from analyzers.ports import Executor
from analyzers.rules.cloud_rules import MIXED_SENTIMENT
from analyzers.vocabulary import (
    BranchOutcome,
    Finding,
    Form,
    Goal,
    InputArgument,
    InputRequest,
    Json,
    Level,
    Mixes,
    NotRun,
    Probe,
    Run,
    Target,
    Verdict,
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
        """Return how many reach the goal, which share, and its 95 % interval."""
        hits = sum(reached(goal, run) for run in self.runs)
        return hits, hits / len(self.runs), recall_interval(hits, len(self.runs))


def poll(api: str, polarity: str, template: Probe, bench: Executor, inverter: Inverter) -> Poll:
    """Run texts that people rated as of this polarity."""
    supply = bench.inputs(InputRequest(api, polarity), bench.plan.inputs * TEXTS_PER_INPUT)
    passed = inverter.passed(api, template, supply.inputs)
    probes = [template.with_input(item) for item in passed.inputs]
    runs = bench.run(probes)
    kept = [(p, r) for p, r in zip(probes, runs, strict=True) if not isinstance(r.ending, NotRun)]
    reasons = [r.ending.reason for r in runs if isinstance(r.ending, NotRun)]
    return Poll(
        tuple(probe.answered(run.exchanges) for probe, run in kept),
        tuple(run for _, run in kept),
        reasons[0] if reasons and not kept else passed.shortfall or supply.shortfall,
    )


def takes_text(template: Probe) -> bool:
    """Return whether the ML input of the target is a text."""
    return any(
        isinstance(a, InputArgument) and a.form is Form.TEXT for a in template.arguments.values()
    )


def mixed(
    target: Target, closed: Collection[str], polls: tuple[Poll, Poll], bench: Executor
) -> Iterator[Finding]:
    """Yield a finding for each branch that both polarities reach.

    ``closed``: ids of the decisions of which something else is known.
    """
    if any(len(each.runs) < FEWEST_INPUTS for each in polls):
        return
    limit = 1 - bench.plan.recall_threshold
    about = _branches(target, (), bench)
    first = {goal.function: goal for goal in sorted(about, key=_place, reverse=True)}
    for goal in (each for each in about if each.decision_id not in closed):
        shares = [each.share(goal) for each in polls]
        if all(share > limit for _, share, _ in shares):
            yield _finding(target, goal, polls, limit)
        elif goal is first[goal.function] and _one_sided(goal) and _mixture(goal, polls, limit):
            yield _of_both(target, goal, polls, limit)


def _branches(target: Target, closed: Collection[str], bench: Executor) -> list[Goal]:
    """Return the branches of a target that mean to tell feelings apart."""
    branches = {goal.decision_id: goal.whole(BranchOutcome.TRUE) for goal in target.goals}
    about = (goal for goal in branches.values() if goal.decision_id not in closed)
    return [goal for goal in about if _about_polarity(goal, bench)]


def _place(goal: Goal) -> int:
    return goal.decision


def _one_sided(goal: Goal) -> bool:
    """Return whether a condition is one signed comparison: no band between two limits.

    A later comparison of a function may be the other half of a band.
    """
    return _signed(goal.decision_text) and len(re.findall("[<>]", goal.decision_text)) == 1


def _mixture(goal: Goal, polls: tuple[Poll, Poll], limit: float) -> bool:
    """Return whether of what a branch gets both feelings surely have more than the limit."""
    (positive, _, _), (negative, _, _) = (each.share(goal) for each in polls)
    total = positive + negative
    return all(recall_interval(hits, total)[0] > limit for hits in (positive, negative))


def _signed(text: str) -> bool:
    strength = STRENGTH.search(text) or ("magnitude" in text and "score" not in text)
    return bool(SIGNED.search(text) and re.search("[<>]", text) and not strength)


def _about_polarity(goal: Goal, bench: Executor) -> bool:
    """Return whether a condition means to tell feelings apart.

    It compares something signed; or words about feelings stand next to it.
    One that asks for neither feeling, or for both by name, means to tell
    something else.
    """
    text = goal.decision_text
    if NEITHER.search(text) or (BOTH.search(text) and not re.search("[<>]", text)):
        return False
    if _signed(text):
        return True
    lines = bench.source(goal.path).splitlines()[goal.line - 1 : goal.end_line + 3]
    return bool(POLARITY_WORDS.search("\n".join(lines)))


def _finding(target: Target, goal: Goal, polls: tuple[Poll, Poll], limit: float) -> Finding:
    counts = []
    for each in polls:
        hits, _, interval = each.share(goal)
        counts.append((hits, len(each.runs), interval))
    words = BranchMessage(
        *messages.mixed_sentiment(goal, counts[0], counts[1]), _evidence(goal, polls, limit)
    )
    clear = all(low > limit for _, _, (low, _) in counts)
    level = Level.FAILURE if clear else Level.WARNING
    proof = _proof(goal, polls, limit)
    return branch_finding(target, goal, MIXED_SENTIMENT, level, words, proof)


def _of_both(target: Target, goal: Goal, polls: tuple[Poll, Poll], limit: float) -> Finding:
    (positive, p_share, _), (negative, n_share, _) = (each.share(goal) for each in polls)
    low, high = recall_interval(positive, positive + negative)
    words = BranchMessage(
        *messages.mixed_selection(goal, positive, negative, (low, high)),
        {
            **_evidence(goal, polls, limit),
            "selected": {
                "inputs": positive + negative,
                "positive": positive,
                "negative": negative,
                "positive_interval": [round(low, 4), round(high, 4)],
            },
        },
    )
    proof = _proof(goal, polls, min(p_share, n_share) / 2)
    return branch_finding(target, goal, MIXED_SENTIMENT, Level.FAILURE, words, proof)


def _proof(goal: Goal, polls: tuple[Poll, Poll], limit: float) -> Proof:
    return Proof(
        polls[0].probes + polls[1].probes,
        Mixes(goal, len(polls[0].runs), limit),
        f"text:{POSITIVE}|{NEGATIVE}:{goal.decision_text}",
    )


def _evidence(goal: Goal, polls: tuple[Poll, Poll], limit: float) -> dict[str, Json]:
    """Return how many of each kind reach the branch."""
    found: dict[str, Json] = {"threshold": limit}
    for name, each in zip((POSITIVE, NEGATIVE), polls, strict=True):
        hits, _, interval = each.share(goal)
        counts: dict[str, Json] = {"inputs": len(each.runs), "reached": hits}
        found[name] = {**counts, "interval": [round(end, 4) for end in interval]}
    return found


def sentiment(look: Examination) -> Iterator[Verdict]:
    """Poll texts that people rated, where the target asks for their feeling."""
    apis = [api for api in look.asked if api.task == "sentiment"]
    if not apis or not takes_text(look.template):
        return
    polls = (
        poll(apis[0].name, POSITIVE, look.template, look.bench, look.inverter),
        poll(apis[0].name, NEGATIVE, look.template, look.bench, look.inverter),
    )
    for each in polls:
        yield from look.ran(each.probes, each.runs)
    fewest = min(len(each.runs) for each in polls)
    shortfall = next((p.shortfall for p in polls if p.shortfall and not p.runs), None)
    unjudged = _branches(look.target, look.closed, look.bench) if fewest < FEWEST_INPUTS else []
    if shortfall or unjudged:
        reason = shortfall or messages.too_few_texts(fewest, FEWEST_INPUTS)
        yield look.skipped(reason, *unjudged)
    for finding in mixed(look.target, look.closed, polls, look.bench):
        yield retuned(finding, polls[0].runs, polls[1].runs, apis[0], look.bench)
