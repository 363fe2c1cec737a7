"""Other arguments for the library calls of a target: mutants of those that were seen."""

from __future__ import annotations

import random
import zlib
from dataclasses import dataclass
from functools import partial
from typing import Any, Dict, FrozenSet, Hashable, Iterable, List, Sequence, Set, Tuple

from ...runtime import time_limits
from ..agreement import disagreements
from ..call_recording import RecordedCall
from ..fuzzing.fuzz_findings import FuzzFinding
from ..library_calls import call_source, copy_call, outcome_of
from ..mutation.call_draft import ArgumentPath as Where
from ..mutation.call_draft import arguments
from ..mutation.call_mutants import mutants
from ..process_pool import Begin
from ..relation_types import CRASHED, SUCCESS, LiveCall
from .argument_origins import fixed, origins
from .call_judging import (
    CallJudge,
    CallKinds,
    DivergenceKey,
    DivergenceLocation,
    LocatedDivergence,
    concerns_project,
    of_outcome,
    project_oracles,
)
from .drawn_inputs import Report
from .target_calls import InFlight, RelateRequest

MOST_MUTANTS = 600
MOST_JUDGED = 24
"""Of the mutants of an API, how many are compared: one of a kind."""
STALE = 40
"""After so many mutants in a row that bring nothing new a site is left."""
WORKERS = 2
_TELL_EVERY = 50


@dataclass(frozen=True)
class LibraryCallSite:
    """A place where the target calls the library, and inputs that lead there."""

    place: DivergenceLocation
    inputs: Sequence[Dict[str, Any]]


def by_api(sites: Iterable[LibraryCallSite]) -> List[List[LibraryCallSite]]:
    """The sites of each API together."""
    found: Dict[str, List[LibraryCallSite]] = {}
    for site in sites:
        found.setdefault(site.place[0], []).append(site)
    return list(found.values())


@dataclass
class MutationStage:
    """The second stage, from ``began`` to ``until`` ; an item is all sites of an API.

    All mutants are run by themselves, for those that kill; those of a new
    kind are compared with all that they should agree with.  A site is left
    when its mutants come to nothing that mutants of the API did not come to before.
    """

    request: RelateRequest
    groups: Sequence[Sequence[LibraryCallSite]]
    began: float
    until: float

    def work(self, item: int, start: int, begin: Begin, report: Report) -> None:
        """Run mutants from number ``start`` on, while it is this API's time."""
        sites = self.groups[item]
        stage = _Stage(self, start, begin, report)
        for number, site in enumerate(sites):
            left = self._end(item) - time_limits.now()
            stage.mutate(
                site, number * MOST_MUTANTS, time_limits.now() + left / (len(sites) - number)
            )
        stage.tell()

    def _end(self, item: int) -> float:
        """When the time of an API is over: as many at once as there are workers."""
        rounds = -(-len(self.groups) // WORKERS)
        return self.began + (self.until - self.began) * (item // WORKERS + 1) / rounds


class _Stage:
    """One process of the stage."""

    def __init__(self, mutating: MutationStage, start: int, begin: Begin, report: Report) -> None:
        self._request = mutating.request
        self._start = start
        self._begin = begin
        self._report = report
        self._library = mutating.request.library
        self._kinds = CallKinds(self._library, 1)
        self._judged = 0
        self._outcomes: Set[Hashable] = set()
        self._known: Set[DivergenceKey] = set()
        self._done = 0

    def mutate(self, site: LibraryCallSite, first: int, until: float) -> None:
        """Mutate the calls of a site; ``first`` is the number of its first mutant."""
        if self._start >= first + MOST_MUTANTS or time_limits.now() > until:
            return
        judging = CallJudge(self._request, partial(self._begin, max(self._start, first)))
        lives, held = _seen(judging, site, self._library.is_array)
        rng = random.Random(zlib.crc32(repr((self._request.seed, site.place)).encode()))
        stream = mutants(lives, self._library, rng, held) if lives else iter(())
        stale = 0
        for step, live in zip(range(first, first + MOST_MUTANTS), stream):
            if stale >= STALE or time_limits.now() > until:
                return
            call = call_source(live, self._library) if step >= self._start else ""
            if call:
                self._begin(step, InFlight(at=site.place, call=call).text())
                stale = 0 if self._look(live, site, call) else stale + 1

    def _look(self, live: LiveCall, site: LibraryCallSite, call: str) -> bool:
        """Run a mutant; whether what it came to is new."""
        self._count()
        outcome, value = outcome_of(copy_call(live, self._library).run, self._library)
        kind = of_outcome(outcome, value, self._library)
        is_new = kind not in self._outcomes
        self._outcomes.add(kind)
        if outcome.status == CRASHED or self._is_compared(live, outcome.status):
            self._judge(live, site, call)
        return is_new

    def _is_compared(self, live: LiveCall, status: str) -> bool:
        if status != SUCCESS or self._judged >= MOST_JUDGED:
            return False
        is_first = self._kinds.take(live.api, live)
        self._judged += is_first
        return is_first

    def _judge(self, live: LiveCall, site: LibraryCallSite, call: str) -> None:
        relations = self._request.of_source(live.api)
        for found in disagreements(live, self._library, relations, project_oracles()):
            met = LocatedDivergence(FuzzFinding(call, found), site.place)
            if met.key not in self._known and concerns_project(found, live, self._library):
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


def _seen(
    judging: CallJudge, site: LibraryCallSite, is_array: Any
) -> Tuple[List[LiveCall], FrozenSet[Where]]:
    """The calls at a site, and what may not vary there."""
    lives: List[LiveCall] = []
    held: List[FrozenSet[Where]] = []
    for given in site.inputs:
        ran = judging.run(given)
        for seen in judging.at(ran, site.place):
            if seen.live is not None and seen.given is not None:
                lives.append(seen.live)
                held.append(fixed(seen, _traced(seen, ran.values), is_array))
    return lives, frozenset().union(*held)


def _traced(seen: RecordedCall, values: Any) -> FrozenSet[Where]:
    given = {} if seen.given is None else dict(arguments(seen.given))
    return frozenset(origins(given, values))
