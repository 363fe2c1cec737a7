"""Documents by keyword: the beginnings of articles of the English Wikipedia.

https://en.wikipedia.org/w/api.php: a search with ``prop=extracts``
(Extension:TextExtracts), of which twenty introductions come at once.  Texts
are under CC BY-SA 4.0.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from analyzers.vocabulary import Input, InputKind, JsonObject, Origin, Supply, Wanted
from worker.sources import wikimedia
from worker.sources.keywords import keyword
from worker.sources.search import Entry, Hit, Question, Search, text_of

ENDPOINT = "https://en.wikipedia.org"
LICENCE = "CC BY-SA 4.0"
AUTHOR = "Wikipedia contributors"
SHORTEST = 200
LONGEST = 1000
EVERYDAY = ("gardening", "football", "physics", "cooking", "architecture", "music", "railway")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class Wikipedia:
    """The service at ``endpoint``; ``contact`` is who asks: an address or a page."""

    endpoint: str = ENDPOINT
    contact: str | None = None
    name: str = "Wikipedia"
    things: str = "articles on"
    everyday: tuple[str, ...] = EVERYDAY
    size: int = 20
    pages: int = 5

    def question(self, words: str, page: int) -> Question:
        """The articles of a page of results."""
        return wikimedia.search_question(
            words,
            (page - 1) * self.size,
            self.size,
            self.contact,
            gsrnamespace="0",
            prop="extracts|info|pageprops",
            exintro="1",
            explaintext="1",
            exlimit=str(self.size),
            inprop="url",
            ppprop="disambiguation",
        )

    def entries(self, answer: JsonObject) -> object:
        """The articles, the best match first."""
        return wikimedia.pages(answer, self.name)

    def hit(self, entry: Entry) -> Hit | None:
        """An article, if it is about something: no list, no choice of articles."""
        title = text_of(entry, "title") or ""
        text = _beginning(text_of(entry, "extract") or "")
        lists = title.startswith(("List of ", "Lists of ", "Index of ", "Outline of "))
        if lists or "pageprops" in entry or len(text) < SHORTEST:
            return None
        names = frozenset({*keyword(title).split(), keyword(title)})
        url = text_of(entry, "fullurl")
        return Hit(title, names, Origin("wikipedia", url, AUTHOR, LICENCE), text=text)


@dataclass(frozen=True, slots=True)
class Articles:
    """Documents that the search finds, as inputs."""

    search: Search

    def find(self, wanted: Wanted, count: int, seed: int) -> Supply:
        """Articles found by the wanted keyword, the best matches first, whatever the seed."""
        del seed
        return self.search.supply(wanted, count, lambda hit: _input(hit, wanted.reading))


def _input(hit: Hit, reading: str | None) -> Input:
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
