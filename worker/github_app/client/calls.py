"""One request to GitHub and its answer, before anybody judges them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

from worker.github_app.client.errors import GithubError, UnavailableError, UncertainError


@dataclass(frozen=True, slots=True)
class Call:
    """A request; ``writes``: sending it twice is not the same as sending it once."""

    verb: str
    url: str
    parameters: Mapping[str, Any]
    body: Any
    graphql: bool

    @property
    def writes(self) -> bool:
        """Tell a write from a GET, a query of GraphQL and a request for a token."""
        if self.graphql:
            return str(self.body["query"]).lstrip().startswith("mutation")
        return self.verb != "GET" and not self.url.endswith("/access_tokens")

    @property
    def name(self) -> str:
        """Method and path, without a query."""
        return f"{self.verb} {urlsplit(self.url).path}"

    def lost(self, why: str) -> GithubError:
        """Return the error for a request without an answer that can be used."""
        kind = UncertainError if self.writes else UnavailableError
        return kind(f"GitHub was asked for {self.name}, and {why}")


@dataclass(frozen=True, slots=True)
class Answer:
    """The status, headers (names in lower case) and text of GitHub's answer."""

    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def served_at(self) -> datetime | None:
        """The time on GitHub's own clock."""
        return moment(self.headers.get("date", ""))


def moment(text: str) -> datetime | None:
    """Return an HTTP date as an aware time; ``None`` if it is none."""
    try:
        at = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return at.replace(tzinfo=at.tzinfo or UTC)
