"""The one summary comment of a pull request: found, made once, edited in place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from worker.composition.marks import SUMMARY, has_mark
from worker.github import comments
from worker.github.api import Api
from worker.github.errors import GoneError, NotFoundError
from worker.publishing.desk import Desk
from worker.publishing.place import PULL_PERMISSIONS, Place, bot_login
from worker.store import WritingState


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary comment of one pull request; ``check`` is called right before a write."""

    place: Place
    pull: int
    desk: Desk
    check: Callable[[], None]

    def standing(self) -> comments.Comment | None:
        """Return the comment as it is; one that somebody deleted is forgotten."""
        with self.desk.store.look() as books:
            writing = books.writings.get(self._key)
        if writing is None or writing.state is not WritingState.DONE or writing.made is None:
            return self._found()
        try:
            return comments.get(self._api, self.place.name, int(writing.made))
        except (NotFoundError, GoneError):
            with self.desk.store.begin() as books:
                books.writings.forget(self._key)
            return None

    def say(self, body: str, there: comments.Comment | None) -> None:
        """Let the comment say ``body``, unless it does."""
        pen = self.desk.pen(self.place.installation)
        if there is None:
            self.check()
            pen.create(self._key, lambda: self._made(body), self._look)
        elif there.body.replace("\r\n", "\n").strip() != body.replace("\r\n", "\n").strip():
            self.check()
            pen.edit(lambda: comments.edit(self._api, self.place.name, there.id, body))

    @property
    def _key(self) -> str:
        return f"summary:{self.place.repository}:{self.pull}"

    @property
    def _api(self) -> Api:
        place = self.place
        return self.desk.api(place.installation, place.repository, **PULL_PERMISSIONS)

    def _made(self, body: str) -> str:
        return str(comments.create(self._api, self.place.name, self.pull, body).id)

    def _look(self) -> str | None:
        found = self._found()
        return None if found is None else str(found.id)

    def _found(self) -> comments.Comment | None:
        ours = bot_login(self.desk)
        there = comments.of_issue(self._api, self.place.name, self.pull)
        return next(
            (c for c in there if c.user and c.user.login == ours and has_mark(c.body, SUMMARY)),
            None,
        )
