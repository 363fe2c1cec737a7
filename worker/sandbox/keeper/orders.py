"""What the host tells the keeper, as JSON in its one argument."""

from __future__ import annotations

from typing import TypedDict


class Confinement(TypedDict):
    """A Landlock domain: the version of its interface, rights by path.

    ``grants`` maps a kind of access (see ``landlock.RIGHTS``) to paths.
    """

    abi: int
    grants: dict[str, list[str]]


class Orders(TypedDict):
    """How a guest is started.

    ``parent`` is the host's pid.  ``uid``: what root drops to; ``None`` keeps
    ours.  ``limits`` are rlimits by name, ``cgroups`` folders to join,
    ``filter`` a descriptor that reads a seccomp program.
    """

    parent: int
    uid: int | None
    limits: dict[str, int]
    cgroups: list[str]
    folder: str
    environment: dict[str, str]
    confinement: Confinement | None
    filter: int | None
    command: list[str]
