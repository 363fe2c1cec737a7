"""Repositories, who may do what in them, and the App's registration."""

from __future__ import annotations

from typing import Any, Literal

from github.GithubApp import GithubApp
from github.Repository import Repository

from worker.github_app.client.api import Api
from worker.github_app.client.models import Model, completed, quoted, read

Level = Literal["none", "read", "triage", "write", "maintain", "admin"]

LEVELS: tuple[Level, ...] = ("none", "read", "triage", "write", "maintain", "admin")


class User(Model):
    """An account."""

    id: int
    login: str


class Permission(Model):
    """The permission of a user: ``permission`` is admin, write, read or none.

    ``role_name`` is finer (triage, maintain) and may be a custom role's name.
    ``user`` is whose login it is today.
    """

    permission: str
    role_name: str | None = None
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
        """Return whether it is at least ``needed``."""
        return LEVELS.index(self.level) >= LEVELS.index(needed)


def get(api: Api, repository: str) -> Repository:
    """Return one repository, also by an old name: then under its new one."""
    return completed(api.repository(repository), "id", "full_name", "private", "archived")


def permission(api: Api, repository: str, login: str) -> Permission:
    """Return what a user may do; ``NotFoundError`` for one that is no user (many bots).

    PyGithub returns the level or the role, and never whose they are.
    """
    path = f"{api.repository(repository).url}/collaborators/{quoted(login)}/permission"
    return read(Permission, api.send("GET", path))


def branch_head(api: Api, repository: str, branch: str) -> str:
    """Return the commit at the end of a branch."""
    ref = api.repository(repository).get_git_ref(f"heads/{branch}")
    return completed(ref, "object.sha").object.sha


def registration(api: Api) -> GithubApp:
    """Return the App itself; ``api`` is ``App.api``."""
    return completed(GithubApp(api, url="/app"), "slug", "permissions", "events")


def granted(api: Api, installation: int) -> dict[str, Any]:
    """Return the permissions of an installation; ``api`` is ``App.api``."""
    return read(_Installation, api.send("GET", f"/app/installations/{installation}")).permissions


class _Installation(Model):
    permissions: dict[str, str]
