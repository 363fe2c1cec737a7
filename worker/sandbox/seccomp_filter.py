"""The system calls a guest may not make, as a seccomp filter."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

REFUSED = (
    *("ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp"),
    *("pidfd_getfd", "bpf", "perf_event_open", "userfaultfd"),
    *("io_uring_setup", "io_uring_enter", "io_uring_register"),
    *("keyctl", "add_key", "request_key", "lookup_dcookie", "quotactl", "acct"),
    *("mount", "umount2", "pivot_root", "chroot", "mount_setattr", "move_mount"),
    *("open_tree", "fsopen", "fsconfig", "fsmount", "fspick", "unshare", "setns"),
    *("mknod", "mknodat", "open_by_handle_at", "name_to_handle_at", "fanotify_init"),
    *("init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load"),
    *("reboot", "swapon", "swapoff", "sethostname", "setdomainname", "syslog"),
    *("iopl", "ioperm", "modify_ldt", "vhangup", "settimeofday", "clock_settime"),
    *("adjtimex", "clock_adjtime", "personality", "seccomp"),
)
ABSENT = (
    *("clone3", "memfd_create", "memfd_secret"),
    *("shmget", "msgget", "semget", "mq_open"),
)
NEW_NAMESPACES = (
    0x00000080,  # CLONE_NEWTIME
    0x00020000,  # CLONE_NEWNS
    0x02000000,  # CLONE_NEWCGROUP
    0x04000000,  # CLONE_NEWUTS
    0x08000000,  # CLONE_NEWIPC
    0x10000000,  # CLONE_NEWUSER
    0x20000000,  # CLONE_NEWPID
    0x40000000,  # CLONE_NEWNET
)
TERMINAL_INPUT = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX

STAYING = ("setsid", "setpgid")
"""Would take a process out of the group that is killed at the end."""

SHARED = (
    *("connect", "bind", "listen", "accept", "accept4", "sendmsg", "sendmmsg"),
    *("inotify_init", "inotify_init1", "inotify_add_watch"),
    *("shmat", "shmctl", "msgsnd", "msgrcv", "msgctl", "semop", "semtimedop", "semctl"),
    *("mq_unlink", "ioprio_set", "migrate_pages", "move_pages"),
)
"""Without namespaces, these reach what is the host's and Landlock does not see."""

ON_ANY_PROCESS = (
    *("prlimit64", "sched_setaffinity", "sched_setscheduler"),
    *("sched_setparam", "sched_setattr"),
)
"""Take a pid, which without a process namespace may be a host process's; 0 is oneself."""

BONDS = (1, 36)
"""Options of prctl: what parent's death kills us (PDEATHSIG), who adopts orphans."""

CONNECTIONLESS = (0, *range(2, 16))
"""Kinds of socket that can send anywhere though they are a pair: all but streams."""
KIND = 0xF

CHANGING_OWNED = (
    *("chmod", "fchmod", "fchmodat", 452),  # fchmodat2
    *("chown", "lchown", "fchown", "fchownat"),
    *("utime", "utimes", "futimesat", "utimensat"),
)
"""Change any file of the same user: Landlock does not see them."""

ATTRIBUTES = (
    *("setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr"),
    *("getxattr", "lgetxattr", "fgetxattr", "listxattr", "llistxattr", "flistxattr"),
    *(463, 464, 465, 466),  # setxattrat, getxattrat, listxattrat, removexattrat
    *(468, 469),  # file_getattr, file_setattr
)
"""Read or change extended attributes of any file of the same user."""


Rule: TypeAlias = "tuple[int, str | int, Any | None]"

WORD = 0xFFFFFFFF
AF_UNIX = 1
AF_INET = 2
UDP = 17  # the protocols above are rare and have had many holes


class FilterUnavailable(Exception):  # noqa: N818 - a noun of the outside
    """libseccomp is missing or does not know this machine."""


@dataclass(frozen=True, slots=True)
class FilterOptions:
    """The tasks that no other layer takes off the filter.

    ``network`` lets IPv4 sockets be opened.  Without ``namespaces`` no socket may be opened and the
    process group not be left; without an ``own_uid`` files of the same user are protected too.
    """

    network: bool = False
    namespaces: bool = True
    own_uid: bool = True


def _rules(library: Any, strictness: FilterOptions) -> Iterator[Rule]:
    """Yield (errno, call, condition on one argument); masked to the kernel's 32 bits."""
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
        raise FilterUnavailable(str(error)) from error
    return pyseccomp


@cache
def seccomp_filter(strictness: FilterOptions = FilterOptions()) -> tuple[bytes, int]:
    """Return this machine's BPF filter and its number of rules; raise ``FilterUnavailable``."""
    library: Any = _library()
    program = library.SyscallFilter(library.ALLOW)
    count = 0
    for number, name, condition in _rules(library, strictness):
        conditions = () if condition is None else (condition,)
        try:
            program.add_rule(library.ERRNO(number), name, *conditions)
        except OSError as error:
            raise FilterUnavailable(f"{name}: {error}") from error
        count += 1
    return _exported(program), count


def _exported(program: Any) -> bytes:
    with os.fdopen(os.memfd_create("seccomp"), "w+b") as file:
        program.export_bpf(file)
        file.seek(0)
        return file.read()


def filter_descriptor(strictness: FilterOptions = FilterOptions()) -> int:
    """Return a new descriptor that reads the filter from its start."""
    descriptor = os.memfd_create("seccomp")
    os.write(descriptor, seccomp_filter(strictness)[0])
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor
