"""Ways to make the kernel do more than it should."""

from __future__ import annotations

import ctypes
import os
import platform
import pty
import signal
import struct
import tempfile
from pathlib import Path

from .battery_support import Attacks, Canary, buffer, call

NEW_USER = 0x10000000
NEW_MOUNTS = 0x00020000
NEW_OTHERS = {
    "processes": 0x20000000,
    "network": 0x40000000,
    "IPC": 0x08000000,
    "host name": 0x04000000,
    "control groups": 0x02000000,
    "time": 0x00000080,
}
TIOCSTI = 0x5412
HIGH_BIT = 1 << 32
X32 = 0x40000000


def user_namespace(_canary: Canary) -> str:
    """Make a user namespace with ``unshare``."""
    call("unshare", NEW_USER)
    return "made one"


def mount_namespace(_canary: Canary) -> str:
    """Make a mount namespace with ``unshare``."""
    call("unshare", NEW_MOUNTS)
    return "made one"


def other_namespaces(_canary: Canary) -> str:
    """Make any other namespace with ``unshare``."""
    return ", ".join(name for name, flag in NEW_OTHERS.items() if _unshares(flag))


def _unshares(flag: int) -> bool:
    try:
        call("unshare", flag)
    except OSError:
        return False
    return True


def cloned_namespace(_canary: Canary) -> str:
    """Make a user namespace with ``clone``."""
    child = call("clone", NEW_USER | signal.SIGCHLD, 0, 0, 0, 0)
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return "made one"


def clone3_namespace(_canary: Canary) -> str:
    """Make a user namespace with ``clone3``, whose flags no filter sees."""
    request = struct.pack("QQQQQQQQ", NEW_USER, 0, 0, 0, signal.SIGCHLD, 0, 0, 0)
    child = call("clone3", request, len(request))
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return "made one"


def other_namespace(canary: Canary) -> str:
    """Enter the mount namespace of the host's canary, or else our own again."""
    theirs = Path(f"/proc/{canary.pid}/ns/mnt")
    descriptor = os.open(theirs if theirs.is_symlink() else "/proc/self/ns/mnt", os.O_RDONLY)
    call("setns", descriptor, NEW_MOUNTS)
    return "entered it"


def mount(_canary: Canary) -> str:
    """Mount a tmpfs on an empty folder of our own, and take it away again."""
    with tempfile.TemporaryDirectory() as folder:
        call("mount", b"none", os.fsencode(folder), b"tmpfs", 0, 0)
        call("umount2", os.fsencode(folder), 0)
    return "mounted"


def new_mount_interface(_canary: Canary) -> str:
    """Open a file system with ``fsopen``."""
    return f"descriptor {call('fsopen', b'tmpfs', 0)}"


def change_root(_canary: Canary) -> str:
    """Change the root folder."""
    call("chroot", b"/")
    return "changed it"


def bpf(_canary: Canary) -> str:
    """Make a BPF map."""
    request = struct.pack("IIII", 2, 4, 4, 1).ljust(72, b"\0")
    return f"descriptor {call('bpf', 0, request, len(request))}"


def io_uring(_canary: Canary) -> str:
    """Make a ring that does calls unseen by the filter."""
    return f"descriptor {call('io_uring_setup', 1, buffer(120))}"


def userfaultfd(_canary: Canary) -> str:
    """Handle page faults ourselves."""
    return f"descriptor {call('userfaultfd', 1)}"


def keyring(_canary: Canary) -> str:
    """Reach the kernel's keys."""
    return f"keyring {call('keyctl', 0, -2, 1)}"


def new_key(canary: Canary) -> str:
    """Put a key into our process's keyring, which no limit of memory counts."""
    name = canary.token.encode()
    return f"key {call('add_key', b'user', name, b'canary', 6, -2)}"


def requested_key(canary: Canary) -> str:
    """Have the kernel search for a key, which may start a program of the host."""
    name = canary.token.encode()
    call("add_key", b"user", name, b"canary", 6, -2)
    return f"key {call('request_key', b'user', name, 0, 0)}"


def perf_events(_canary: Canary) -> str:
    """Measure with the performance counters."""
    request = struct.pack("IIQ", 1, 128, 0).ljust(128, b"\0")
    return f"descriptor {call('perf_event_open', request, 0, -1, -1, 0)}"


def device_node(canary: Canary) -> str:
    """Make a device node."""
    path = Path(tempfile.gettempdir(), canary.token)
    call("mknodat", -100, bytes(path), 0o020666, os.makedev(1, 3))
    path.unlink()
    return "made one"


def _typed(command: int) -> str:
    _, terminal = pty.openpty()
    if os.fork() == 0:
        os._exit(0)
    call("ioctl", terminal, command, b"x")
    return "typed into a terminal"


def terminal_input(_canary: Canary) -> str:
    """Type into a terminal."""
    return _typed(TIOCSTI)


def wide_terminal_input(_canary: Canary) -> str:
    """Type into a terminal with a high bit that the kernel drops (CVE-2019-10063)."""
    return _typed(TIOCSTI | HIGH_BIT)


def hidden_memory(_canary: Canary) -> str:
    """Hold memory that no limit counts, in an unmapped file."""
    return f"descriptor {call('memfd_create', b'canary', 0)}"


def shared_segment(_canary: Canary) -> str:
    """Hold memory that no limit counts, in a System V segment."""
    identity = call("shmget", 0, 4096, 0o1600)
    ctypes.CDLL(None).shmctl(identity, 0, None)
    return f"segment {identity}"


def secret_memory(_canary: Canary) -> str:
    """Hold memory that nobody else can look into."""
    return f"descriptor {call('memfd_secret', 0)}"


def other_abi(_canary: Canary) -> str:
    """Make a call by the numbers of another ABI, which a filter may forget."""
    if platform.machine() != "x86_64":
        return ""
    return f"process id {call(X32 + 39)}"


def _opened(path: str) -> str:
    os.close(os.open(path, os.O_WRONLY))
    return f"opened {path} for writing"


def core_pattern(_canary: Canary) -> str:
    """Open the program that the kernel starts for a core dump."""
    return _opened("/proc/sys/kernel/core_pattern")


def system_request(_canary: Canary) -> str:
    """Open the kernel's emergency commands."""
    return _opened("/proc/sysrq-trigger")


def host_name(_canary: Canary) -> str:
    """Open the host's name."""
    return _opened("/proc/sys/kernel/hostname")


ATTACKS: Attacks = {
    "user namespace by unshare": user_namespace,
    "mount namespace by unshare": mount_namespace,
    "other namespaces by unshare": other_namespaces,
    "user namespace by clone": cloned_namespace,
    "user namespace by clone3": clone3_namespace,
    "entering a namespace": other_namespace,
    "mount": mount,
    "mount by fsopen": new_mount_interface,
    "chroot": change_root,
    "bpf": bpf,
    "io_uring": io_uring,
    "userfaultfd": userfaultfd,
    "kernel keyring": keyring,
    "a new key": new_key,
    "asking for a key": requested_key,
    "performance counters": perf_events,
    "device node": device_node,
    "typing into a terminal": terminal_input,
    "typing with a high bit": wide_terminal_input,
    "memory in an unmapped file": hidden_memory,
    "secret memory": secret_memory,
    "memory in a System V segment": shared_segment,
    "calls of the x32 ABI": other_abi,
    "writing core_pattern": core_pattern,
    "writing sysrq-trigger": system_request,
    "writing the host name": host_name,
}
