"""What all of GitHub's nouns share: strict about what we use, deaf to the rest."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, StrictInt, StrictStr, ValidationError

from worker.github_app.client.calls import Json
from worker.github_app.client.errors import UnavailableError, UncertainError

BOT = "Bot"


class Noun(BaseModel):
    """Something that GitHub told us of."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class User(Noun):
    """An account; ``type`` is ``User``, ``Bot`` or ``Organization``."""

    id: StrictInt
    login: StrictStr
    type: StrictStr = "User"

    @property
    def bot(self) -> bool:
        """Whether an App or a machine acts by this name."""
        return self.type == BOT or self.login.endswith("[bot]")


Kind = TypeVar("Kind", bound=BaseModel)


def read(kind: type[Kind], value: Json) -> Kind:
    """What GitHub answered to a read; ``UnavailableError`` if it is something else."""
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        raise UnavailableError(_strange(kind, error)) from None


def read_all(kind: type[Kind], values: Iterable[Json]) -> tuple[Kind, ...]:
    """All entries of a list; raises as :func:`read`."""
    return tuple(read(kind, value) for value in values)


def made(kind: type[Kind], value: Json) -> Kind:
    """What GitHub answered to a write; ``UncertainError`` if it is something else."""
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        raise UncertainError(_strange(kind, error)) from None


def _strange(kind: type[BaseModel], error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"GitHub's {kind.__name__} is not as described: {place}: {first['msg']}"


def quoted(text: str) -> str:
    """One segment of a path, or a whole name with its slashes escaped."""
    return quote(text, safe="")


def repository_path(full_name: str) -> str:
    """``/repos/owner/name``, quoted.  Raises ``ValueError`` for anything else."""
    owner, _, name = full_name.partition("/")
    if not owner or not name or "/" in name or {owner, name} & {".", ".."}:
        raise ValueError(f"not the name of a repository: {full_name!r}")
    return f"/repos/{quoted(owner)}/{quoted(name)}"
