"""Trials: inputs made for one branch, and what the code did with them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from analyzers.catalogue import Api, Catalogue
from analyzers.cloud.answers import (
    TEXT_TASKS,
    Reading,
    alone,
    answers_to,
    human,
    meaning_of,
    reading_of,
    same_text,
    whole,
)
from analyzers.judging import decision_point, reached, tells
from analyzers.ports import Bench
from analyzers.vocabulary import (
    Content,
    Exchange,
    Goal,
    Input,
    NotRun,
    Outcome,
    Probe,
    Run,
    Searched,
    Target,
    Wanted,
    Witness,
)

LONGEST_READING = 60
SHORTEST_READING = 2
NEGATION = re.compile(r"\bnot\b|!=")
STRING = re.compile(r"""(['"])(.+?)\1""")


@dataclass(frozen=True, slots=True)
class Wish:
    """A wanted answer for one clause goal, and the branch it should lead to.

    ``branch`` is the decision-level goal by which inputs are judged.  An
    unconfirmed wish was not reached by any searched answer: its reading is
    the constant that stands in the code.  ``suffices``: an answer that says
    no more than the reading leads to the branch.
    """

    goal: Goal
    branch: Goal
    wanted: Wanted
    template: Probe
    confirmed: bool = True
    suffices: bool = True


@dataclass(frozen=True, slots=True)
class Trial:
    """A wish, the inputs found for it, and their runs (recorded, in order)."""

    wish: Wish
    inputs: tuple[Input, ...]
    probes: tuple[Probe, ...]
    runs: tuple[Run, ...]
    unread: int = 0
    shortfall: str | None = None

    @property
    def successes(self) -> int:
        """How many inputs reached the branch that they were made for."""
        return sum(reached(self.wish.branch, run) for run in self.runs)


def wishes(
    target: Target, replayed: Sequence[tuple[Witness, Run]], catalogue: Catalogue, bench: Bench
) -> list[Wish]:
    """One wish for each goal whose witness, replayed, has a human reading."""
    goals = {goal.id: goal for goal in target.goals}
    found: dict[tuple[str, str | None], Wish] = {}
    for witness, run in replayed:
        wish = _wish(goals[witness.goal], witness, run, catalogue)
        if wish is not None:
            found.setdefault((wish.branch.id, wish.wanted.reading), wish)
    runs = bench.run([_saying_no_more(wish, catalogue) for wish in found.values()])
    return [
        replace(wish, suffices=reached(wish.branch, run))
        for wish, run in zip(found.values(), runs, strict=True)
    ]


def unconfirmed_wishes(
    target: Target, searched: Searched, template: Probe, apis: Sequence[Api]
) -> Iterator[Wish]:
    """Wishes for constants next to branches that no searched answer reached.

    ``apis``: those that the target asks.  Only where one API alone can be
    meant, it says one thing only, and the constant alone decides.
    """
    if len(apis) != 1 or len(apis[0].says) != 1 or not has_slot(template):
        return
    api, meaning = apis[0], apis[0].says[0]
    known = {witness.goal for witness in searched.witnesses}
    for goal in target.goals:
        constants = [c for c in searched.constants.get(goal.id, ()) if plausible(c)]
        lone = goal.clause is None and goal.outcome is Outcome.TRUE
        reading = human(meaning, constants[0]) if constants else None
        if lone and reading and goal.id not in known:
            yield Wish(goal, goal, Wanted(api.name, reading), template, confirmed=False)


def _wish(goal: Goal, witness: Witness, run: Run, catalogue: Catalogue) -> Wish | None:
    branch = branch_of(goal, run)
    script = witness.probe.script or ()
    if branch is None or not has_slot(witness.probe):
        return None
    readings = [(e.api, r) for e in script if (r := _reading(e, goal, catalogue)) is not None]
    if len(readings) != 1 or not plausible(readings[0][1].text):
        return None
    api, reading = readings[0]
    if not _asks(goal, reading.text):
        return None
    task = None if reading.task == catalogue.apis[api].task else reading.task
    return Wish(goal, branch, Wanted(api, reading.text, task=task), witness.probe)


def _asks(goal: Goal, reading: str) -> bool:
    """Whether an outcome is that of finding the reading.

    It is the true one; where the condition says ``not``, the one in which a
    string of the condition is there after all.
    """
    strings = [text.casefold() for _, text in STRING.findall(goal.text)]
    if not strings or not NEGATION.search(goal.text):
        return goal.outcome is Outcome.TRUE
    return any(text in reading.casefold() for text in strings)


def _saying_no_more(wish: Wish, catalogue: Catalogue) -> Probe:
    """The wish's witness with no other labels in its answer than the reading."""
    api = catalogue.apis[wish.wanted.api]
    meaning = meaning_of(api, wish.wanted.task)
    reading = wish.wanted.reading or ""
    script = tuple(
        replace(e, answer=alone(meaning, e.answer, reading)) if e.api == api.name else e
        for e in wish.template.script or ()
    )
    return replace(wish.template, script=script)


def _reading(exchange: Exchange, goal: Goal, catalogue: Catalogue) -> Reading | None:
    api = catalogue.apis.get(exchange.api)
    return None if api is None else reading_of(api, exchange.answer, goal.text)


def branch_of(goal: Goal, run: Run) -> Goal | None:
    """The decision-level goal that a run for a clause goal took, if any."""
    whole = goal.whole()
    return whole if decision_point(whole) in run.hits else None


def has_slot(probe: Probe) -> bool:
    """Whether a target takes an input at all."""
    return any(isinstance(argument, Content) for argument in probe.arguments.values())


def plausible(reading: str) -> bool:
    """Whether a person could be asked for an input with this reading."""
    return (
        SHORTEST_READING <= len(reading) <= LONGEST_READING
        and all(character.isprintable() or character == "\n" for character in reading)
        and any(character.isalnum() for character in reading)
    )


def try_out(wish: Wish, count: int, api: Api, bench: Bench) -> Trial:
    """Find inputs for a wish and run them, engines answering.

    Where a local engine stands in for the provider's and misread a picture,
    the miss says nothing about the code: such inputs are left out and
    counted as ``unread``.  So are runs that ended before the branch for want
    of time or of a world around them.
    """
    supply = bench.inputs(wish.wanted, count)
    probes = [wish.template.with_input(item) for item in supply.inputs]
    runs = bench.run(probes)
    kept = [
        (item, probe.answered(run.exchanges), run)
        for item, probe, run in zip(supply.inputs, probes, runs, strict=True)
        if tells(wish.branch, run)
    ]
    fair = [entry for entry in kept if _fair(wish, api, entry[2], bench)]
    problems = [run.ending.reason for run in runs if isinstance(run.ending, NotRun)]
    return Trial(
        wish,
        tuple(item for item, _, _ in fair),
        tuple(probe for _, probe, _ in fair),
        tuple(run for _, _, run in fair),
        unread=len(kept) - len(fair),
        shortfall=problems[0] if problems and not kept else supply.shortfall,
    )


def _fair(wish: Wish, api: Api, run: Run, bench: Bench) -> bool:
    reading, meaning = wish.wanted.reading, meaning_of(api, wish.wanted.task)
    reads = meaning is not None and meaning.task in TEXT_TASKS
    if not reads or reading is None or not bench.substitute(wish.wanted.api):
        return True
    answers = answers_to(wish.wanted.api, run.exchanges)
    return any(same_text(whole(meaning, answer) or "", reading) for answer in answers)


def by_branch(trials: Sequence[Trial]) -> Mapping[str, list[Trial]]:
    """The trials of each branch: the clauses of one decision belong together."""
    grouped: dict[str, list[Trial]] = {}
    for trial in trials:
        grouped.setdefault(trial.wish.branch.id, []).append(trial)
    return grouped
