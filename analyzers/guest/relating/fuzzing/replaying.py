"""Deaths that a call alone does not repeat: what was run before them may have spoiled memory."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Dict, List, Sequence

from ..libraries.library import Library
from ..running import Begin, Died, Pool
from .hunting import Report, Step
from .subjects import Settings, Subject, inputs
from .trying import disagreements

_BEFORE = 12
"""How many of the calls before a death are tried with it, one by one."""


@dataclass(frozen=True)
class _Pair:
    """An input, and one that is run before it."""

    item: int
    before: int
    step: int


def spoilers(
    steps: Sequence[Step], subjects: Sequence[Subject], library: Library, settings: Settings
) -> Dict[Step, int]:
    """For inputs that ended a process the latest one before, with which alone they do so again.

    Of the few before each; what is found is to blame at least as much as the input.
    """
    pairs = [
        _Pair(item, before, step)
        for item, step in steps
        for before in range(max(0, step - _BEFORE), step)
    ]
    found: Dict[Step, int] = {}
    work = _Replaying(pairs, subjects, library, settings)
    pool = Pool(work.on, len(pairs), settings.seconds, settings.workers, settings.memory, deaths=1)
    for number, result in pool:
        pair = pairs[number]
        if isinstance(result, Died) and result.step == pair.step:
            known = found.get((pair.item, pair.step), -1)
            found[pair.item, pair.step] = max(known, pair.before)
    return found


@dataclass
class _Replaying:
    """Work of a pool: an item is a pair."""

    pairs: List[_Pair]
    subjects: Sequence[Subject]
    library: Library
    settings: Settings

    def on(self, number: int, start: int, begin: Begin, _report: Report) -> None:
        """Run both; it may end at either."""
        if start:
            return
        warnings.simplefilter("ignore")
        pair = self.pairs[number]
        subject, wanted = self.subjects[pair.item], {pair.before, pair.step}
        for step, live in enumerate(inputs(subject, self.library, self.settings)):
            if step in wanted:
                begin(step, "")
                disagreements(live, self.library, subject.relations, self.settings.oracles)
            if step >= pair.step:
                return
