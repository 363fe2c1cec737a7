"""One unprivileged uid for each guest that runs at the same time."""

from __future__ import annotations

import fcntl
import os
from dataclasses import dataclass
from pathlib import Path

from worker.errors import MachineError

UIDS = range(61184, 61440)
STATE = Path("/run/assayer")


@dataclass(frozen=True, slots=True)
class Slot:
    """A leased uid; the lease ends with ``release`` or with this process."""

    uid: int
    lock: int

    def release(self) -> None:
        """Give the uid back."""
        os.close(self.lock)


def state_folder(folder: Path = STATE) -> Path:
    """Return root's folder for locks and mount points, made if absent.

    Everyone may pass through it and only root may write.  Raises
    ``MachineError`` where it is someone else's or cannot be made.
    """
    stage = folder / "stage"
    try:
        for place in (folder, stage):
            place.mkdir(exist_ok=True)
            if place.is_symlink() or place.lstat().st_uid != os.geteuid():
                raise MachineError(
                    f"{place} belongs to someone else.",
                    f"Remove {place}; it is made again as it should be.",
                )
            place.chmod(0o755)
    except OSError as error:
        raise MachineError(
            f"The sandbox's folder {folder} cannot be made: {error}.",
            f"Make {folder} a folder that root can write.",
        ) from error
    return folder


def lease(uids: range, folder: Path) -> Slot:
    """Lease the first uid that no other guest on this machine holds."""
    for uid in uids:
        lock = os.open(folder / f"{uid}.lock", os.O_CREAT | os.O_RDWR, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
        else:
            return Slot(uid, lock)
    raise MachineError(
        f"All {len(uids)} sandbox slots are in use.",
        "Run fewer checks at a time, or widen the uid range in [sandbox].",
    )
