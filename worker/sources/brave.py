"""Pictures by keyword from Brave's image search, whose licences are not known.

https://api-dashboard.search.brave.com/app/documentation/image-search
(``GET /res/v1/images/search``): one page of at most 200 results.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from analyzers.vocabulary import JsonObject, Origin
from worker.sources.keywords import keyword
from worker.sources.pictures import EVERYDAY
from worker.sources.search import Entry, Hit, Question, text_of

ENDPOINT = "https://api.search.brave.com"


@dataclass(frozen=True, slots=True)
class Brave:
    """The service at ``endpoint``; ``key`` reads the subscription's token."""

    key: Callable[[], str] = field(repr=False)
    endpoint: str = ENDPOINT
    name: str = "Brave"
    things: str = "pictures of"
    everyday: tuple[str, ...] = EVERYDAY
    size: int = 100
    pages: int = 1

    def question(self, words: str, page: int) -> Question:
        """All results at once: the service has no other pages."""
        del page
        return Question(
            "/res/v1/images/search",
            {"q": words, "count": str(self.size), "safesearch": "strict", "search_lang": "en"},
            {"x-subscription-token": self.key(), "accept": "application/json"},
        )

    def entries(self, answer: JsonObject) -> object:
        """The list of results."""
        return answer.get("results")

    def hit(self, entry: Entry) -> Hit | None:
        """A picture; its thumbnail, which Brave serves, where the picture is gone."""
        title = text_of(entry, "title") or ""
        addresses = (text_of(entry, "properties", "url"), text_of(entry, "thumbnail", "src"))
        return Hit(
            title,
            frozenset({*keyword(title).split(), keyword(title)}),
            Origin("brave", text_of(entry, "url"), text_of(entry, "source")),
            tuple(filter(None, addresses)),
        )
