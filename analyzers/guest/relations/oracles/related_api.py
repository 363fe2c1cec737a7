"""The relations of the table: another API of the library that gives the same value."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Dict, Iterator, Optional, cast

from ..library_calls import format_value, outcome_of, success_outcome
from ..relation_types import (
    CRASH,
    CRASHED,
    STATUS,
    VALUE,
    Disagreement,
    Library,
    LibraryApi,
    LiveCall,
    Relation,
)
from .call_under_test import CallUnderTest
from .call_values import dtypes_of, may_write, writes
from .exemptions import is_exempt

NAME = VALUE
FEWEST_INPUTS = 3
"""A relation that was seen to hold on fewer inputs may hold by chance."""


def judge(trial: CallUnderTest) -> Iterator[Disagreement]:
    """Each value relation's target, called as its template says."""
    if is_exempt(NAME, trial.live.api):
        return
    for relation in trial.relations:
        if relation.source == trial.live.api and not (0 < relation.inputs < FEWEST_INPUTS):
            yield from _judged(trial, relation)


def _judged(trial: CallUnderTest, relation: Relation) -> Iterator[Disagreement]:
    live = trial.attempt(lambda: _applied(relation, trial.live, trial.library))
    if not isinstance(live, LiveCall) or is_exempt(NAME, live.api):
        return
    if writes(live.api) and not may_write(live, trial.value):
        return
    outcome, expected = outcome_of(lambda: trial.run(live), trial.library, is_told=False)
    if outcome.status == CRASHED:
        ours, kind = success_outcome(trial.value), relation.kind
        yield Disagreement(trial.live.api, relation.template, kind, CRASH, ours, outcome)
    elif relation.kind != STATUS and not outcome.exception:
        text = trial.differs(expected)
        if text is not None and not ("dtype is" in text and len(dtypes_of(trial.live)) > 1):
            values = (format_value(trial.value), format_value(expected))
            yield trial.told(NAME, relation.template, values, text)


def _applied(relation: Relation, live: LiveCall, library: Library) -> Optional[LiveCall]:
    from ..synthesis.call_templates import apply_template

    source = _apis(cast("Any", library)).get(relation.source)
    return None if source is None else apply_template(relation.template, source, live, library)


@lru_cache(maxsize=4)
def _apis(library: Any) -> Dict[str, LibraryApi]:
    return {api.name: api for api in library.apis()}
