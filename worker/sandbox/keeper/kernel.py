"""The system calls that Python's standard library lacks."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

PR_SET_PDEATHSIG = 1
PR_SET_SECCOMP = 22
PR_CAPBSET_DROP = 24
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
SECCOMP_MODE_FILTER = 2
INSTRUCTION = 8
LAST_CAPABILITY = "/proc/sys/kernel/cap_last_cap"

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def prctl(option: int, first: int = 0, second: object = None) -> None:
    """Change something about this process; raises ``OSError``."""
    rest = ctypes.c_ulong(0) if second is None else second
    if _libc.prctl(option, ctypes.c_ulong(first), rest, ctypes.c_ulong(0), ctypes.c_ulong(0)):
        raise _failure("prctl")


def syscall(name: str, number: int, *arguments: object) -> int:
    """Make a system call by its number; raises ``OSError``."""
    result: int = _libc.syscall(ctypes.c_long(number), *arguments)
    if result < 0:
        raise _failure(name)
    return result


def drop_bounding_set() -> None:
    """Let no later program have any capability."""
    last = int(Path(LAST_CAPABILITY).read_text())
    for capability in range(last + 1):
        prctl(PR_CAPBSET_DROP, capability)


def install_filter(descriptor: int) -> None:
    """Have the kernel judge every system call from here on by a BPF program."""
    with os.fdopen(descriptor, "rb") as file:
        code = file.read()
    program = _Program(len(code) // INSTRUCTION, code)
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program))


def _failure(name: str) -> OSError:
    error = ctypes.get_errno()
    return OSError(error, f"{name}: {os.strerror(error)}")
