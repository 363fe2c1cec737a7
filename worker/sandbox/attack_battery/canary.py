"""What the host has put out to be found, and the bounds it has set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Canary:
    """Things of the host: listeners, files, a process, a secret in environments.

    ``token`` stands in the canary process's name, environment and memory, and
    in the host's environment.  ``tcp``, ``tcp6`` (0 where the host has no
    IPv6), ``udp``, ``metadata`` and ``redis`` are ports on the host's
    loopback, ``unix`` and ``datagram`` sockets in its files, ``abstract`` one
    beside them.  ``host`` is the process id of the host, ``process_namespace``
    the name of the namespace in which it is one.  ``descriptors`` are those
    open at the start beyond the channel and the standard ones.  What uses too
    much is kept for ``hold`` seconds, so that a watch from outside can see
    it.  The rest are the limits in force, in bytes or counts.
    """

    token: str
    pid: int
    host: int
    process_namespace: str
    tcp: int
    tcp6: int
    udp: int
    metadata: int
    redis: int
    unix: str
    datagram: str
    abstract: str
    file: str
    project: str
    descriptors: tuple[int, ...]
    hold: float
    file_size: int
    open_files: int
    files: int
    scratch: int
    address_space: int


Attack: TypeAlias = Callable[[Canary], str]
Attacks: TypeAlias = Mapping[str, Attack]
