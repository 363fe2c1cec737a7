"""The same inputs through base and head."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analyzers.cloud.crashes import Executed, made_up
from analyzers.cloud.examination import Examination
from analyzers.cloud.judges.behaviour import (
    Branch,
    Pair,
    changed_behaviour,
    deciding,
    explained,
)
from analyzers.judging import UNSTEADY, decided, same_decision, shows, translate
from analyzers.vocabulary import Finding, Goal, Status, Verdict


def behaviour(look: Examination) -> Iterator[Verdict]:
    """What the change does to the outcome of real inputs, but for what findings say."""
    executed = _real(look.executed)
    before = look.bench.run_on_base([probe for probe, _ in executed]) if executed else None
    if before is None:
        return
    pairs = [Pair(p, run, then) for (p, run), then in zip(executed, before, strict=True)]
    branches = _branches(look, deciding(look.target))
    compared = [pair for pair in pairs if pair.outcomes(branches) is not None]
    changed = [pair for pair in compared if pair.differs(branches)]
    told = [branch for finding in _new(look) for branch in finding] if changed else []
    changed = [pair for pair in changed if not explained(pair, told)]
    if changed and not _steady(look, compared, changed, branches):
        yield look.skipped(UNSTEADY)
    elif changed:
        yield changed_behaviour(look.target, compared, changed, branches)


def _real(executed: Sequence[Executed]) -> list[Executed]:
    """The runs of inputs that were not made up, each input once."""
    real = [(probe, run) for probe, run in executed if not made_up(probe)]
    return list({tuple(probe.arguments.items()): (probe, run) for probe, run in real}.values())


def _branches(look: Examination, goals: Sequence[Goal]) -> list[Branch]:
    """The decisions that base has too."""
    found = [(goal, _on_base(look, goal)) for goal in goals]
    return [Branch(goal, there) for goal, there in found if there is not None]


def _on_base(look: Examination, goal: Goal) -> Goal | None:
    there = look.bench.base(goal.path)
    if there is None:
        return None
    return same_decision(goal, there[0], look.bench.source(goal.path), there[1])


def _new(look: Examination) -> Iterator[list[Branch]]:
    """The decisions of each finding that only one side shows."""
    for finding in look.findings:
        fixed = finding.status is Status.FIXED
        if finding.criterion.goals and (fixed or not _shown_on_base(look, finding)):
            yield _branches(look, finding.criterion.goals)


def _shown_on_base(look: Examination, finding: Finding) -> bool:
    there = look.bench.base(finding.path)
    if there is None:
        return False
    criterion = translate(finding.criterion, there[0], look.bench.source(finding.path), there[1])
    runs = look.bench.run_on_base(finding.probes)
    return bool(criterion and runs and decided(runs) and shows(criterion, runs))


def _steady(
    look: Examination, compared: Sequence[Pair], changed: Sequence[Pair], branches: Sequence[Branch]
) -> bool:
    """Whether head comes to the same again, and base for what changed."""
    heads = look.bench.run([pair.probe for pair in compared])
    again = [Pair(p.probe, run, p.base) for p, run in zip(compared, heads, strict=True)]
    bases = look.bench.run_on_base([pair.probe for pair in changed]) or ()
    again += [Pair(p.probe, p.head, run) for p, run in zip(changed, bases, strict=False)]
    first = [*compared, *changed[: len(bases)]]
    return bool(bases) and all(
        one.outcomes(branches) == two.outcomes(branches)
        for one, two in zip(first, again, strict=True)
    )
