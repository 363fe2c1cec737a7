"""Values that must never be repeated: taken out of texts, looked for in answers."""

from __future__ import annotations

import json
import re
import threading
from urllib.parse import quote, quote_plus

SHORTEST = 4
_LINE = 16
_IN_ADDRESS = re.compile(r"(?<=[?&]key=)[^&\s\"']+")


class Secrets:
    """The secrets that one client sends; safe for several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._spellings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Nothing of them."""
        return "Secrets(…)"

    def add(self, secret: str) -> None:
        """Know a secret in the spellings that it may come back in.

        One of several lines, as a private key, is known by each long word.
        """
        words = secret.split()
        words = words if len(words) == 1 else [word for word in words if len(word) > _LINE]
        spelt = {form for word in words for form in _forms(word) if len(form) >= SHORTEST}
        with self._lock:
            self._spellings = tuple(
                sorted({*self._spellings, *spelt}, key=lambda form: (-len(form), form))
            )

    def redacted(self, text: str) -> str:
        """The text with ``…`` for every secret, and for every key in an address."""
        for spelling in self._spellings:
            text = text.replace(spelling, "…")
        return _IN_ADDRESS.sub("…", text)

    def occur_in(self, content: bytes) -> bool:
        """Whether a reply repeats a secret."""
        return any(spelling.encode() in content for spelling in self._spellings)


def redacted_address(text: str) -> str:
    """A log line about an address without the key in it."""
    return _IN_ADDRESS.sub("…", text)


def _forms(word: str) -> set[str]:
    return {word, quote(word, safe=""), quote_plus(word), json.dumps(word)[1:-1]}
