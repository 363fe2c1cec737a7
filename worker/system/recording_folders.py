"""Folders of the recorded answers of one repository."""

from __future__ import annotations

import hashlib
import re
import shutil
from pathlib import Path

_PLAIN = re.compile(r"[^A-Za-z0-9._-]+")


def owner_at_github(repository: str) -> str:
    """Return whose recordings those of ``owner/name`` are."""
    return f"github:{repository}"


def recording_folder_name(owner: str) -> str:
    """A folder's name for one repository alone, recognisable to a person."""
    plain = _PLAIN.sub("-", owner)[-40:].strip(".-")
    return f"of-{plain}-{hashlib.sha256(owner.encode()).hexdigest()[:24]}"


def delete_recordings(recordings: Path, owner: str) -> None:
    """Remove what one repository's questions were answered, where it lies on this machine."""
    shutil.rmtree(recordings / recording_folder_name(owner), ignore_errors=True)
