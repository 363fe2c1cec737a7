"""Freely licensed pictures by keyword, from Openverse.

https://api.openverse.org/v1/ (``GET /v1/images/``); without a key it gives
20 results a page.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from analyzers.vocabulary import JsonObject, Origin
from worker.sources.keywords import keyword
from worker.sources.pictures import EVERYDAY
from worker.sources.search import Entry, Hit, Question, objects, text_of

ENDPOINT = "https://api.openverse.org"


@dataclass(frozen=True, slots=True)
class Openverse:
    """The service at ``endpoint``; ``key`` reads an access token when it is first asked."""

    endpoint: str = ENDPOINT
    key: Callable[[], str] | None = field(default=None, repr=False)
    name: str = "Openverse"
    things: str = "pictures of"
    everyday: tuple[str, ...] = EVERYDAY
    size: int = 20
    pages: int = 5

    def question(self, words: str, page: int) -> Question:
        """The results of a page."""
        parameters = {"q": words, "page_size": str(self.size), "mature": "false"}
        if page > 1:
            parameters["page"] = str(page)
        headers = {"authorization": f"Bearer {self.key()}"} if self.key else {}
        return Question("/v1/images/", parameters, headers)

    def entries(self, answer: JsonObject) -> object:
        """The list of results."""
        return answer.get("results")

    def hit(self, entry: Entry) -> Hit | None:
        """A picture with its tags; its thumbnail where the picture is gone."""
        url = text_of(entry, "url")
        title = text_of(entry, "title") or ""
        licence = (text_of(entry, "license"), text_of(entry, "license_version"))
        tags = {keyword(text_of(tag, "name") or "") for tag in objects(entry.get("tags"))}
        return Hit(
            title,
            frozenset({*tags, *keyword(title).split(), keyword(title)}),
            Origin(
                "openverse",
                text_of(entry, "foreign_landing_url") or url,
                text_of(entry, "creator"),
                " ".join(filter(None, licence)) or None,
            ),
            tuple(filter(None, (url, text_of(entry, "thumbnail")))),
        )
