"""Pictures that a search service finds by keyword."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock

from analyzers.vocabulary import Input, Supply, Wanted
from worker.engines import NoAnswer
from worker.engines.http import Http
from worker.sources.pictures import Unusable, picture
from worker.sources.public import PublicOnly
from worker.sources.search import Hit, Search


@dataclass
class Library:
    """Pictures come from public servers, and from the operator's own, alone.

    What was fetched is kept on disk; what could not be is not asked for again.
    """

    search: Search
    download: Http = field(
        default_factory=lambda: Http("the picture's server", tries=2, redirects=True), repr=False
    )
    _missing: set[str] = field(default_factory=set[str], repr=False)
    _turn: Lock = field(default_factory=Lock, repr=False)

    def __post_init__(self) -> None:
        """Ask no server inside for pictures."""
        if self.download.transport is None:
            self.download.transport = PublicOnly(self.search.service.endpoint)

    def find(self, wanted: Wanted, count: int, seed: int) -> Supply:
        """Pictures found by the wanted keyword, the best matches first, whatever the seed."""
        del seed
        return self.search.supply(wanted, count, lambda hit: self._input(hit, wanted.reading))

    def _input(self, hit: Hit, reading: str | None) -> Input | None:
        """The picture of a result, from the first address that has one."""
        for address in hit.addresses:
            content = self._content(address)
            if content is None:
                continue
            try:
                return picture(content, hit.title or reading or "a picture", reading, hit.origin)
            except Unusable:
                continue
        return None

    def _content(self, address: str) -> bytes | None:
        if not address.startswith(("http://", "https://")) or address in self._missing:
            return None
        with self._turn:
            content = self.search.kept.find("picture", address)
            if content is not None or self.search.offline:
                return content
            try:
                content = self.download.get(address, {}, {})
            except NoAnswer:
                self._missing.add(address)
                return None
            self.search.kept.keep("picture", address, content)
            return content
