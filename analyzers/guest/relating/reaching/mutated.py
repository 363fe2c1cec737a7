"""Other arguments for the library calls of a target: mutants of those that were seen."""

from __future__ import annotations

import random
import time
import zlib
from dataclasses import dataclass
from functools import partial
from typing import Any, Dict, FrozenSet, List, Sequence, Set, Tuple

from ..agreeing import disagreements
from ..fuzzing.findings import Finding
from ..mutating import Place as Where
from ..mutating import mutants
from ..mutating.places import arguments
from ..nouns import CRASHED, Disagreement, Live
from ..outcomes import outcome_of
from ..recording import Seen, copied
from ..running import Begin
from ..told import told
from .drawn import Report
from .judging import Judging
from .literals import fixed
from .meetings import Key, Met, Place
from .origins import origins
from .request import Request
from .watching import Mark

MOST_MUTANTS = 2_000
JUDGED_ONE_IN = 4
WORKERS = 2
_TELL_EVERY = 50


@dataclass(frozen=True)
class Site:
    """A place where the target calls the library, and inputs that lead there."""

    place: Place
    inputs: Sequence[Dict[str, Any]]


@dataclass
class Mutating:
    """The second stage, from ``began`` to ``until`` (monotonic); an item is a site.

    All mutants are run by themselves, for those that kill; one of
    :data:`JUDGED_ONE_IN` is compared with all that it should agree with.
    """

    request: Request
    sites: Sequence[Site]
    began: float
    until: float

    def work(self, item: int, start: int, begin: Begin, report: Report) -> None:
        """Run mutants from number ``start`` on, while it is this site's time."""
        site, library = self.sites[item], self.request.library
        lives, held = _seen(Judging(self.request, partial(begin, start)), site, library.is_array)
        rng = random.Random(zlib.crc32(repr((self.request.seed, site.place)).encode()))
        stream = mutants(lives, library, rng, held) if lives else iter(())
        known: Set[Key] = set()
        until, done = self._end(item), 0
        for step, live in zip(range(MOST_MUTANTS), stream):
            if time.monotonic() > until:
                break
            call = told(live, library) if step >= start else ""
            if not call:
                continue
            begin(step, Mark(at=site.place, call=call).text())
            for found in self._found(live, judging=step % JUDGED_ONE_IN == 0):
                met = Met(Finding(call, found), site.place)
                if met.key not in known:
                    known.add(met.key)
                    report(met.as_json())
            done += 1
            if done % _TELL_EVERY == 0:
                report({"executions": _TELL_EVERY})
        report({"executions": done % _TELL_EVERY})

    def _end(self, item: int) -> float:
        """When the time of a site is over: as many at once as there are workers."""
        rounds = -(-len(self.sites) // WORKERS)
        return self.began + (self.until - self.began) * (item // WORKERS + 1) / rounds

    def _found(self, live: Live, *, judging: bool) -> Sequence[Disagreement]:
        library = self.request.library
        if not judging:
            outcome, _ = outcome_of(copied(live, library).run, library)
            judging = outcome.status == CRASHED
        return disagreements(live, library, self.request.of_source(live.api)) if judging else ()


def _seen(judging: Judging, site: Site, is_array: Any) -> Tuple[List[Live], FrozenSet[Where]]:
    """The calls at a site, and what may not vary there."""
    lives: List[Live] = []
    held: List[FrozenSet[Where]] = []
    for given in site.inputs:
        ran = judging.run(given)
        for seen in judging.at(ran, site.place):
            if seen.live is not None and seen.given is not None:
                lives.append(seen.live)
                held.append(fixed(seen, _traced(seen, ran.values), is_array))
    return lives, frozenset().union(*held)


def _traced(seen: Seen, values: Any) -> FrozenSet[Where]:
    given = {} if seen.given is None else dict(arguments(seen.given))
    return frozenset(origins(given, values))
