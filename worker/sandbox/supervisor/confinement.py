"""Landlock: access to files, TCP, abstract sockets and other processes, given up.

Numbers and structures: ``linux/landlock.h``; what each version of the
interface added: https://docs.kernel.org/userspace-api/landlock.html.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from collections.abc import Iterable, Mapping
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


CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
VERSION_QUERY = 1
PATH_BENEATH = 1
TCP_SINCE, SCOPES_SINCE = 4, 6

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
MAKE_CHAR, MAKE_SOCK, MAKE_BLOCK = 1 << 6, 1 << 9, 1 << 11
TRUNCATE, IOCTL_DEV = 1 << 14, 1 << 15
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
FILE_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
TCP_RIGHTS = 0b11  # bind, connect
SCOPES = 0b11  # abstract unix sockets, signals

ALL = FILE_RIGHTS[5]
RIGHTS = {
    "read": READ_FILE | READ_DIR,
    "run": READ_FILE | READ_DIR | EXECUTE,
    "device": READ_FILE | WRITE_FILE | TRUNCATE,
    "driver": READ_FILE | WRITE_FILE | TRUNCATE | IOCTL_DEV,
    "write": ALL & ~(MAKE_CHAR | MAKE_BLOCK | MAKE_SOCK | IOCTL_DEV),
}


def version() -> int:
    """The version of the kernel's interface; 0 where Landlock is off or absent."""
    try:
        return syscall("landlock", CREATE_RULESET, None, ctypes.c_size_t(0), VERSION_QUERY)
    except OSError:
        return 0


def ruleset(abi: int, grants: Mapping[str, Iterable[str]]) -> int:
    """Return a descriptor of rules that refuse all but ``grants``, paths by ``RIGHTS``."""
    handled = FILE_RIGHTS[max(since for since in FILE_RIGHTS if since <= abi)]
    fields = [handled]
    if abi >= TCP_SINCE:
        fields.append(TCP_RIGHTS)
    if abi >= SCOPES_SINCE:
        fields.append(SCOPES)
    attributes = struct.pack(f"{len(fields)}Q", *fields)
    rules = syscall(
        "landlock_create_ruleset", CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0
    )
    for kind, paths in grants.items():
        for path in paths:
            rights = RIGHTS[kind] & handled
            descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
            try:
                if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
                    rights &= OF_FILES
                rule = struct.pack("=Qi", rights, descriptor)
                syscall("landlock_add_rule", ADD_RULE, ctypes.c_int(rules), PATH_BENEATH, rule, 0)
            finally:
                os.close(descriptor)
    return rules


def restrict_self(rules: int) -> None:
    """Give up what the rules do not grant, for this process and all after it."""
    syscall("landlock_restrict_self", RESTRICT_SELF, ctypes.c_int(rules), 0)
