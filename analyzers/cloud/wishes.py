"""Wishes: the readings that branches wait for, as searched answers tell them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from analyzers.catalogue import Api, Catalogue
from analyzers.cloud.answers import (
    NEGATIVE,
    POSITIVE,
    TEXT_TASKS,
    Reading,
    alone,
    human,
    meaning_by,
    reading_of,
    sure,
)
from analyzers.cloud.fields import decided_by_words, is_field
from analyzers.cloud.ordinary import FREE
from analyzers.judging import decision_point, reached
from analyzers.ports import Bench
from analyzers.vocabulary import (
    Content,
    Exchange,
    Goal,
    InputKind,
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
WRITTEN = TEXT_TASKS - {"speech"}
SHOWN = frozenset({"labels", "objects", "landmarks", "logos", "faces"})
STRING = re.compile(r"""(['"])(.+?)\1""")


@dataclass(frozen=True, slots=True)
class Wish:
    """A wanted answer for one clause goal, and the branch it should lead to.

    ``branch`` is the decision-level goal by which inputs are judged.  An
    unconfirmed wish was not reached by any searched answer: its reading is
    the constant that stands in the code.  ``lacks`` is what an answer that
    says no more than the reading, and surely, lacks to lead to the branch.
    """

    goal: Goal
    branch: Goal
    wanted: Wanted
    template: Probe
    confirmed: bool = True
    lacks: str | None = None


def wishes(
    target: Target, replayed: Sequence[tuple[Witness, Run]], catalogue: Catalogue, bench: Bench
) -> list[Wish]:
    """One wish for each goal whose witness, replayed, has a human reading."""
    goals = {goal.id: goal for goal in target.goals}
    found: dict[tuple[str, str | None], Wish] = {}
    for witness, run in replayed:
        goal = goals[witness.goal]
        wish = wish_for(goal, witness, run, catalogue)
        if wish is not None and _asks(goal, wish.wanted.reading or ""):
            found.setdefault((wish.branch.id, wish.wanted.reading), wish)
    kinds = [(wish, _saying_no_more(wish, catalogue)) for wish in found.values()]
    plain = bench.run([probe for _, probe in kinds])
    surely = bench.run([_saying_surely(wish, probe, catalogue) for wish, probe in kinds])
    return [
        replace(wish, lacks=_lacking(wish.branch, *runs))
        for wish, *runs in zip(found.values(), plain, surely, strict=True)
    ]


def _lacking(branch: Goal, plain: Run, surely: Run) -> str | None:
    if not reached(branch, plain):
        return "several labels in one answer"
    return None if reached(branch, surely) else "an answer that the API is not sure of"


def unconfirmed_wishes(
    target: Target, searched: Searched, template: Probe, apis: Sequence[Api]
) -> Iterator[Wish]:
    """Wishes for constants next to branches that no searched answer reached.

    ``apis``: those that the target asks.  Only where one API alone can be
    meant, it says one thing only, and the constant alone decides.  The name of
    a field is no reading.
    """
    if len(apis) != 1 or len(apis[0].says) != 1 or not has_slot(template):
        return
    api, meaning = apis[0], apis[0].says[0]
    known = {witness.goal for witness in searched.witnesses}
    for goal in target.goals:
        found = searched.constants.get(goal.id, ())
        constants = [c for c in found if plausible(c) and not is_field(api, c)]
        lone = goal.clause is None and goal.outcome is Outcome.TRUE
        lone = lone and decided_by_words(goal.decision_text)
        reading = human(meaning, constants[0]) if constants else None
        if lone and reading and goal.id not in known:
            yield Wish(goal, goal, Wanted(api.name, reading), template, confirmed=False)


def wish_for(goal: Goal, witness: Witness, run: Run, catalogue: Catalogue) -> Wish | None:
    """The wish for an input that is as a witness's answer says, whatever the goal asks for."""
    branch = branch_of(goal, run)
    script = witness.probe.script or ()
    if branch is None or not has_slot(witness.probe):
        return None
    readings = [(e.api, r) for e in script if (r := _reading(e, goal, catalogue)) is not None]
    upon = _shown_besides(goal, [reading for _, reading in readings])
    readings = [(api, r) for api, r in readings if upon is None or r.text != upon]
    if len(readings) != 1 or not plausible(readings[0][1].text):
        return None
    api, reading = readings[0]
    task = _task(catalogue.apis[api], reading, witness.probe)
    return Wish(goal, branch, Wanted(api, reading.text, task=task, upon=upon), witness.probe)


def _task(api: Api, reading: Reading, probe: Probe) -> str | None:
    """What to find in the inputs, where the API is not for that mainly.

    A language model is for anything: for what a picture shows, for the
    feeling or the topic of a text.
    """
    if api.task not in FREE:
        return None if reading.task == api.task else reading.task
    if shows_pictures(probe):
        return "labels"
    return "sentiment" if reading.text.casefold() in (POSITIVE, NEGATIVE) else "classify"


def _shown_besides(goal: Goal, readings: Sequence[Reading]) -> str | None:
    """What a picture shows under its words, where both are asked of the same picture.

    Not where the condition itself is about what is shown alone: words would
    be judged by it.
    """
    shown = [r.text for r in readings if r.task in SHOWN]
    words = [r.text.casefold() for r in readings if r.task in WRITTEN]
    if len(readings) != 2 or len(shown) != 1 or len(words) != 1 or not plausible(shown[0]):
        return None
    strings = [text.casefold() for _, text in STRING.findall(goal.text)]
    told = shown[0].casefold() in strings and not any(text in words[0] for text in strings)
    return None if told else shown[0]


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
    task, reading = wish.wanted.task, wish.wanted.reading or ""
    script = tuple(
        e.answering(alone(meaning_by(api, task, e.answer, reading), e.answer, reading))
        if e.api == api.name
        else e
        for e in wish.template.script or ()
    )
    return replace(wish.template, script=script)


def _saying_surely(wish: Wish, probe: Probe, catalogue: Catalogue) -> Probe:
    """A probe whose answer has no low score in it."""
    api = catalogue.apis[wish.wanted.api]
    script = tuple(
        e.answering(sure(api, e.answer)) if e.api == api.name else e for e in probe.script or ()
    )
    return replace(probe, script=script)


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


def shows_pictures(probe: Probe) -> bool:
    """Whether what a target takes is a picture."""
    return bool(probe.inputs) and probe.inputs[0].kind is InputKind.IMAGE


def plausible(reading: str) -> bool:
    """Whether a person could be asked for an input with this reading."""
    return (
        SHORTEST_READING <= len(reading) <= LONGEST_READING
        and all(character.isprintable() or character == "\n" for character in reading)
        and any(character.isalnum() for character in reading)
    )
