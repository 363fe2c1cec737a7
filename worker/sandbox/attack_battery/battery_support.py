"""System calls by number, where the C library offers no way around its checks."""

from __future__ import annotations

import ctypes
import os
import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Canary:
    """Things of the host: listeners, files, a process and a secret, marked with ``token``.

    Ports lie on the host's loopback (``tcp6`` is 0 without IPv6).  ``hold`` (seconds) keeps what
    uses too much, for a watch from outside.  The rest are limits in force, in bytes or counts.
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

_NUMBERS = {
    "x86_64": {
        "ioctl": 16,
        "shmget": 29,
        "clone": 56,
        "ptrace": 101,
        "mount": 165,
        "umount2": 166,
        "add_key": 248,
        "request_key": 249,
        "keyctl": 250,
        "mknodat": 259,
        "unshare": 272,
        "perf_event_open": 298,
        "name_to_handle_at": 303,
        "open_by_handle_at": 304,
        "setns": 308,
        "process_vm_readv": 310,
        "process_vm_writev": 311,
        "memfd_create": 319,
        "bpf": 321,
        "userfaultfd": 323,
        "chroot": 161,
    },
    "aarch64": {
        "ioctl": 29,
        "shmget": 194,
        "clone": 220,
        "ptrace": 117,
        "mount": 40,
        "umount2": 39,
        "add_key": 217,
        "request_key": 218,
        "keyctl": 219,
        "mknodat": 33,
        "unshare": 97,
        "perf_event_open": 241,
        "name_to_handle_at": 264,
        "open_by_handle_at": 265,
        "setns": 268,
        "process_vm_readv": 270,
        "process_vm_writev": 271,
        "memfd_create": 279,
        "bpf": 280,
        "userfaultfd": 282,
        "chroot": 51,
    },
}
_COMMON = {
    "pidfd_send_signal": 424,
    "io_uring_setup": 425,
    "open_tree": 428,
    "fsopen": 430,
    "pidfd_open": 434,
    "clone3": 435,
    "pidfd_getfd": 438,
    "memfd_secret": 447,
}
_libc = ctypes.CDLL(None, use_errno=True)
buffer = ctypes.create_string_buffer
"""Memory of so many bytes, for the kernel to write into."""


def call(name: str | int, *arguments: int | bytes | ctypes.Array[ctypes.c_char]) -> int:
    """Make a system call with full 64-bit arguments; raises ``OSError``."""
    number = name if isinstance(name, int) else _number(name)
    wide = [
        ctypes.c_uint64(argument % (1 << 64)) if isinstance(argument, int) else argument
        for argument in arguments
    ]
    result: int = _libc.syscall(ctypes.c_long(number), *wide)
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error), str(name))
    return result


def _number(name: str) -> int:
    if name in _COMMON:
        return _COMMON[name]
    return _NUMBERS[platform.machine()][name]
