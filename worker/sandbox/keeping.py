"""The command line of a keeper, and the orders for it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from worker.sandbox.command import SYSTEM, SYSTEM_ETC
from worker.sandbox.interpreter import interpreter_folders
from worker.sandbox.keeper.orders import Orders
from worker.sandbox.limits import Limits

PACKAGES_ROOT = Path(__file__).resolve().parents[2]
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
FACTS = ("/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/version")


def kept(orders: Orders) -> list[str]:
    """Return the command line of a keeper.

    It runs under our interpreter, isolated from the environment, on nothing
    but the standard library and its own modules.
    """
    source = (
        f"import sys; sys.path.append({str(PACKAGES_ROOT)!r}); "
        "from worker.sandbox.keeper.main import main; main()"
    )
    return [sys.executable, "-I", "-S", "-B", "-c", source, json.dumps(orders)]


def rlimits(limits: Limits, *, processes: int | None) -> dict[str, int]:
    """Return what bounds each process; ``processes`` counts those of its uid."""
    bounds = {
        "RLIMIT_CORE": 0,
        "RLIMIT_MEMLOCK": 0,
        "RLIMIT_MSGQUEUE": 0,
        "RLIMIT_AS": limits.address_space,
        "RLIMIT_FSIZE": limits.file_size,
        "RLIMIT_NOFILE": limits.open_files,
        "RLIMIT_CPU": limits.cpu_seconds,
    }
    return bounds if processes is None else {**bounds, "RLIMIT_NPROC": processes}


def processes_of(uid: int) -> int:
    """Return how many processes and threads a user has."""
    count = 0
    for process in os.scandir("/proc"):
        if process.name.isdigit():
            try:
                if process.stat().st_uid == uid:
                    count += sum(1 for _ in os.scandir(f"/proc/{process.name}/task"))
            except OSError:  # it has ended meanwhile
                continue
    return count


def grants(python: Path, *, readable: tuple[Path, ...], writable: Path) -> dict[str, list[str]]:
    """Return what a guest may reach: the system, its interpreter, its own folders."""
    return {
        "run": [*_programs(python), *(str(path.resolve()) for path in readable)],
        "read": [*_existing(SYSTEM_ETC), *_existing(FACTS)],
        "device": list(_existing(DEVICES)),
        "write": [str(writable)],
    }


def _programs(python: Path) -> Iterator[str]:
    yield "/usr"
    yield from (name for name in SYSTEM if Path(name).is_dir() and not Path(name).is_symlink())
    for folder in interpreter_folders(python):
        yield str(folder.resolve())


def _existing(paths: tuple[str, ...]) -> Iterator[str]:
    return (str(Path(path).resolve()) for path in paths if Path(path).exists())
