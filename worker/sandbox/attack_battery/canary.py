"""What the host has put out to be found, and the bounds it has set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Canary:
    """Things of the host: listeners, a file, a process, a secret in environments.

    ``token`` stands in the canary process's name and environment and in the
    host's environment.  ``descriptors`` are those open at the start beyond
    the channel and the standard ones.  The rest are the limits in force, in bytes or counts.
    """

    token: str
    pid: int
    tcp: int
    udp: int
    unix: str
    abstract: str
    file: str
    project: str
    descriptors: tuple[int, ...]
    file_size: int
    open_files: int
    scratch: int
    address_space: int


Attack: TypeAlias = Callable[[Canary], str]
Attacks: TypeAlias = Mapping[str, Attack]
