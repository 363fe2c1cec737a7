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
from ..nouns import Live
from ..recording import Seen
from ..running import Begin
from ..told import told
from .drawn import Report
from .judging import Judging
from .literals import fixed
from .meetings import Key, Met, Place
from .origins import origins
from .request import Request
from .watching import Mark

MOST_MUTANTS = 400
_TELL_EVERY = 20


@dataclass(frozen=True)
class Site:
    """A place where the target calls the library, and inputs that lead there."""

    place: Place
    inputs: Sequence[Dict[str, Any]]


@dataclass
class Mutating:
    """The second stage; an item is a site.  ``held`` are the sites whose API is left alone."""

    request: Request
    sites: Sequence[Site]
    until: float

    def work(self, item: int, start: int, begin: Begin, report: Report) -> None:
        """Judge mutants from number ``start`` on, while there is time."""
        site, library = self.sites[item], self.request.library
        lives, held = _seen(Judging(self.request, partial(begin, start)), site, library.is_array)
        if not lives:
            return
        rng = random.Random(zlib.crc32(repr((self.request.seed, site.place)).encode()))
        known: Set[Key] = set()
        relations, done = self.request.of_source(site.place[0]), 0
        for step, live in zip(range(MOST_MUTANTS), mutants(lives, library, rng, held)):
            if time.monotonic() > self.until:
                break
            call = told(live, library) if step >= start else ""
            if not call:
                continue
            begin(step, Mark(at=site.place, call=call).text())
            for found in disagreements(live, library, relations):
                met = Met(Finding(call, found), site.place)
                if met.key not in known:
                    known.add(met.key)
                    report(met.as_json())
            done += 1
            if done % _TELL_EVERY == 0:
                report({"executions": _TELL_EVERY})
        report({"executions": done % _TELL_EVERY})


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
