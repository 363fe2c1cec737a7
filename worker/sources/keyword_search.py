"""Searching services by keyword, page by page; what they found is kept on disk.

One question at a time and none twice: services ask for it, and the same wish
is granted again without a network.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, TypeAlias, cast

from analyzers.vocabulary import Input, InputRequest, InputSupply, JsonObject, Origin
from worker.engines.engine import NoAnswer, Outage, Rejected
from worker.engines.providers.http_client import Http, json_object
from worker.sources.download_cache import DownloadCache
from worker.sources.picture_files import EVERYDAY

_MEANS_NOTHING = frozenset({"other", "miscellaneous", "general"})


def keyword(text: str) -> str:
    """A keyword without case, and with spaces for ``_`` and ``-``."""
    return " ".join(text.casefold().replace("_", " ").replace("-", " ").split())


def names_of(reading: str) -> frozenset[str]:
    """Return the keywords under which a reading may be filed: itself, the end of a path."""
    return frozenset({keyword(reading), keyword(words_for(reading))})


def words_for(reading: str) -> str:
    """Return what to search for: the last part of a category's path that says something."""
    if not reading.startswith("/"):
        return reading
    parts = [part.strip() for part in reading.split("/") if part.strip()]
    telling = [part for part in parts if keyword(part) not in _MEANS_NOTHING]
    return (telling or parts or [reading])[-1]


def unwanted(wanted: InputRequest) -> frozenset[str]:
    """Return the keywords that no input may be filed under."""
    return frozenset(name for other in wanted.other_than for name in names_of(other))


LONGEST_TEXT = 2000
LONGEST_WORDS = 200

Entry: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One result: the keywords it is filed under, and its file's addresses or its text."""

    title: str
    names: frozenset[str]
    origin: Origin
    addresses: tuple[str, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """The path below the endpoint that is asked, and how."""

    path: str
    parameters: Mapping[str, str]
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)


class SearchService(ABC):
    """A search service: how it is asked, and how its answers are read.

    It finds ``things``, such as ``pictures of``; ``everyday`` are what to search for where
    anything else will do; a full page has ``size`` results.
    """

    endpoint: str
    name: str
    things: str = "pictures of"
    everyday: tuple[str, ...] = EVERYDAY
    size: int = 20
    pages: int = 5

    @abstractmethod
    def question(self, words: str, page: int) -> SearchQuery:
        """Return what to ask for a page, the first being 1."""

    def entries(self, answer: JsonObject) -> object:
        """Return the list of results in an answer, whatever stands there."""
        return answer.get("results")

    @abstractmethod
    def hit(self, entry: Entry) -> SearchHit | None:
        """Return a result in our words, ``None`` for one that is of no use."""


@dataclass
class Search:
    """A service; ``offline`` finds only what is kept; ``outages`` collects failures."""

    service: SearchService
    kept: DownloadCache
    offline: bool = False
    http: Http | None = field(default=None, repr=False)
    outages: dict[str, None] = field(default_factory=dict[str, None], repr=False)
    _turn: Lock = field(default_factory=Lock, repr=False)

    def __post_init__(self) -> None:
        """Ask as everybody does, unless told how."""
        self.http = self.http or Http(self.service.name)

    def supply(
        self, wanted: InputRequest, count: int, made: Callable[[SearchHit], Input | None]
    ) -> InputSupply:
        """Return inputs for the wanted keyword, else everyday things; none of ``other_than``."""
        found: dict[str, Input] = {}
        problem: NoAnswer | None = None
        for hit in self._hits(self._queries(wanted)) if count else ():
            if isinstance(hit, NoAnswer):
                problem = hit
                continue
            item = None if hit.names & unwanted(wanted) else made(hit)
            if item is not None:
                found.setdefault(item.digest, item)
            if len(found) == count:
                break
        if len(found) == count:
            return InputSupply(tuple(found.values()))
        if isinstance(problem, Outage | Rejected):
            self.outages[str(problem)] = None
        what = f"{self.service.things} {wanted.reading or 'everyday things'!r}"
        missing = f"{self.service.name} has {len(found)} {what}"
        return InputSupply(tuple(found.values()), str(problem or missing))

    def _queries(self, wanted: InputRequest) -> tuple[str, ...]:
        if wanted.reading is not None:
            return (words_for(wanted.reading),)
        return tuple(each for each in self.service.everyday if each not in unwanted(wanted))

    def _hits(self, queries: Sequence[str]) -> Iterator[SearchHit | NoAnswer]:
        """Results of all queries, a full page after another; problems between them."""
        for words in queries:
            for page in range(1, self.service.pages + 1):
                try:
                    results = self._page(words[:LONGEST_WORDS], page)
                except NoAnswer as problem:
                    yield problem
                    break
                yield from filter(None, map(self.service.hit, results))
                if len(results) < self.service.size:
                    break

    def _page(self, words: str, page: int) -> list[Entry]:
        name = f"{self.service.name} {self.service.endpoint} {words!r} {page} {self.service.size}"
        with self._turn:
            content = self.kept.find("search", name)
            if content is not None:
                return self._listed(content)
            content = self._asked(words, page)
            results = self._listed(content)
            self.kept.keep("search", name, content)
            return results

    def _asked(self, words: str, page: int) -> bytes:
        if self.offline:
            raise NoAnswer(
                f"{self.service.name} was not asked for {words!r} before, and --offline is given"
            )
        question = self.service.question(words, page)
        url = f"{self.service.endpoint.rstrip('/')}{question.path}"
        assert self.http is not None
        return self.http.get(url, question.parameters, question.headers)

    def _listed(self, content: bytes) -> list[Entry]:
        results = self.service.entries(json_object(content, self.service.name))
        if not isinstance(results, list):
            raise Outage(f"{self.service.name} answered without results")
        return objects(cast("object", results))


def text_of(entry: Entry, *path: str) -> str | None:
    """Return the text at a path of keys, at most 2,000 characters; ``None`` where there is none."""
    value: object = entry
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value[:LONGEST_TEXT] if isinstance(value, str) and value else None


def objects(value: object) -> list[Entry]:
    """Return the JSON objects of a list, nothing of anything else."""
    entries = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("Entry", entry) for entry in entries if isinstance(entry, Mapping)]
