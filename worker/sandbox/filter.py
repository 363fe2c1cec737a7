"""The system calls a guest may not make, as a seccomp filter."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

from worker.sandbox.calls import (
    ABSENT,
    ATTRIBUTES,
    BONDS,
    CHANGING_OWNED,
    CONNECTIONLESS,
    KIND,
    NEW_NAMESPACES,
    ON_ANY_PROCESS,
    REFUSED,
    SHARED,
    STAYING,
    TERMINAL_INPUT,
)

Rule: TypeAlias = "tuple[int, str | int, Any | None]"

WORD = 0xFFFFFFFF
AF_UNIX = 1
AF_INET = 2
UDP = 17  # the protocols above are rare and have had many holes


class NoFilter(Exception):  # noqa: N818 - a noun of the outside
    """libseccomp is missing or does not know this machine."""


@dataclass(frozen=True, slots=True)
class Strictness:
    """What the filter has to do because no other layer does.

    ``network`` lets IPv4 sockets be opened: only for a guest whose network
    namespace is its own.  Without ``namespaces`` no socket at all may be
    opened, and the process group may not be left.  Without an ``own_uid``
    files of the same user are protected too.
    """

    network: bool = False
    namespaces: bool = True
    own_uid: bool = True


def _rules(library: Any, strictness: Strictness) -> Iterator[Rule]:
    """Yield (errno, call, condition on one argument).

    The kernel reads flags and commands as 32 bits, so they are compared under
    a mask: a high bit must not make a value look different.
    """
    for name in REFUSED:
        yield errno.EPERM, name, None
    for name in ABSENT:
        yield errno.ENOSYS, name, None
    for flag in NEW_NAMESPACES:
        masked = library.Arg(0, library.MASKED_EQ, flag, flag)
        yield errno.EPERM, "clone", masked
    for command in TERMINAL_INPUT:
        masked = library.Arg(1, library.MASKED_EQ, WORD, command)
        yield errno.EPERM, "ioctl", masked
    if strictness.namespaces:
        yield from _family_rules(library, network=strictness.network)
    else:
        yield from _shared_rules(library)
    if not strictness.own_uid:
        for call in CHANGING_OWNED:
            yield errno.EPERM, call, None
        for call in ATTRIBUTES:
            yield errno.ENOTSUP, call, None


def _family_rules(library: Any, *, network: bool) -> Iterator[Rule]:
    family = library.Arg(0, library.GT, AF_INET) if network else library.Arg(0, library.NE, AF_UNIX)
    for call in ("socket", "socketpair"):
        yield errno.EAFNOSUPPORT, call, family
    if network:
        yield errno.EPROTONOSUPPORT, "socket", library.Arg(2, library.GT, UDP)


def _shared_rules(library: Any) -> Iterator[Rule]:
    """Yield what stands in for namespaces."""
    yield errno.EAFNOSUPPORT, "socket", None
    yield errno.EAFNOSUPPORT, "socketpair", library.Arg(0, library.NE, AF_UNIX)
    for kind in CONNECTIONLESS:
        masked = library.Arg(1, library.MASKED_EQ, KIND, kind)
        yield errno.EPROTONOSUPPORT, "socketpair", masked
    for call in (*STAYING, *SHARED):
        yield errno.EPERM, call, None
    for call in ON_ANY_PROCESS:
        yield errno.EPERM, call, library.Arg(0, library.NE, 0)
    for argument in (0, 1):  # the kind must be a process, and that oneself
        yield errno.EPERM, "setpriority", library.Arg(argument, library.NE, 0)
    for option in BONDS:
        masked = library.Arg(0, library.MASKED_EQ, WORD, option)
        yield errno.EPERM, "prctl", masked


def _library() -> Any:
    try:
        import pyseccomp  # noqa: PLC0415 - fails to import where libseccomp is missing
    except (ImportError, RuntimeError, OSError) as error:
        raise NoFilter(str(error)) from error
    return pyseccomp


@cache
def seccomp_filter(strictness: Strictness = Strictness()) -> tuple[bytes, int]:
    """Return the filter as BPF for this machine, and how many rules it has.

    A call that the architecture does not have (``ioperm`` on aarch64) is left
    out; one that the library cannot name raises ``NoFilter``.
    """
    library: Any = _library()
    program = library.SyscallFilter(library.ALLOW)
    count = 0
    for number, name, condition in _rules(library, strictness):
        conditions = () if condition is None else (condition,)
        try:
            program.add_rule(library.ERRNO(number), name, *conditions)
        except OSError as error:
            raise NoFilter(f"{name}: {error}") from error
        count += 1
    return _exported(program), count


def _exported(program: Any) -> bytes:
    with os.fdopen(os.memfd_create("seccomp"), "w+b") as file:
        program.export_bpf(file)
        file.seek(0)
        return file.read()


def filter_descriptor(strictness: Strictness = Strictness()) -> int:
    """Return a new descriptor that reads the filter from its start."""
    descriptor = os.memfd_create("seccomp")
    os.write(descriptor, seccomp_filter(strictness)[0])
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor
