"""GitHub's answers as PyGithub's objects, checked, or as models where PyGithub has none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import attrgetter
from typing import Any, TypeVar
from urllib.parse import quote

from github.GithubException import BadAttributeException
from github.GithubObject import CompletableGithubObject, GithubObject
from github.NamedUser import NamedUser
from pydantic import BaseModel, ConfigDict, ValidationError

from worker.github_app.client.errors import (
    GithubError,
    TooLargeError,
    UnavailableError,
    UncertainError,
)

BOT = "Bot"
MOST_ENTRIES = 10_000


class Model(BaseModel):
    """Something that GitHub told us of: strict about what we use, deaf to the rest."""

    model_config = ConfigDict(frozen=True, extra="ignore")


_Model = TypeVar("_Model", bound=BaseModel)
_Object = TypeVar("_Object", bound=GithubObject)
_Completable = TypeVar("_Completable", bound=CompletableGithubObject)


def read(kind: type[_Model], value: Any) -> _Model:
    """Return GitHub's answer to a read; raise ``UnavailableError`` if it is something else."""
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        told = f"GitHub's {kind.__name__} is not as described: {place}: {first['msg']}"
        raise UnavailableError(told) from None


def completed(thing: _Completable, *needed: str) -> _Completable:
    """Ask GitHub for an object of which only the address is known."""
    return _checked(thing.complete(), needed, UnavailableError)


def made(thing: _Object, *needed: str) -> _Object:
    """Return what a write made; raise ``UncertainError`` where a needed field is not there."""
    return _checked(thing, needed, UncertainError)


def listed(pages: Iterable[_Object], *needed: str, most: int = MOST_ENTRIES) -> Iterator[_Object]:
    """Yield the entries of all pages; raise ``TooLargeError`` past ``most``.

    PyGithub asks for an entry of its own as soon as a field is read that its
    list left out: one request for each comment that answers no other.
    """
    for number, thing in enumerate(pages):
        if number >= most:
            raise TooLargeError(f"GitHub lists more than {most} entries")
        if isinstance(thing, CompletableGithubObject):
            thing._set_complete()  # pyright: ignore[reportPrivateUsage]
        yield _checked(thing, needed, UnavailableError)


def _checked(thing: _Object, needed: tuple[str, ...], kind: type[GithubError]) -> _Object:
    """Return an object whose needed fields (``head.sha``) are there and of their types."""
    for name in needed:
        try:
            there = attrgetter(name)(thing) is not None
        except (BadAttributeException, AttributeError):
            there = False
        if not there:
            raise kind(f"GitHub's {type(thing).__name__} is not as described: {name}")
    return thing


def is_bot(user: NamedUser) -> bool:
    """Tell whether an App or a machine acts by this name."""
    return user.type == BOT or user.login.endswith("[bot]")


def quoted(text: str) -> str:
    """Return one segment of a path, or a whole name with its slashes escaped."""
    return quote(text, safe="")


def repository_name(full_name: str) -> str:
    """Return ``owner/name``, quoted.  Raise ``ValueError`` for anything else."""
    owner, _, name = full_name.partition("/")
    if not owner or not name or "/" in name or {owner, name} & {".", ".."}:
        raise ValueError(f"not the name of a repository: {full_name!r}")
    return f"{quoted(owner)}/{quoted(name)}"
