"""One request on its way to its handler."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from tests.github_double.responses import Answer, forbidden, not_found
from tests.github_double.rest_objects import Shapes
from tests.github_double.shared_services import Hub
from tests.github_double.state import Account, Issue, Pull, Repository, State
from tests.github_double.state_changes import Deeds
from tests.github_double.tokens import Actor


@dataclass
class Call:
    """A request that was understood, checked and allowed."""

    hub: Hub
    deeds: Deeds
    actor: Actor
    path: str
    parts: dict[str, str]
    query: dict[str, str]
    body: dict[str, Any]
    accept: str
    repo: Repository | None = None

    @property
    def state(self) -> State:
        return self.hub.state

    @property
    def shapes(self) -> Shapes:
        return self.hub.shapes

    @property
    def repository(self) -> Repository:
        assert self.repo is not None
        return self.repo

    @property
    def user(self) -> Account:
        """Who does it: an installation acts as the App's bot."""
        return self.hub.bot

    def number(self, name: str) -> int:
        """A number of the path; anything else is not found."""
        if not self.parts[name].isdigit():
            raise not_found()
        return int(self.parts[name])

    def commit(self, name: str) -> str | None:
        return self.repository.git.resolve(name)

    def pull(self) -> Pull:
        found = self.state.pulls.get((self.repository.id, self.number("pull_number")))
        if found is None:
            raise not_found()
        return found

    def issue(self) -> Issue:
        found = self.state.issues.get((self.repository.id, self.number("issue_number")))
        if found is None:
            raise not_found()
        self.require("pull_requests" if found.pull else "issues", "issues")
        return found

    def require(self, *permissions: str) -> None:
        """One of ``permissions`` must be there, to read at least."""
        if not any(self.actor.may(name, "read") for name in permissions):
            raise forbidden()

    def page(
        self,
        items: Sequence[Any],
        shape: Callable[[Any], Any],
        wrap: Callable[[list[Any], int], Any] | None = None,
    ) -> Answer:
        """One page of ``items``, 30 by default and 100 at most, with ``Link`` headers."""
        size = min(max(int(self.query.get("per_page", "30")), 1), 100)
        page = max(int(self.query.get("page", "1")), 1)
        last = max((len(items) + size - 1) // size, 1)
        shown = [shape(item) for item in items[(page - 1) * size : page * size]]
        places = []
        if page > 1:
            places += [("prev", min(page - 1, last)), ("first", 1)]
        if page < last:
            places += [("next", page + 1), ("last", last)]
        links = [f'<{self._at(number)}>; rel="{name}"' for name, number in places]
        body = wrap(shown, len(items)) if wrap else shown
        return Answer(200, body, {"Link": ", ".join(links)} if links else {})

    def _at(self, page: int) -> str:
        query = {**self.query, "page": str(page)}
        return f"{self.shapes.api}{self.path}?{urlencode(query)}"


Handler = Callable[[Call], Answer]
