"""Inputs that show none of what the branches wait for: everybody else who comes by.

They reach the branches for all the rest (Keeper's goal “none” of a
disjunction), and count against a branch that lets too much through.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzers.catalogue import Api
from analyzers.cloud.answers import TEXT_TASKS, meaning_of
from analyzers.cloud.examination import Examination
from analyzers.cloud.wishes import has_slot, shows_pictures
from analyzers.vocabulary import Verdict, Wanted

EVERYDAY = ("Thank you for your visit", "see you on Monday")
"""What is written and said where nobody waits for it."""
SHOWN = frozenset({"labels", "objects"})
OTHER_CLASSES = 2


def unrelated(look: Examination) -> Iterator[Verdict]:
    """Run inputs with other readings; the crashes among them."""
    for api in look.asked if has_slot(look.template) else ():
        wishes = _wanted(look, api, _readings(look, api))
        for wanted in wishes:
            if look.bench.remaining() <= 0:
                return
            count = -(-look.bench.plan.inputs // len(wishes))
            done = look.given(wanted, count, look.template)
            look.unmeant += done
            yield from look.ran([probe for probe, _ in done], [run for _, run in done])


def _readings(look: Examination, api: Api) -> tuple[str, ...]:
    """What some branch waits for, as wishes and as constants near the goals say."""
    wished = [w.wanted.reading or "" for w in look.wishes if w.wanted.api == api.name]
    constants = [word for words in look.searched.constants.values() for word in words]
    return tuple(dict.fromkeys([*wished, *constants]))


def _wanted(look: Examination, api: Api, readings: tuple[str, ...]) -> list[Wanted]:
    meaning = meaning_of(api)
    if meaning is None or not readings:
        return []
    if meaning.readings:
        others = [r for r in dict.fromkeys(meaning.readings.values()) if r and r not in readings]
        return [Wanted(api.name, reading) for reading in others[:OTHER_CLASSES]]
    if meaning.task in SHOWN:
        return [Wanted(api.name, None, other_than=readings)]
    if meaning.inside and shows_pictures(look.template):
        return [Wanted(api.name, None, other_than=readings, task="labels")]
    if meaning.task not in TEXT_TASKS:
        return []
    folded = [reading.casefold() for reading in readings]
    return [
        Wanted(api.name, text)
        for text in EVERYDAY
        if not any(reading in text.casefold() for reading in folded)
    ]
