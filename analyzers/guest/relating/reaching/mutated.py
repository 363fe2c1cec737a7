"""Other arguments for the library calls of a target: mutants of those that were seen."""

from __future__ import annotations

import random
import zlib
from dataclasses import dataclass
from functools import partial
from typing import Any, Dict, FrozenSet, Hashable, Iterable, List, Sequence, Set, Tuple

from ... import worktime
from ..agreeing import disagreements
from ..calls import copied
from ..fuzzing.findings import Finding
from ..mutating import Place as Where
from ..mutating import mutants
from ..mutating.places import arguments
from ..nouns import CRASHED, SUCCESS, Live
from ..outcomes import outcome_of
from ..recording import Seen
from ..running import Begin
from ..told import told
from .asking import asked, concerns
from .drawn import Report
from .judging import Judging
from .kinds import Kinds, of_outcome
from .literals import fixed
from .meetings import Key, Met, Place
from .origins import origins
from .request import Request
from .watching import Mark

MOST_MUTANTS = 600
MOST_JUDGED = 24
"""Of the mutants of an API, how many are compared: one of a kind."""
STALE = 40
"""After so many mutants in a row that bring nothing new a site is left."""
WORKERS = 2
_TELL_EVERY = 50


@dataclass(frozen=True)
class Site:
    """A place where the target calls the library, and inputs that lead there."""

    place: Place
    inputs: Sequence[Dict[str, Any]]


def by_api(sites: Iterable[Site]) -> List[List[Site]]:
    """The sites of each API together."""
    found: Dict[str, List[Site]] = {}
    for site in sites:
        found.setdefault(site.place[0], []).append(site)
    return list(found.values())


@dataclass
class Mutating:
    """The second stage, from ``began`` to ``until`` ; an item is all sites of an API.

    All mutants are run by themselves, for those that kill; those of a new
    kind are compared with all that they should agree with.  A site is left
    when its mutants come to nothing that mutants of the API did not come to before.
    """

    request: Request
    groups: Sequence[Sequence[Site]]
    began: float
    until: float

    def work(self, item: int, start: int, begin: Begin, report: Report) -> None:
        """Run mutants from number ``start`` on, while it is this API's time."""
        sites = self.groups[item]
        stage = _Stage(self, start, begin, report)
        for number, site in enumerate(sites):
            left = self._end(item) - worktime.now()
            stage.mutate(site, number * MOST_MUTANTS, worktime.now() + left / (len(sites) - number))
        stage.tell()

    def _end(self, item: int) -> float:
        """When the time of an API is over: as many at once as there are workers."""
        rounds = -(-len(self.groups) // WORKERS)
        return self.began + (self.until - self.began) * (item // WORKERS + 1) / rounds


class _Stage:
    """One process of the stage."""

    def __init__(self, mutating: Mutating, start: int, begin: Begin, report: Report) -> None:
        self._request = mutating.request
        self._start = start
        self._begin = begin
        self._report = report
        self._library = mutating.request.library
        self._kinds = Kinds(self._library, 1)
        self._judged = 0
        self._outcomes: Set[Hashable] = set()
        self._known: Set[Key] = set()
        self._done = 0

    def mutate(self, site: Site, first: int, until: float) -> None:
        """Mutate the calls of a site; ``first`` is the number of its first mutant."""
        if self._start >= first + MOST_MUTANTS or worktime.now() > until:
            return
        judging = Judging(self._request, partial(self._begin, max(self._start, first)))
        lives, held = _seen(judging, site, self._library.is_array)
        rng = random.Random(zlib.crc32(repr((self._request.seed, site.place)).encode()))
        stream = mutants(lives, self._library, rng, held) if lives else iter(())
        stale = 0
        for step, live in zip(range(first, first + MOST_MUTANTS), stream):
            if stale >= STALE or worktime.now() > until:
                return
            call = told(live, self._library) if step >= self._start else ""
            if call:
                self._begin(step, Mark(at=site.place, call=call).text())
                stale = 0 if self._look(live, site, call) else stale + 1

    def _look(self, live: Live, site: Site, call: str) -> bool:
        """Run a mutant; whether what it came to is new."""
        self._count()
        outcome, value = outcome_of(copied(live, self._library).run, self._library)
        kind = of_outcome(outcome, value, self._library)
        is_new = kind not in self._outcomes
        self._outcomes.add(kind)
        if outcome.status == CRASHED or self._is_compared(live, outcome.status):
            self._judge(live, site, call)
        return is_new

    def _is_compared(self, live: Live, status: str) -> bool:
        if status != SUCCESS or self._judged >= MOST_JUDGED:
            return False
        is_first = self._kinds.take(live.api, live)
        self._judged += is_first
        return is_first

    def _judge(self, live: Live, site: Site, call: str) -> None:
        relations = self._request.of_source(live.api)
        for found in disagreements(live, self._library, relations, asked()):
            met = Met(Finding(call, found), site.place)
            if met.key not in self._known and concerns(found, live, self._library):
                self._known.add(met.key)
                self._report(met.as_json())

    def _count(self) -> None:
        self._done += 1
        if self._done >= _TELL_EVERY:
            self.tell()

    def tell(self) -> None:
        """Report how many mutants ran since it was last told."""
        self._report({"executions": self._done})
        self._done = 0


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
