"""Freely licensed pictures by keyword, from Openverse.

https://api.openverse.org/v1/ (``GET /v1/images/``); without a key it gives
20 results a page.  What was found and fetched is kept on disk, so that the
same wish is granted again without a network.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from analyzers.vocabulary import Input, Origin, Supply, Wanted
from worker.engines import NoAnswer, Outage, Rejected
from worker.engines.http import Http, json_object
from worker.sources.folder import keyword
from worker.sources.kept import Kept
from worker.sources.pictures import Unusable, picture
from worker.sources.public import PublicOnly

ENDPOINT = "https://api.openverse.org"
PAGE = 20
MOST_PAGES = 3
EVERYDAY = ("bicycle", "teapot", "bridge", "guitar", "staircase", "pencil", "sailboat", "clock")


@dataclass
class Openverse:
    """The service at ``endpoint``; ``offline`` grants only what is kept.

    ``key`` reads an access token when the first question is asked.
    ``outages`` collects how the service failed where that cost pictures.
    """

    kept: Kept
    endpoint: str = ENDPOINT
    key: Callable[[], str] | None = field(default=None, repr=False)
    offline: bool = False
    outages: dict[str, None] = field(default_factory=dict[str, None], repr=False)
    search: Http = field(default_factory=lambda: Http("Openverse"), repr=False)
    download: Http = field(
        default_factory=lambda: Http("the picture's server", tries=2, redirects=True), repr=False
    )

    def __post_init__(self) -> None:
        """Let pictures come from public servers and from the operator's own alone."""
        if self.download.transport is None:
            self.download.transport = PublicOnly(self.endpoint)

    def find(self, wanted: Wanted, count: int, seed: int) -> Supply:
        """Pictures found by the wanted keyword, none named after ``other_than``.

        Without a reading: pictures of everyday things that are not among
        ``other_than``.  ``seed`` is not used: the best matches come first.
        """
        del seed
        found: list[Input] = []
        seen: set[str] = set()
        problem: NoAnswer | None = None
        for result in self._results(wanted, count):
            if isinstance(result, NoAnswer):
                problem = result
                continue
            item = self._input(result, wanted)
            if item is not None and item.digest not in seen:
                seen.add(item.digest)
                found.append(item)
            if len(found) == count:
                return Supply(tuple(found))
        if isinstance(problem, Outage | Rejected):
            self.outages[str(problem)] = None
        what = wanted.reading or "everyday things"
        missing = str(problem or f"Openverse has {len(found)} pictures of {what!r}")
        return Supply(tuple(found), missing)

    def _results(self, wanted: Wanted, count: int) -> Iterator[Mapping[str, Any] | NoAnswer]:
        """Search results, page by page and keyword by keyword; problems between them."""
        for query in _queries(wanted):
            for page in range(1, MOST_PAGES + 1):
                try:
                    results = self._page(query, page, min(PAGE, max(2 * count, 10)))
                except NoAnswer as problem:
                    yield problem
                    break
                yield from results
                if len(results) < PAGE:
                    break

    def _page(self, query: str, page: int, size: int) -> list[Mapping[str, Any]]:
        name = f"{self.endpoint} {query!r} {page} {size}"
        content = self.kept.find("search", name)
        if content is None:
            content = self._asked(query, page, size)
            results = _listed(content)
            self.kept.keep("search", name, content)
            return results
        return _listed(content)

    def _asked(self, query: str, page: int, size: int) -> bytes:
        if self.offline:
            raise NoAnswer(f"pictures of {query!r} were not fetched before, and --offline is given")
        parameters = {"q": query, "page_size": str(size), "mature": "false"}
        if page > 1:
            parameters["page"] = str(page)
        headers = {"authorization": f"Bearer {self.key()}"} if self.key else {}
        return self.search.get(f"{self.endpoint.rstrip('/')}/v1/images/", parameters, headers)

    def _input(self, result: Mapping[str, Any], wanted: Wanted) -> Input | None:
        """The picture of a result, or ``None`` when it shows or is the wrong thing."""
        if _names(result) & {keyword(other) for other in wanted.other_than}:
            return None
        origin = Origin(
            "openverse",
            _text(result, "foreign_landing_url") or _text(result, "url"),
            _text(result, "creator"),
            _licence(result),
        )
        description = _text(result, "title") or wanted.reading or "a picture"
        for address in (_text(result, "url"), _text(result, "thumbnail")):
            content = self._content(address)
            if content is None:
                continue
            try:
                return picture(content, description, wanted.reading, origin)
            except Unusable:
                continue
        return None

    def _content(self, address: str | None) -> bytes | None:
        if address is None or not address.startswith(("http://", "https://")):
            return None
        content = self.kept.find("picture", address)
        if content is not None or self.offline:
            return content
        try:
            content = self.download.get(address, {}, {})
        except NoAnswer:
            return None
        self.kept.keep("picture", address, content)
        return content


def _queries(wanted: Wanted) -> tuple[str, ...]:
    if wanted.reading is not None:
        return (wanted.reading,)
    others = {keyword(other) for other in wanted.other_than}
    return tuple(thing for thing in EVERYDAY if thing not in others)


def _listed(content: bytes) -> list[Mapping[str, Any]]:
    results = json_object(content, "Openverse").get("results")
    if not isinstance(results, list):
        raise Outage("Openverse answered without results")
    return [entry for entry in results if isinstance(entry, Mapping)]


def _names(result: Mapping[str, Any]) -> set[str]:
    """The words of its title and its tags."""
    title = keyword(_text(result, "title") or "")
    tags = result.get("tags")
    entries = cast("list[object]", tags) if isinstance(tags, list) else []
    named = {
        keyword(str(cast("Mapping[str, Any]", tag).get("name")))
        for tag in entries
        if isinstance(tag, Mapping)
    }
    return named | set(title.split()) | {title}


def _licence(result: Mapping[str, Any]) -> str | None:
    parts = (_text(result, "license"), _text(result, "license_version"))
    return " ".join(part for part in parts if part) or None


def _text(result: Mapping[str, Any], name: str) -> str | None:
    value = result.get(name)
    return value[:2000] if isinstance(value, str) and value else None
