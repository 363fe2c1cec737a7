"""The relations of the table: another API of the library that gives the same value."""

from __future__ import annotations

from typing import Iterator, Optional

from ..libraries.library import Library
from ..nouns import CRASH, CRASHED, STATUS, VALUE, Disagreement, Live, Relation
from ..outcomes import outcome_of
from .trial import Trial

NAME = VALUE


def judge(trial: Trial) -> Iterator[Disagreement]:
    """Each value relation's target, called as its template says."""
    for relation in trial.relations:
        if relation.source == trial.live.api:
            yield from _judged(trial, relation)


def _judged(trial: Trial, relation: Relation) -> Iterator[Disagreement]:
    live = trial.attempt(lambda: _applied(relation, trial.live, trial.library))
    if not isinstance(live, Live):
        return
    outcome, expected = outcome_of(lambda: trial.run(live), trial.library)
    if outcome.status == CRASHED:
        kind = relation.kind
        yield Disagreement(trial.live.api, relation.template, kind, CRASH, trial.outcome, outcome)
    elif relation.kind != STATUS and not outcome.exception:
        disagreement = trial.disagreement(NAME, relation.template, expected)
        if disagreement is not None:
            yield disagreement


def _applied(relation: Relation, live: Live, library: Library) -> Optional[Live]:
    from ..synthesis.templates import applied

    for source in library.apis():
        if source.name == relation.source:
            return applied(relation.template, source, live, library)
    return None
