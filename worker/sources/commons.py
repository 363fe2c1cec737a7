"""Freely licensed pictures by keyword, from Wikimedia Commons.

https://commons.wikimedia.org/w/api.php: a search among files with
``prop=imageinfo`` (API:Imageinfo), whose ``extmetadata`` has author and licence.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

from analyzers.vocabulary import JsonObject, Origin
from worker.sources import wikimedia
from worker.sources.keywords import keyword
from worker.sources.pictures import EVERYDAY
from worker.sources.search import Entry, Hit, Question, objects, text_of

ENDPOINT = "https://commons.wikimedia.org"
WIDTH = 1024
_TYPES = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
_FILE = re.compile(r"^File:|\.\w{3,4}$")
_MARKUP = re.compile(r"<[^>]*>")


@dataclass(frozen=True, slots=True)
class Commons:
    """The service at ``endpoint``; ``contact`` is who asks: an address or a page."""

    endpoint: str = ENDPOINT
    contact: str | None = None
    name: str = "Wikimedia Commons"
    things: str = "pictures of"
    everyday: tuple[str, ...] = EVERYDAY
    size: int = 20
    pages: int = 5

    def question(self, words: str, page: int) -> Question:
        """The pictures of a page of results."""
        return wikimedia.search_question(
            f"filetype:bitmap {words}",
            (page - 1) * self.size,
            self.size,
            self.contact,
            gsrnamespace="6",
            prop="imageinfo",
            iiprop="url|mime|extmetadata",
            iiurlwidth=str(WIDTH),
            iiextmetadatafilter="LicenseShortName|Artist|Categories",
        )

    def entries(self, answer: JsonObject) -> object:
        """The files, the best match first."""
        return wikimedia.pages(answer, self.name)

    def hit(self, entry: Entry) -> Hit | None:
        """A picture that is 1,024 pixels wide at most, with its categories."""
        info = next(iter(objects(entry.get("imageinfo"))), None)
        if info is None or text_of(info, "mime") not in _TYPES:
            return None
        title = _FILE.sub("", _FILE.sub("", text_of(entry, "title") or ""))
        categories = (_said(info, "Categories") or "").split("|")
        page = text_of(info, "descriptionurl")
        return Hit(
            title,
            frozenset({*map(keyword, categories), *keyword(title).split(), keyword(title)}) - {""},
            Origin("commons", page, _said(info, "Artist"), _said(info, "LicenseShortName")),
            tuple(filter(None, (text_of(info, "thumburl"), text_of(info, "url")))),
        )


def _said(info: Entry, name: str) -> str | None:
    """A field of the metadata as plain text."""
    value = text_of(info, "extmetadata", name, "value")
    text = " ".join(html.unescape(_MARKUP.sub("", value or "")).split())
    return text or None
