"""Repositories, who may do what in them, and installations of the App."""

from __future__ import annotations

from typing import Literal

from pydantic import AwareDatetime, Field, StrictBool, StrictInt, StrictStr

from worker.github_app.client.api import Api
from worker.github_app.client.models import Noun, User, quoted, read, read_all, repository_path

Level = Literal["none", "read", "triage", "write", "maintain", "admin"]

LEVELS: tuple[Level, ...] = ("none", "read", "triage", "write", "maintain", "admin")


class Repository(Noun):
    """A repository; ``id`` outlives its name."""

    id: StrictInt
    full_name: StrictStr
    private: StrictBool
    fork: StrictBool = False
    archived: StrictBool = False
    default_branch: StrictStr | None = None


class Permission(Noun):
    """What a user may do: ``permission`` is admin, write, read or none.

    ``role_name`` is finer (triage, maintain) and may be a custom role's name.
    ``user`` is whose login it is today.
    """

    permission: StrictStr
    role_name: StrictStr | None = None
    user: User | None = None

    @property
    def level(self) -> Level:
        """The finest level that we know of."""
        for name in (self.role_name, self.permission):
            for level in LEVELS:
                if name == level:
                    return level
        return "none"

    def allows(self, needed: Level) -> bool:
        """Whether it is at least ``needed``."""
        return LEVELS.index(self.level) >= LEVELS.index(needed)


class Account(Noun):
    """Whose an installation is; an enterprise has no ``login``."""

    id: StrictInt
    login: StrictStr | None = None


class Installation(Noun):
    """The App on somebody's account, with what was granted."""

    id: StrictInt
    account: Account | None = None
    permissions: dict[str, str] = Field(default_factory=dict[str, str])
    suspended_at: AwareDatetime | None = None


class Registration(Noun):
    """The App itself; its bot writes as ``<slug>[bot]``."""

    id: StrictInt
    slug: StrictStr
    name: StrictStr = ""
    permissions: dict[str, str] = Field(default_factory=dict[str, str])
    events: frozenset[str] = frozenset()

    @property
    def login(self) -> str:
        """The name that its comments bear."""
        return f"{self.slug}[bot]"


class _Target(Noun):
    sha: StrictStr


class _Ref(Noun):
    object: _Target


def get(api: Api, repository: str) -> Repository:
    """One repository, also by an old name: then under its new one."""
    return read(Repository, api.get(repository_path(repository)))


def permission(api: Api, repository: str, login: str) -> Permission:
    """What a user may do; ``NotFoundError`` for one that is no user (many bots)."""
    path = f"{repository_path(repository)}/collaborators/{quoted(login)}/permission"
    return read(Permission, api.get(path))


def branch_head(api: Api, repository: str, branch: str) -> str:
    """The commit at the end of a branch."""
    path = f"{repository_path(repository)}/git/ref/heads/{_slashed(branch)}"
    return read(_Ref, api.get(path)).object.sha


def of_installation(api: Api) -> tuple[Repository, ...]:
    """The repositories that the token's installation sees."""
    return read_all(Repository, api.pages("/installation/repositories", key="repositories"))


def registration(api: Api) -> Registration:
    """The App itself; ``api`` is ``App.api``."""
    return read(Registration, api.get("/app"))


def installation(api: Api, number: int) -> Installation:
    """One installation; ``api`` is ``App.api``."""
    return read(Installation, api.get(f"/app/installations/{number}"))


def installations(api: Api) -> tuple[Installation, ...]:
    """All installations; ``api`` is ``App.api``."""
    return read_all(Installation, api.pages("/app/installations"))


def _slashed(branch: str) -> str:
    return "/".join(quoted(part) for part in branch.split("/"))
