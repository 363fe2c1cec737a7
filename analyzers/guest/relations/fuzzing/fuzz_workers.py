"""What a process does with an API: its inputs, one after another, and what each shows."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Sequence, Tuple

from ..oracles.oracle_registry import due_oracles
from ..process_pool import Begin, ItemReport, ProcessDied, ProcessPool
from ..relation_types import Library, LiveCall
from .call_checks import chosen_oracles, disagreements, writable_call
from .fuzz_findings import FuzzFinding, key, pack_finding
from .fuzz_inputs import FuzzSettings, FuzzSubject, inputs

Report = Callable[[Any], None]
Step = Tuple[int, int]
"""A subject by its number, and an input by its own."""

SourceText = Tuple[str, bool]
"""The text of a call, and whether it is exact."""

_SECONDS = 30.0


@dataclass
class FuzzWork:
    """Work of a pool: an item is a subject, its steps are inputs.

    An input is told by its number, and put into words only where it shows
    something: for those that ended the process, :func:`texts` does that later.
    """

    subjects: Sequence[FuzzSubject]
    library: Library
    settings: FuzzSettings

    def on(self, item: int, start: int, begin: Begin, report: Report) -> None:
        """Try inputs from ``start`` on, and report findings of new kinds; at last how many."""
        warnings.simplefilter("ignore")
        subject, oracles = self.subjects[item], chosen_oracles(self.settings.oracles)
        seen: Dict[Tuple[str, ...], int] = {}
        count = 0
        for step, live in enumerate(inputs(subject, self.library, self.settings)):
            if step < start:
                continue
            begin(step, "")
            count += 1
            for each in disagreements(
                live, self.library, subject.relations, due_oracles(step, oracles)
            ):
                if seen.setdefault(key(each), step) == step:
                    self._tell(live, each, report)
        report(count)

    def _tell(self, live: LiveCall, found: Any, report: Report) -> None:
        """What cannot be told cannot be shown."""
        text, is_exact = writable_call(live, self.library)
        if text:
            report({**pack_finding(FuzzFinding(text, found)), "exact": is_exact})


def texts(
    steps: Sequence[Step], subjects: Sequence[FuzzSubject], library: Library, settings: FuzzSettings
) -> Dict[Step, SourceText]:
    """The calls that these inputs are, as :func:`tellable` has them.

    They are made anew in another process, as inputs follow from the seed.
    """
    work = _TextWork(steps, subjects, library, settings)
    items = sorted({item for item, _ in steps})
    found: Dict[Step, SourceText] = {}
    pool = ProcessPool(
        lambda number, start, begin, report: work.on(items[number], start, begin, report),
        len(items),
        _SECONDS,
        settings.workers,
        settings.memory,
        batch=8,
    )
    for number, result in pool:
        if isinstance(result, ItemReport):
            step, text, is_exact = result.value
            found[items[number], step] = (text, is_exact)
    return found


@dataclass
class _TextWork:
    steps: Sequence[Step]
    subjects: Sequence[FuzzSubject]
    library: Library
    settings: FuzzSettings

    def on(self, item: int, start: int, begin: Begin, report: Report) -> None:
        """Report steps with their texts."""
        wanted = self._wanted(item, start)
        for step, live in enumerate(inputs(self.subjects[item], self.library, self.settings)):
            if not wanted:
                return
            begin(step, "")
            if step in wanted:
                wanted.remove(step)
                report([step, *writable_call(live, self.library)])

    def _wanted(self, item: int, start: int) -> List[int]:
        return [step for which, step in self.steps if which == item and step >= start]


_BEFORE = 12
"""How many of the calls before a death are tried with it, one by one."""


@dataclass(frozen=True)
class _Pair:
    """An input, and one that is run before it."""

    item: int
    before: int
    step: int


def memory_spoilers(
    steps: Sequence[Step], subjects: Sequence[FuzzSubject], library: Library, settings: FuzzSettings
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
    work = _ReplayWork(pairs, subjects, library, settings)
    pool = ProcessPool(
        work.on, len(pairs), settings.seconds, settings.workers, settings.memory, deaths=1
    )
    for number, result in pool:
        pair = pairs[number]
        if isinstance(result, ProcessDied) and result.step == pair.step:
            known = found.get((pair.item, pair.step), -1)
            found[pair.item, pair.step] = max(known, pair.before)
    return found


@dataclass
class _ReplayWork:
    """Work of a pool: an item is a pair."""

    pairs: List[_Pair]
    subjects: Sequence[FuzzSubject]
    library: Library
    settings: FuzzSettings

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
