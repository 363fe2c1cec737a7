"""Inputs made for one branch, and the runs of the code on them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

from analyzers.catalogue import Api
from analyzers.cloud.api_answers import (
    TEXT_TASKS,
    answers_to,
    meaning_of,
    meanings_of,
    reads,
    same_text,
    whole,
)
from analyzers.cloud.examination import Examination
from analyzers.cloud.inversion import altered
from analyzers.cloud.messages import outside_conditions
from analyzers.cloud.objectives import Objective
from analyzers.cloud.stand_in_labels import StandInAnswers, stands_in
from analyzers.criteria import decision_point, is_informative, reached
from analyzers.ports import Executor
from analyzers.vocabulary import (
    BranchOutcome,
    Goal,
    Input,
    NotRun,
    Probe,
    Run,
)


@dataclass(frozen=True, slots=True)
class BranchCase:
    """An objective, the inputs found for it, and their runs (recorded, in order).

    ``supplied`` counts all inputs that the sources gave, usable or not;
    ``exhausted``: they gave fewer than they were asked for.  ``altered`` says
    for each run what the API was asked about where it is not what was given.
    """

    objective: Objective
    inputs: tuple[Input, ...]
    probes: tuple[Probe, ...]
    runs: tuple[Run, ...]
    unread: int = 0
    shortfall: str | None = None
    supplied: int = 0
    exhausted: bool = False
    altered: tuple[str | None, ...] = ()

    def followed_by(self, more: BranchCase) -> BranchCase:
        """Return this case and the one that continues it, as one."""
        return replace(
            more,
            inputs=self.inputs + more.inputs,
            probes=self.probes + more.probes,
            runs=self.runs + more.runs,
            unread=self.unread + more.unread,
            altered=self.altered + more.altered,
        )

    @property
    def successes(self) -> int:
        """Return how many inputs reached the branch that they were made for."""
        return sum(reached(self.objective.branch, run) for run in self.runs)


def run_case(
    objective: Objective, count: int, api: Api, look: Examination, tried: int = 0
) -> BranchCase:
    """Find ``count`` inputs for an objective and run those after the first ``tried``.

    The engines answer; a source that is asked for more begins with the same.
    Texts are passed so that the API is asked about them; those that it cannot
    be asked about are left out.

    Where a local engine stands in for the provider's and misread a picture,
    the miss says nothing about the code: such inputs are left out and
    counted as ``unread``, as are misses that rest on the order or the scores of its labels.
    So are runs that ended before the branch for want of time or of a world around them, or by
    a condition that no answer decides.
    """
    bench = look.bench
    supply = bench.inputs(objective.wanted, count)
    passed = look.inverter.passed(api.name, objective.template, supply.inputs[tried:])
    probes = [objective.template.with_input(item) for item in passed.inputs]
    runs = bench.run(probes)
    kept = [
        (item, probe.answered(run.exchanges), run, altered(api.name, item, probe, run, text))
        for item, text, probe, run in zip(passed.inputs, passed.meant, probes, runs, strict=True)
        if is_informative(objective.branch, run)
    ]
    meeting = _meeting_conditions(objective, look, [run for _, _, run, _ in kept])
    met = [entry for entry, meets in zip(kept, meeting, strict=True) if meets]
    fair = [entry for entry in met if _fair(objective, api, entry[2], bench)]
    fair = _not_by_order(objective, api, fair, bench)
    problems = [run.ending.reason for run in runs if isinstance(run.ending, NotRun)]
    if kept and not met:
        problems, kept = [outside_conditions(objective.branch, len(kept))], []
    return BranchCase(
        objective,
        tuple(item for item, _, _, _ in fair),
        tuple(probe for _, probe, _, _ in fair),
        tuple(run for _, _, run, _ in fair),
        unread=len(met) - len(fair),
        shortfall=problems[0] if problems and not kept else passed.shortfall or supply.shortfall,
        supplied=len(supply.inputs),
        exhausted=len(supply.inputs) < count,
        altered=tuple(said for _, _, _, said in fair),
    )


def _meeting_conditions(objective: Objective, look: Examination, runs: Sequence[Run]) -> list[bool]:
    """Return for each run whether it met the conditions before the branch that no answer decides.

    They turn out for it as they do for the answer that is known to lead to the branch.
    """
    if not (objective.confirmed and runs):
        return [True] * len(runs)
    (known,) = look.bench.run([objective.template])
    wanted = _outcomes(known)
    answered = {goal.decision_id for goal in look.target.goals}

    def meets(run: Run) -> bool:
        if any(decision_point(objective.branch, outcome) in run.hits for outcome in BranchOutcome):
            return True
        taken = _outcomes(run)
        other = {d for d, ways in wanted.items() if d in taken and not ways & taken[d]}
        return not other or bool(other & answered)

    return [meets(run) for run in runs]


def _outcomes(run: Run) -> dict[str, set[str]]:
    """Return how each decision of a run turned out, by its id."""
    found: dict[str, set[str]] = {}
    for point in run.hits:
        decision, _, outcome = point.rpartition(":")
        if "." not in decision.rpartition("#")[2]:
            found.setdefault(decision, set()).add(outcome)
    return found


def _fair(objective: Objective, api: Api, run: Run, bench: Executor) -> bool:
    reading, meaning = objective.wanted.reading, meaning_of(api, objective.wanted.task)
    if meaning is None or reading is None or not bench.substitute(objective.wanted.api):
        return True
    answers = answers_to(objective.wanted.api, run.exchanges)
    if meaning.task in TEXT_TASKS:
        texts = [whole(meaning, answer) or "" for answer in answers]
        if meaning.task == "speech":  # nobody hears capitals, nor full stops
            texts, reading = [_heard(text) for text in texts], _heard(reading)
        return any(same_text(text, reading) for text in texts)
    meanings = meanings_of(api, objective.wanted.task)
    if stands_in(bench, api, objective.wanted.task):
        return any(StandInAnswers(bench, api, each, reading).see_it(answers) for each in meanings)
    if not any(each.readings for each in meanings):
        return True
    return any(reads(each, answer, reading) for each in meanings for answer in answers)


_Entry: TypeAlias = tuple[Input, Probe, Run, str | None]


def _not_by_order(
    objective: Objective, api: Api, entries: list[_Entry], bench: Executor
) -> list[_Entry]:
    """Leave out the misses that go away when a stand-in's answer says the reading first."""
    task, reading = objective.wanted.task, objective.wanted.reading
    meaning = meaning_of(api, task)
    missed = [at for at, (*_, run, _) in enumerate(entries) if not reached(objective.branch, run)]
    if meaning is None or reading is None or not missed or not stands_in(bench, api, task):
        return entries
    answers = StandInAnswers(bench, api, meaning, reading)
    runs = bench.run([answers.said_first(entries[at][1]) for at in missed])
    pairs = zip(missed, runs, strict=True)
    blamed = {at for at, run in pairs if reached(objective.branch, run)}
    return [entry for at, entry in enumerate(entries) if at not in blamed]


def _heard(text: str) -> str:
    return re.sub(r"[^\w\s']", " ", text).casefold()


def by_branch(branch_cases: Sequence[BranchCase]) -> Mapping[str, list[BranchCase]]:
    """Return the cases of each branch: the clauses of one decision belong together."""
    grouped: dict[str, list[BranchCase]] = {}
    for branch_case in branch_cases:
        grouped.setdefault(branch_case.objective.branch.id, []).append(branch_case)
    return grouped


class BranchRun(NamedTuple):
    """One recorded input with its run: whether it was meant for a branch and reached it."""

    probe: Probe
    run: Run
    meant: bool
    reached: bool


def observed(
    branch_cases: Sequence[BranchCase], others: Sequence[tuple[Probe, Run]], branch: Goal
) -> list[BranchRun]:
    """Return every run, of the inputs for a branch first."""
    meant = [pair for each in branch_cases for pair in zip(each.probes, each.runs, strict=True)]
    return [
        BranchRun(probe, run, meant=is_meant, reached=reached(branch, run))
        for is_meant, pairs in ((True, meant), (False, others))
        for probe, run in pairs
    ]
