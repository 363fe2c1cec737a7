"""Ways to read or change files outside."""

from __future__ import annotations

import os
import stat
import struct
import sys
import tempfile
from pathlib import Path

from .battery_support import Attacks, Canary, buffer, call

HARMLESS_TO_OPEN = (
    *("mem", "kmem", "port", "kmsg", "kvm", "fuse", "net/tun", "loop-control", "mapper/control"),
    *("vsock", "vhost-vsock", "vhost-net", "uinput", "btrfs-control", "cuse", "nvram"),
)
HANDLE = 128
HERE = -100


def canary_file(canary: Canary) -> str:
    """Read the host's canary file."""
    return Path(canary.file).read_text()


def through_proc(canary: Canary) -> str:
    """Read the host's canary file through the root of the first process, or of its canary."""
    try:
        return Path(f"/proc/1/root{canary.file}").read_text()
    except OSError:
        return Path(f"/proc/{canary.pid}/root{canary.file}").read_text()


def through_parent(canary: Canary) -> str:
    """Read the host's canary file through the working folder of its canary."""
    return Path(f"/proc/{canary.pid}/cwd", Path(canary.file).name).read_text()


def hard_link(canary: Canary) -> str:
    """Link the host's canary file to a name of our own."""
    with tempfile.TemporaryDirectory() as folder:
        link = Path(folder, "link")
        link.hardlink_to(canary.file)
        return f"linked {link}"


def by_handle(canary: Canary) -> str:
    """Open the host's canary folder by its handle, past every folder above it."""
    folder, mounted = os.path.realpath(Path(canary.file).parent), buffer(8)
    handle = buffer(8 + HANDLE)
    struct.pack_into("I", handle, 0, HANDLE)
    call("name_to_handle_at", HERE, os.fsencode(folder), handle, mounted, 0)
    root = os.open(folder, os.O_RDONLY)
    os.close(call("open_by_handle_at", root, handle, os.O_RDONLY))
    return "opened it"


def passwords(_canary: Canary) -> str:
    """Open, unread, the host's password hashes."""
    return _opened("/etc/shadow")


def kernel_memory(_canary: Canary) -> str:
    """Open, unread, the kernel's memory."""
    return _opened("/proc/kcore")


def _opened(path: str, mode: int = os.O_RDONLY) -> str:
    os.close(os.open(path, mode | os.O_NONBLOCK | os.O_NOCTTY))
    return f"opened {path}"


def host_folders(_canary: Canary) -> str:
    """List folders that only the host has."""
    return ", ".join(
        name for name in ("/var", "/home", "/boot", "/sys", "/run") if _has_entries(name)
    )


def _has_entries(folder: str) -> bool:
    try:
        return bool(os.listdir(folder))  # noqa: PTH208 - says at once whether it may
    except OSError:
        return False


def home_of_root(_canary: Canary) -> str:
    """List root's home beyond the interpreter that may lie in it."""
    needed = {
        Path(prefix).parts[2]
        for prefix in (sys.prefix, sys.base_prefix, os.path.realpath(sys.prefix))
        if prefix.startswith("/root/")
    }
    extra = {path.name for path in Path("/root").iterdir()} - needed
    return f"{len(extra)} entries" if extra else ""


def _written(folder: str, token: str) -> str:
    path = Path(folder, token)
    path.write_text("canary")
    path.unlink()
    return f"wrote {path}"


def write_project(canary: Canary) -> str:
    """Write into the tested project."""
    return _written(canary.project, f"{canary.token}-written")


def change_project(canary: Canary) -> str:
    """Change a file of the tested project."""
    with Path(canary.project, canary.token).open("r+") as file:
        file.write("changed")
    return "changed it"


def cut_project(canary: Canary) -> str:
    """Cut a file of the tested project off."""
    os.truncate(Path(canary.project, canary.token), 1)
    return "cut it off"


def open_project(canary: Canary) -> str:
    """Change what others may do with a file of the tested project."""
    Path(canary.project, canary.token).chmod(0o666)
    return "changed its mode"


def remove_project(canary: Canary) -> str:
    """Rename a file of the tested project."""
    path = Path(canary.project, canary.token)
    path.rename(path.with_name(f"{canary.token}-renamed"))
    return "renamed it"


def write_interpreter(canary: Canary) -> str:
    """Write into the interpreter's folder."""
    return _written(sys.prefix, canary.token)


def write_system(canary: Canary) -> str:
    """Write among the system's programs."""
    return _written("/usr/bin", canary.token)


def write_devices(canary: Canary) -> str:
    """Write among the devices."""
    return _written("/dev", canary.token)


def write_root(canary: Canary) -> str:
    """Write into the root folder."""
    return _written("/", canary.token)


def disks(_canary: Canary) -> str:
    """Open, unread, a disk."""
    for path in Path("/dev").iterdir():
        if stat.S_ISBLK(path.lstat().st_mode):
            return _opened(str(path))
    return ""


def unusual_devices(_canary: Canary) -> str:
    """Open, untouched, a device by which the kernel could be driven."""
    found = [name for name in HARMLESS_TO_OPEN if _opens(f"/dev/{name}")]
    return ", ".join(found)


def _opens(path: str) -> bool:
    try:
        return bool(_opened(path, os.O_RDWR))
    except OSError:
        return False


def setuid_program(_canary: Canary) -> str:
    """Find a setuid program that would give us its owner's rights."""
    if "NoNewPrivs:\t1" in Path("/proc/self/status").read_text():
        return ""
    for path in Path("/usr/bin").iterdir():
        status = path.lstat()
        if status.st_mode & stat.S_ISUID and stat.S_ISREG(status.st_mode):
            return str(path)
    return ""


ATTACKS: Attacks = {
    "a file of the host": canary_file,
    "a file of the host through /proc": through_proc,
    "a file of the host through a process": through_parent,
    "a file of the host by a link": hard_link,
    "a folder of the host by its handle": by_handle,
    "password hashes": passwords,
    "folders of the host": host_folders,
    "root's home": home_of_root,
    "writing the project": write_project,
    "changing a file of the project": change_project,
    "cutting a file of the project off": cut_project,
    "opening a file of the project to others": open_project,
    "renaming a file of the project": remove_project,
    "writing the interpreter": write_interpreter,
    "writing the system": write_system,
    "writing the devices": write_devices,
    "writing the root folder": write_root,
    "disks": disks,
    "unusual devices": unusual_devices,
    "kernel memory": kernel_memory,
    "setuid programs": setuid_program,
}
