"""Answers as an API gives them every day, for telling a crash from a routine."""

from __future__ import annotations

from collections.abc import Sequence

from analyzers import catalogue
from analyzers.catalogue import Api
from analyzers.vocabulary import Exchange, Probe, Run

FREE = frozenset({"chat", "completion"})
"""Tasks whose answer is whatever the question asks for."""


def ordinary_script(apis: Sequence[Api]) -> tuple[Exchange, ...] | None:
    """An everyday answer of each API; ``None`` where one has none here."""
    if not apis or not all(fully_modelled(api.name) for api in apis):
        return None
    answers = catalogue.load().ordinary
    return tuple(Exchange(api.name, "", answers[api.name]) for api in apis)


def answered_anyway(probe: Probe, run: Run, apis: Sequence[Api]) -> Probe:
    """Return a probe with its run's answers; where it came to none, with everyday ones.

    They are for a repaired function, which goes on to ask.
    """
    return probe.answered(run.exchanges or ordinary_script(apis) or ())


def fully_modelled(api: str) -> bool:
    """Whether made-up answers of an API have every field that a real one has.

    The search takes what it does not vary from the everyday answer.
    """
    known = catalogue.load()
    return api in known.ordinary and known.apis[api].task not in FREE
