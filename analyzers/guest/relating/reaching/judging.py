"""Judges the library calls of a run at once."""

from __future__ import annotations

from collections import Counter
from typing import Any, Callable, Dict, Iterator, Mapping, Optional, Tuple

from ..agreeing import disagreements
from ..fuzzing.findings import Finding
from ..recording import Seen
from ..told import told
from .asking import asked, concerns
from .kinds import Kinds
from .meetings import Met
from .request import Request
from .watching import Place, Ran, Watcher

MOST_A_SITE = 16
MOST_A_KIND = 1


class Judging:
    """Runs inputs and judges what they call; of each site at most so many calls of a kind."""

    def __init__(self, request: Request, begin: Callable[[str], None]) -> None:
        self._request = request
        self._watcher = Watcher(request, begin)
        self._counts: Dict[Tuple[Any, ...], int] = Counter()
        self._kinds = Kinds(request.library, MOST_A_KIND)

    @property
    def judged(self) -> int:
        """How many calls were judged so far."""
        return sum(self._counts.values())

    def run(self, arguments: Mapping[str, Any]) -> Ran:
        """Run an input and judge nothing."""
        return self._watcher.run(arguments)

    def place(self, seen: Seen) -> Place:
        """Where a call is."""
        return self._watcher.place(seen)

    def at(self, ran: Ran, place: Place) -> Iterator[Seen]:
        """The calls of a run at a place."""
        return (seen for seen in ran.calls if self.place(seen)[:3] == place[:3])

    def met(
        self, ran: Ran, arguments: Mapping[str, Any], place: Optional[Place] = None
    ) -> Iterator[Met]:
        """What the calls of a run disagree with, at one place or at all."""
        for seen in ran.calls if place is None else self.at(ran, place):
            if seen.live is None or self._counts[seen.site] >= MOST_A_SITE:
                continue
            if not self._kinds.take(seen.site, seen.live):
                continue
            self._counts[seen.site] += 1
            self._watcher.judging(arguments, seen)
            library = self._request.library
            relations = self._request.of_source(seen.api)
            for found in disagreements(seen.live, library, relations, asked()):
                if concerns(found, seen.live, library):
                    call = told(seen.live, library)
                    yield Met(Finding(call, found), self.place(seen), dict(arguments))
