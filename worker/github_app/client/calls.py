"""One request to GitHub and its answer, before anybody judges them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeAlias

import httpx

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"

JSON = "application/vnd.github+json"
DIFF = "application/vnd.github.diff"


@dataclass(frozen=True, slots=True)
class Call:
    """What is asked; ``writes``: doing it twice is not the same as doing it once.

    ``path`` is what messages name, ``url`` where it is sent.
    """

    method: str
    path: str
    url: str
    writes: bool
    body: Json = None
    accept: str = JSON
    graphql: bool = False

    @property
    def name(self) -> str:
        """Method and path, without a query."""
        return f"{self.method} {self.path.partition('?')[0]}"


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back, whole."""

    status: int
    headers: httpx.Headers
    content: bytes

    @property
    def served_at(self) -> datetime | None:
        """When GitHub's own clock says that it answered."""
        return moment(self.headers.get("date", ""))


def moment(text: str) -> datetime | None:
    """An HTTP date as an aware time; ``None`` if it is none."""
    try:
        at = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return at.replace(tzinfo=at.tzinfo or UTC)
