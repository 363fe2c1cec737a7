"""One unprivileged uid for each guest that runs at the same time."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from worker.errors import MachineError
from worker.system.temporary_files import locked

UIDS = range(61184, 61440)
STATE = Path("/run/assayer")


@dataclass(frozen=True, slots=True)
class UidSlot:
    """A leased uid; the lease ends with ``release`` or with this process."""

    uid: int
    lock: int
    place: Path

    def release(self) -> None:
        """Give the uid back."""
        self.place.unlink(missing_ok=True)
        os.close(self.lock)


def state_folder(folder: Path = STATE) -> Path:
    """Return root's folder for locks and mount points, made if absent; raise ``MachineError``."""
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


def lease_uid(uids: range, folder: Path) -> UidSlot:
    """Lease the first uid that no other guest on this machine holds."""
    for uid in uids:
        place = folder / f"{uid}.lock"
        place.touch(0o600)
        lock = locked(place)
        if lock is not None:
            return UidSlot(uid, lock, place)
    raise MachineError(
        f"All {len(uids)} sandbox slots are in use.",
        "Run fewer checks at a time, or widen the uid range in [sandbox].",
    )
