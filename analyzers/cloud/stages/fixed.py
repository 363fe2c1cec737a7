"""Branches that inputs reach on head and did not on base."""

from __future__ import annotations

from dataclasses import replace

from analyzers.cloud.examination import Examination
from analyzers.cloud.judges.recall import low_recall
from analyzers.cloud.sequential import Count, Family, weigh
from analyzers.cloud.stages.sampling import Sample, api_of
from analyzers.judging import decision_point, reached, same_decision
from analyzers.vocabulary import Finding, Goal, Misses, Outcome, Run, Status

ERROR = 0.05
_UNREPAIRED = {"no_repair": "the change has fixed it"}


def fixed_recall(look: Examination, sample: Sample, family: Family) -> Finding | None:
    """Return the finding of a branch that the same inputs surely missed on base.

    The sample is one that head reaches often enough.
    """
    branch = sample.trials[0].wish.branch
    before = _on_base(look, branch)
    probes = [probe for trial in sample.trials for probe in trial.probes]
    runs = None if before is None else look.bench.run_on_base(probes)
    if before is None or runs is None or not all(_decides(before, run) for run in runs):
        return None
    count = Count(sum(reached(before, run) for run in runs), len(runs), [len(runs)])
    weigh([count], family.threshold, ERROR)
    if not count.fails(family.threshold):
        return None
    trials, ran = [], iter(runs)
    for trial in sample.trials:
        there = tuple(next(ran) for _ in trial.runs)
        trials.append(replace(trial, wish=replace(trial.wish, branch=before), runs=there))
    found = low_recall(look.target, trials, api_of(trials[0]), count, family)
    return None if found is None else _fixed(found, branch, sample.count, family)


def _decides(before: Goal, run: Run) -> bool:
    """Return whether a run came to the decision: what leaves before it says nothing of it."""
    return any(decision_point(before, outcome) in run.hits for outcome in Outcome)


def _on_base(look: Examination, branch: Goal) -> Goal | None:
    """The decision on base; ``None`` where it is not there, or nothing is different."""
    bench = look.bench
    there = bench.base(branch.path)
    same = all(bench.base(path) == (path, bench.source(path)) for path in look.target.files)
    if there is None or same:
        return None
    return same_decision(branch, there[0], bench.source(branch.path), there[1])


def _fixed(found: Finding, branch: Goal, count: Count, family: Family) -> Finding:
    """The finding at the branch of head."""
    lead, rest = found.message[:1].lower(), found.message[1:]
    return replace(
        found,
        status=Status.FIXED,
        path=branch.path,
        line=branch.line,
        end_line=branch.end_line,
        title=f"Fixed: {found.title}",
        message=f"Fixed by this change. On base, {lead}{rest} On head, {count.reached} of them do.",
        evidence={**found.evidence, "reached_on_head": count.reached, **_UNREPAIRED},
        criterion=Misses(branch, family.threshold),
    )
