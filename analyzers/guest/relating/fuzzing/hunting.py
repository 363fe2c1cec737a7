"""What a process does with an API: its inputs, one after another, and what each shows."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Sequence, Tuple

from ..libraries.library import Library
from ..nouns import Live
from ..oracles import due
from ..running import Begin, Done, Pool
from .findings import Finding, key, packed
from .subjects import Settings, Subject, inputs
from .tellable import tellable
from .trying import asked, disagreements

Report = Callable[[Any], None]
Step = Tuple[int, int]
"""A subject by its number, and an input by its own."""

Told = Tuple[str, bool]
"""The text of a call, and whether it is exact."""

_SECONDS = 30.0


@dataclass
class Hunting:
    """Work of a pool: an item is a subject, its steps are inputs.

    An input is told by its number, and put into words only where it shows
    something: for those that ended the process, :func:`texts` does that later.
    """

    subjects: Sequence[Subject]
    library: Library
    settings: Settings

    def on(self, item: int, start: int, begin: Begin, report: Report) -> None:
        """Try inputs from ``start`` on, and report findings of new kinds; at last how many."""
        warnings.simplefilter("ignore")
        subject, oracles = self.subjects[item], asked(self.settings.oracles)
        seen: Dict[Tuple[str, ...], int] = {}
        count = 0
        for step, live in enumerate(inputs(subject, self.library, self.settings)):
            if step < start:
                continue
            begin(step, "")
            count += 1
            for each in disagreements(live, self.library, subject.relations, due(step, oracles)):
                if seen.setdefault(key(each), step) == step:
                    self._tell(live, each, report)
        report(count)

    def _tell(self, live: Live, found: Any, report: Report) -> None:
        """What cannot be told cannot be shown."""
        text, is_exact = tellable(live, self.library)
        if text:
            report({**packed(Finding(text, found)), "exact": is_exact})


def texts(
    steps: Sequence[Step], subjects: Sequence[Subject], library: Library, settings: Settings
) -> Dict[Step, Told]:
    """The calls that these inputs are, as :func:`tellable` has them.

    They are made anew in another process, as inputs follow from the seed.
    """
    work = _Telling(steps, subjects, library, settings)
    items = sorted({item for item, _ in steps})
    found: Dict[Step, Told] = {}
    pool = Pool(
        lambda number, start, begin, report: work.on(items[number], start, begin, report),
        len(items),
        _SECONDS,
        settings.workers,
        settings.memory,
        batch=8,
    )
    for number, result in pool:
        if isinstance(result, Done):
            step, text, is_exact = result.value
            found[items[number], step] = (text, is_exact)
    return found


@dataclass
class _Telling:
    steps: Sequence[Step]
    subjects: Sequence[Subject]
    library: Library
    settings: Settings

    def on(self, item: int, start: int, begin: Begin, report: Report) -> None:
        """Report steps with their texts."""
        wanted = self._wanted(item, start)
        for step, live in enumerate(inputs(self.subjects[item], self.library, self.settings)):
            if not wanted:
                return
            begin(step, "")
            if step in wanted:
                wanted.remove(step)
                report([step, *tellable(live, self.library)])

    def _wanted(self, item: int, start: int) -> List[int]:
        return [step for which, step in self.steps if which == item and step >= start]
