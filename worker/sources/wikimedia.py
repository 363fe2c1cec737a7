"""Wikimedia's Action API.

https://www.mediawiki.org/wiki/API:Search, API:Etiquette and
https://meta.wikimedia.org/wiki/User-Agent_policy (one question after another).
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from analyzers.vocabulary import Input, InputKind, InputRequest, InputSupply, JsonObject, Origin
from worker.engines.engine import Outage
from worker.engines.providers.http_client import USER_AGENT
from worker.sources.keyword_search import (
    Entry,
    Search,
    SearchHit,
    SearchQuery,
    SearchService,
    keyword,
    objects,
    text_of,
)

PATH = "/w/api.php"


@dataclass(frozen=True)
class Wikimedia(SearchService):
    """A project at ``endpoint``; ``contact`` is who asks: an address or a page."""

    endpoint: str
    contact: str | None = None

    def asked(self, words: str, page: int, **properties: str) -> SearchQuery:
        """Return the question for the best matches on a page, with these properties."""
        parameters = {
            "action": "query",
            "format": "json",
            "formatversion": "2",
            "generator": "search",
            "gsrsearch": words,
            "gsrlimit": str(self.size),
            **properties,
        }
        if page > 1:
            parameters["gsroffset"] = str((page - 1) * self.size)
        agent = f"{USER_AGENT[:-1]}; {self.contact})" if self.contact else USER_AGENT
        return SearchQuery(PATH, parameters, {"user-agent": agent})

    def entries(self, answer: JsonObject) -> object:
        """Return the pages that were found, the best first; raise ``Outage``."""
        error = answer.get("error")
        if error is not None:
            code = cast("Entry", error).get("code") if isinstance(error, Mapping) else error
            raise Outage(f"{self.name} gave no answer: {str(code)[:100]}")
        query = answer.get("query")
        if query is None and "batchcomplete" in answer:
            return []
        found = cast("Entry", query).get("pages") if isinstance(query, Mapping) else None
        return sorted(objects(found), key=_rank) if isinstance(found, list) else None


def _rank(page: Entry) -> int:
    rank = page.get("index")
    return rank if isinstance(rank, int) else len(page) + 1_000_000


COMMONS_ENDPOINT = "https://commons.wikimedia.org"
WIDTH = 1024
_TYPES = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
_FILE = re.compile(r"^File:|\.\w{3,4}$")
_MARKUP = re.compile(r"<[^>]*>")


class Commons(Wikimedia):
    """The pictures of Wikimedia Commons."""

    name = "Wikimedia Commons"

    def question(self, words: str, page: int) -> SearchQuery:
        """Return the question for a page of pictures."""
        return self.asked(
            f"filetype:bitmap {words}",
            page,
            gsrnamespace="6",
            prop="imageinfo",
            iiprop="url|mime|extmetadata",
            iiurlwidth=str(WIDTH),
            iiextmetadatafilter="LicenseShortName|Artist|Categories",
        )

    def hit(self, entry: Entry) -> SearchHit | None:
        """A picture that is 1,024 pixels wide at most, with its categories."""
        info = next(iter(objects(entry.get("imageinfo"))), None)
        if info is None or text_of(info, "mime") not in _TYPES:
            return None
        title = _FILE.sub("", _FILE.sub("", text_of(entry, "title") or ""))
        categories = (_said(info, "Categories") or "").split("|")
        page = text_of(info, "descriptionurl")
        return SearchHit(
            title,
            frozenset({*map(keyword, categories), *keyword(title).split(), keyword(title)}) - {""},
            Origin("commons", page, _said(info, "Artist"), _said(info, "LicenseShortName")),
            tuple(filter(None, (text_of(info, "thumburl"), text_of(info, "url")))),
        )


def _said(info: Entry, name: str) -> str | None:
    value = text_of(info, "extmetadata", name, "value")
    text = " ".join(html.unescape(_MARKUP.sub("", value or "")).split())
    return text or None


WIKIPEDIA_ENDPOINT = "https://en.wikipedia.org"
LICENCE = "CC BY-SA 4.0"
AUTHOR = "Wikipedia contributors"
SHORTEST = 200
LONGEST = 1000
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


class Wikipedia(Wikimedia):
    """The articles of Wikipedia, by their first paragraphs."""

    name = "Wikipedia"
    things = "articles on"
    everyday = (
        "gardening",
        "football",
        "physics",
        "cooking",
        "architecture",
        "music",
        "railway",
    )

    def question(self, words: str, page: int) -> SearchQuery:
        """Return the question for a page of articles."""
        return self.asked(
            words,
            page,
            gsrnamespace="0",
            prop="extracts|info|pageprops",
            exintro="1",
            explaintext="1",
            exlimit=str(self.size),
            inprop="url",
            ppprop="disambiguation",
        )

    def hit(self, entry: Entry) -> SearchHit | None:
        """An article, if it is about something: no list, no choice of articles."""
        title = text_of(entry, "title") or ""
        text = _beginning(text_of(entry, "extract") or "")
        lists = title.startswith(("List of ", "Lists of ", "Index of ", "Outline of "))
        if lists or "pageprops" in entry or len(text) < SHORTEST:
            return None
        names = frozenset({*keyword(title).split(), keyword(title)})
        url = text_of(entry, "fullurl")
        return SearchHit(title, names, Origin("wikipedia", url, AUTHOR, LICENCE), text=text)


@dataclass(frozen=True, slots=True)
class Articles:
    """Documents that the search finds, as inputs."""

    search: Search

    def find(self, wanted: InputRequest, count: int, seed: int) -> InputSupply:
        """Articles found by the wanted keyword, the best matches first, whatever the seed."""
        del seed
        return self.search.supply(wanted, count, lambda hit: _input(hit, wanted.reading))


def _input(hit: SearchHit, reading: str | None) -> Input:
    description = f"the article {hit.title!r}"
    return Input(InputKind.TEXT, hit.text.encode(), description, reading, ".txt", hit.origin)


def _beginning(text: str) -> str:
    """As many whole sentences as 1,000 characters hold: a unit of Google's price."""
    kept = ""
    for sentence in _SENTENCE.split(" ".join(text.split())):
        longer = f"{kept} {sentence}".strip()
        if len(longer) > LONGEST:
            break
        kept = longer
    return kept
