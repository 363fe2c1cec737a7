"""Inputs for branches that no input has reached yet (Keeper: a branch is covered by inputs).

A branch such as ``score < 0.4`` waits for nothing that could be counted as
found or missed.  An input with what the search's answer says may lead there
all the same: it is run for the crashes behind that branch, and judges nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from analyzers import catalogue
from analyzers.cloud.answers import answers_to, meaning_of, said
from analyzers.cloud.crashes import made_up
from analyzers.cloud.examination import Examination
from analyzers.cloud.wishes import Wish, plausible, wish_for
from analyzers.judging import decision_point
from analyzers.vocabulary import Goal, Verdict

MOST_READINGS = 2
SHOWN_TOGETHER = frozenset({"labels", "objects"})
MOST_TOGETHER = 3
MOST_ROUNDS = 10
SENTENCE = "I would like to have"


def reaching(look: Examination) -> Iterator[Verdict]:
    """Run inputs for each branch that answers reach and no input did; the crashes among them."""
    for goal in look.target.goals:
        if goal.clause is not None:
            continue
        for wish in _wishes(look, goal):
            yield from _run(look, goal, wish)


def _run(look: Examination, goal: Goal, wish: Wish) -> Iterator[Verdict]:
    """Run inputs until one reaches the branch; texts of a known feeling are there in plenty."""
    inputs = look.bench.plan.inputs
    plenty = catalogue.load()[wish.wanted.api].task == "sentiment"
    for tried in range(0, inputs * (MOST_ROUNDS if plenty else 1), inputs):
        if look.bench.remaining() <= 0 or _is_reached(look, goal):
            return
        made = look.given(wish.wanted, tried + inputs, wish.template, tried)
        yield from look.ran([probe for probe, _ in made], [run for _, run in made])
        if not made:
            return


def _is_reached(look: Examination, goal: Goal) -> bool:
    point = decision_point(goal)
    return any(point in run.hits and not made_up(probe) for probe, run in look.executed)


def _wishes(look: Examination, goal: Goal) -> list[Wish]:
    """The different readings with which the search reached a branch."""
    point = decision_point(goal)
    made = [
        wish
        for witness, run in look.replayed
        if point in run.hits
        for wish in _with_all(wish_for(goal, witness, run, catalogue.load()))
    ]
    tried = {(wish.wanted.api, wish.wanted.reading) for wish in look.wishes}
    new: dict[tuple[str, str | None], Wish] = {}
    for wish in made:
        if (key := (wish.wanted.api, wish.wanted.reading)) not in tried:
            new.setdefault(key, wish)
    return list(new.values())[:MOST_READINGS]


def _with_all(wish: Wish | None) -> Iterator[Wish]:
    """A wish, and that for a picture of all that its answer shows, or for a word in a sentence.

    A word alone is often misheard.
    """
    if wish is None:
        return
    yield wish
    api = catalogue.load()[wish.wanted.api]
    if api.task == "speech" and (wish.wanted.reading or "").isalpha():
        sentence = f"{SENTENCE} {wish.wanted.reading}"
        yield replace(wish, wanted=replace(wish.wanted, reading=sentence))
    meaning = meaning_of(api, wish.wanted.task)
    answers = answers_to(api.name, wish.template.script or ())
    shown = dict.fromkeys(word for answer in answers for word in said(meaning, answer))
    if (
        api.task in SHOWN_TOGETHER
        and 1 < len(shown) <= MOST_TOGETHER
        and all(map(plausible, shown))
    ):
        yield replace(wish, wanted=replace(wish.wanted, reading=" and ".join(shown)))
