"""Removal of what dead processes of ours have left on this machine, at every start.

Only what nobody holds: temporary folders, parts of files and slots are locked
for as long as their process lives.  Nothing of another user is touched.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path

from worker.environments.folder_cache import BUILDING
from worker.sandbox.cgroups import sweep_cgroups
from worker.sandbox.command_lines import SCRATCH
from worker.sandbox.uid_slots import STATE
from worker.settings.operator_settings import Settings
from worker.sources.download_cache import documents_folder, pictures_folder
from worker.system.programs import environment
from worker.system.temporary_files import locked, mounts, mounts_below, sweep_folders, sweep_parts

KILL_SECONDS = 5.0
UNMOUNT_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class RemovedLeftovers:
    """The leftovers that were removed, each by its name."""

    groups: tuple[str, ...] = ()
    processes: tuple[str, ...] = ()
    mounts: tuple[str, ...] = ()
    slots: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()

    def __str__(self) -> str:
        counts = {field.name: len(getattr(self, field.name)) for field in fields(self)}
        found = ", ".join(f"{name} {count}" for name, count in counts.items() if count)
        return f"removed what dead runs had left: {found}" if found else "nothing was left behind"


def remove_leftovers(settings: Settings, state: Path = STATE) -> RemovedLeftovers:
    """Remove what dead owners left; milliseconds where there is nothing.

    ``state`` is root's folder of slots and mount points.  Never raises for
    what cannot be removed: it is there at the next start.
    """
    root = os.geteuid() == 0
    return RemovedLeftovers(
        groups=tuple(sweep_cgroups()),
        processes=tuple(_stray_processes(settings.sandbox.uids, state)) if root else (),
        mounts=tuple(_stale_mounts(state)) if root else (),
        slots=tuple(_stale_slots(state)) if root else (),
        folders=(*sweep_folders(), *sweep_folders(settings.environments.folder / BUILDING)),
        parts=tuple(
            part
            for folder in (settings.recordings_folder, pictures_folder(), documents_folder())
            for part in sweep_parts(folder)
        ),
    )


def _stray_processes(uids: range, state: Path) -> Iterator[str]:
    """Kill sandboxed processes whose slot nobody holds."""
    for uid, pids in _sandboxed(uids).items():
        place = state / f"{uid}.lock"
        with suppress(OSError):
            place.touch(0o600)
            lock = locked(place)
            if lock is not None:
                yield from (f"{pid} of uid {uid}" for pid in pids if _killed(pid, uid))
                os.close(lock)


def _sandboxed(uids: range) -> dict[int, list[int]]:
    """The processes under a slot's uid that live in a sandbox of ours."""
    found: dict[int, list[int]] = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            with suppress(OSError):
                uid = _uid(int(entry.name))
                if uid in uids and _stray(int(entry.name)):
                    found.setdefault(uid, []).append(int(entry.name))
    return found


def _uid(pid: int) -> int:
    """The owner of a process, also of one that may not be looked into."""
    return Path(f"/proc/{pid}").stat().st_uid


def _stray(pid: int) -> bool:
    return _confined(pid) or (_in_sandbox(pid) and _orphaned(pid))


def _confined(pid: int) -> bool:
    """Return whether a process in our own namespace is held as no user's program is.

    No right can ever come back to it, and its system calls are filtered.
    """
    found = [_status(pid, key) for key in ("NoNewPrivs", "Seccomp", "CapBnd")]
    ours = len(_status(pid, "NSpid").split()) == len(_status(os.getpid(), "NSpid").split())
    return ours and found == ["1", "2", "0" * 16]


def _in_sandbox(pid: int) -> bool:
    """Return whether a process lives in a sandbox that was made from our own namespace.

    It sees the file systems of the sandbox and no other root; those of a
    container that is looked at from outside lie a namespace deeper.
    """
    seen = {str(mount.place): mount.kind for mount in mounts(pid)}
    depths = [len(_status(each, "NSpid").split()) for each in (os.getpid(), pid)]
    return seen.get("/") == seen.get(SCRATCH) == "tmpfs" and depths[1] == depths[0] + 1


def _orphaned(pid: int) -> bool:
    while _status(pid, "NSpid").split()[-1] != "1":
        pid = int(_status(pid, "PPid"))
    parent = int(_status(pid, "PPid"))
    return parent == 0 or _status(parent, "Name") != "bwrap"


def _status(pid: int, key: str) -> str:
    """A field of ``/proc/PID/status`` (proc(5)); ``OSError`` where it is not there."""
    for line in Path(f"/proc/{pid}/status").read_text(errors="replace").splitlines():
        name, _, value = line.partition(":")
        if name == key:
            return value.strip()
    raise ProcessLookupError(pid)


def _killed(pid: int, uid: int) -> bool:
    try:
        process = os.pidfd_open(pid)
    except OSError:
        return False
    try:
        if _uid(pid) != uid or not _stray(pid):
            return False
        signal.pidfd_send_signal(process, signal.SIGKILL)
        return bool(select.select([process], [], [], KILL_SECONDS)[0])
    except OSError:
        return False
    finally:
        os.close(process)


def _stale_mounts(state: Path) -> Iterator[str]:
    """Unmount what became visible outside of the sandbox's own mounts."""
    for place in mounts_below(state / "stage"):
        with suppress(OSError, subprocess.SubprocessError):
            subprocess.run(  # noqa: S603 - a fixed program, a place of ours
                ["/bin/umount", "--lazy", "--", str(place)],
                env=environment(),
                stderr=subprocess.DEVNULL,
                timeout=UNMOUNT_SECONDS,
                check=True,
            )
            yield str(place)


def _stale_slots(state: Path) -> Iterator[str]:
    for place in sorted(state.glob("*.lock")):
        lock = locked(place)
        if lock is not None:
            place.unlink(missing_ok=True)
            os.close(lock)
            yield place.stem
