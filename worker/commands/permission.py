"""Who may use which command: GitHub is asked when a command is carried out.

What a comment says about its author (``author_association``) is not trusted.
"""

from __future__ import annotations

from dataclasses import dataclass

from worker.commands.grammar import Apply, Approve, Command, Explain, Help, Rerun, Unknown
from worker.github import repositories
from worker.github.api import Api
from worker.github.errors import NotFoundError
from worker.github.repositories import LEVELS, Level, Permission
from worker.store.records import Policy

_OF_AUTHORS = (Explain, Help)
_NEEDS_WRITE = (Apply, Approve)
"""What changes code or spends money: being on the maintainers' list is not enough."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody by the login of then; ``id``, where it is known, outlives a login."""

    login: str
    id: int | None = None


@dataclass(frozen=True, slots=True)
class Asker:
    """Somebody who asks for something; ``author``: of this very pull request."""

    login: str
    author: bool
    writes: bool
    commands: bool

    def may(self, command: Command, policy: Policy) -> bool:
        """Whether a command is theirs to give; what is no command is anybody's."""
        if isinstance(command, Unknown):
            return True
        if isinstance(command, _NEEDS_WRITE):
            return self.commands and self.writes
        return self.commands or (self.author and _is_authors(command, policy))


def asker(api: Api, repository: str, who: Person, author: str | None, policy: Policy) -> Asker:
    """Ask GitHub what somebody may do in a repository.

    ``author`` is who opened the pull request.  Who took over a login since
    may nothing.  Raises ``GithubError``.
    """
    login = who.login
    permission = _permission(api, repository, login)
    now = permission.user
    if who.id is not None and now is not None and now.id != who.id:
        return Asker(login, author=False, writes=False, commands=False)
    return Asker(
        login=login,
        author=author is not None and login.lower() == author.lower(),
        writes=permission.allows("write"),
        commands=_commands(login, permission, policy.commands),
    )


def _permission(api: Api, repository: str, login: str) -> Permission:
    try:
        return repositories.permission(api, repository, login)
    except NotFoundError:
        return Permission(permission="none")


def _commands(login: str, permission: Permission, who: str | tuple[str, ...]) -> bool:
    if isinstance(who, tuple):
        return login.lower() in {each.lower() for each in who}
    return permission.allows(_level(who))


def _level(name: str) -> Level:
    """The level that the configuration names; an unknown one lets only admins in."""
    known: dict[str, Level] = {level: level for level in LEVELS if level != "none"}
    return known.get(name, "admin")


def _is_authors(command: Command, policy: Policy) -> bool:
    """Whether the author may: nothing that tests less, or until the inputs happen to be kind."""
    if not isinstance(command, Rerun):
        return isinstance(command, _OF_AUTHORS)
    inputs, seed = command.options.inputs, command.options.seed
    return seed is None and (inputs is None or inputs >= policy.inputs)
