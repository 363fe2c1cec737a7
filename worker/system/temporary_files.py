"""Temporary folders and files that carry their owner.

What is made here holds a lock while its process lives, so that leftovers are what nobody holds.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from worker.errors import MachineError
from worker.system.programs import environment

_ESCAPED = re.compile(r"\\([0-7]{3})")


@dataclass(frozen=True, slots=True)
class Mount:
    """One line of ``/proc/PID/mountinfo`` (proc(5))."""

    place: Path
    kind: str


def mounts(process: int | str = "self") -> list[Mount]:
    """The mounts of a process; none where it has ended or may not be looked at."""
    try:
        lines = Path(f"/proc/{process}/mountinfo").read_text(errors="surrogateescape").splitlines()
    except OSError:
        return []
    return [_mount(line) for line in lines if " - " in line]


def mounts_below(folder: Path) -> list[Path]:
    """Return where something is mounted at or below a folder, the newest first."""
    return [mount.place for mount in reversed(mounts()) if mount.place.is_relative_to(folder)]


def _mount(line: str) -> Mount:
    before, _, after = line.partition(" - ")
    place = _ESCAPED.sub(lambda found: chr(int(found[1], 8)), before.split(" ")[4])
    return Mount(Path(place), after.split(" ")[0])


PARTS = ".parts"
REMOVE_SECONDS = 120
_ATTEMPTS = 100


def folder_of_all() -> Path:
    """The folder below ``TMPDIR`` that holds this user's temporary folders."""
    return Path(tempfile.gettempdir(), f"assayer-{os.geteuid()}")


@contextmanager
def owned_folder(purpose: str) -> Generator[Path]:
    """Lend an empty folder of mode 0700, gone afterwards; raise ``MachineError``."""
    try:
        root = folder_of_all()
        root.mkdir(mode=0o711, parents=True, exist_ok=True)
        found = root.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
            raise MachineError(
                f"{root} belongs to someone else", f"Remove {root}, or point TMPDIR elsewhere."
            )
        if stat.S_IMODE(found.st_mode) != 0o711:
            root.chmod(0o711)
        folder, lock = made_folder(root, purpose)
    except OSError as error:
        raise MachineError(
            f"no temporary folder can be made: {error.strerror or error}",
            "Free some disk space, or point TMPDIR at a folder of yours.",
        ) from error
    try:
        yield folder
    finally:
        remove(folder)
        os.close(lock)


@contextmanager
def replacement(place: Path, root: Path) -> Generator[IO[bytes]]:
    """Lend a file that takes the place of ``place`` once it is written whole, below ``root``.

    Raises ``OSError``; then nothing changes.
    """
    parts = root / PARTS
    parts.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=parts, delete=False) as part:
        try:
            fcntl.flock(part, fcntl.LOCK_EX)
            yield part
            part.flush()
            place.parent.mkdir(parents=True, exist_ok=True)
            os.replace(part.name, place)  # noqa: PTH105 - names, not paths
        except BaseException:
            Path(part.name).unlink(missing_ok=True)
            raise


def sweep_folders(root: Path | None = None) -> list[str]:
    """Remove and return the folders in ``root`` (``TMPDIR``'s by default) whose owner is dead."""
    return _swept(root or folder_of_all(), stat.S_ISDIR)


def sweep_parts(root: Path) -> list[str]:
    """Remove the parts of files whose writer is dead; return their names."""
    return _swept(root / PARTS, stat.S_ISREG)


def remove(path: Path) -> None:
    """Remove a file or a folder of ours, whatever modes and depths are inside."""
    if not path.is_dir() or path.is_symlink():
        path.unlink(missing_ok=True)
        return
    try:
        shutil.rmtree(path)
    except FileNotFoundError:
        shutil.rmtree(path, ignore_errors=True)
    except (OSError, RecursionError):
        for command in (["chmod", "-R", "u+rwx"], ["rm", "-rf"]):
            with suppress(OSError, subprocess.TimeoutExpired):
                subprocess.run(  # noqa: S603 - fixed programs, a path of ours
                    [*command, "--", str(path)],
                    env=environment(),
                    stderr=subprocess.DEVNULL,
                    timeout=REMOVE_SECONDS,
                    check=False,
                )


def made_folder(root: Path, purpose: str) -> tuple[Path, int]:
    """Make a folder in ``root``; return it and its lock, for the caller to close."""
    for _ in range(_ATTEMPTS):
        folder = root / f"{purpose}-{secrets.token_hex(6)}"
        folder.mkdir(mode=0o700)
        lock = locked(folder)
        if lock is not None:
            return folder, lock
    raise MachineError(f"no folder can be made in {root}", "Look what removes them.")


def locked(path: Path) -> int | None:
    """Return the descriptor of a lock; ``None`` if held, or if the path changed."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(descriptor), os.lstat(path)):
            return descriptor
    except OSError:
        pass
    os.close(descriptor)
    return None


def _swept(root: Path, kind: Callable[[int], bool]) -> list[str]:
    return [path.name for path in _own(root, kind) if _removed(path)]


def _own(root: Path, kind: Callable[[int], bool]) -> Iterator[Path]:
    try:
        if root.is_symlink() or root.stat().st_uid != os.geteuid():
            return
        entries = sorted(root.iterdir())
    except OSError:
        return
    for path in entries:
        with suppress(OSError):
            found = path.lstat()
            if kind(found.st_mode) and found.st_uid == os.geteuid():
                yield path


def _removed(path: Path) -> bool:
    lock = locked(path)
    if lock is None:
        return False
    try:
        if mounts_below(path):
            return False
        remove(path)
    finally:
        os.close(lock)
    return True
