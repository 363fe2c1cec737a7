"""Ways to read or change files outside."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

from .canary import Attacks, Canary

USUAL_DEVICES = frozenset(
    {
        *("null", "zero", "full", "random", "urandom", "tty", "pts", "ptmx", "shm"),
        *("fd", "stdin", "stdout", "stderr", "core", "console"),
    }
)
SHARED_MEMORY = 64 * 1024 * 1024


def canary_file(canary: Canary) -> str:
    """Read the host's canary file."""
    return Path(canary.file).read_text()


def through_proc(canary: Canary) -> str:
    """Read the host's canary file through the root of the first process."""
    return Path(f"/proc/1/root{canary.file}").read_text()


def passwords(_canary: Canary) -> str:
    """Read the host's password hashes."""
    return f"{len(Path('/etc/shadow').read_text())} characters"


def host_folders(_canary: Canary) -> str:
    """List folders that only the host has."""
    names = [name for name in ("/var", "/home", "/boot", "/sys", "/run") if Path(name).is_dir()]
    return ", ".join(names)


def home_of_root(_canary: Canary) -> str:
    """Read root's home beyond the interpreter that may lie in it."""
    needed = {Path(prefix).parts[2] for prefix in _prefixes() if prefix.startswith("/root/")}
    extra = _names("/root") - needed
    return f"{len(extra)} entries" if extra else ""


def _names(folder: str) -> set[str]:
    return {path.name for path in Path(folder).iterdir()}


def _prefixes() -> tuple[str, ...]:
    return (sys.prefix, sys.base_prefix, os.path.realpath(sys.prefix))


def _written(folder: str, token: str) -> str:
    path = Path(folder, token)
    path.write_text("canary")
    path.unlink()
    return f"wrote {path}"


def write_project(canary: Canary) -> str:
    """Write into the tested project."""
    return _written(canary.project, canary.token)


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


def unusual_devices(_canary: Canary) -> str:
    """Find devices beyond the harmless ones."""
    return ", ".join(sorted(_names("/dev") - USUAL_DEVICES))


def shared_memory(_canary: Canary) -> str:
    """Find room in shared memory beyond its bound."""
    status = os.statvfs("/dev/shm")  # noqa: S108 - the guest's own
    size = status.f_blocks * status.f_frsize
    return f"{size} bytes" if size > SHARED_MEMORY else ""


def kernel_memory(_canary: Canary) -> str:
    """Read the kernel's memory."""
    return f"{len(os.pread(os.open('/proc/kcore', os.O_RDONLY), 64, 0))} bytes"


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
    "password hashes": passwords,
    "folders of the host": host_folders,
    "root's home": home_of_root,
    "writing the project": write_project,
    "writing the interpreter": write_interpreter,
    "writing the system": write_system,
    "writing the devices": write_devices,
    "writing the root folder": write_root,
    "unusual devices": unusual_devices,
    "boundless shared memory": shared_memory,
    "kernel memory": kernel_memory,
    "setuid programs": setuid_program,
}
