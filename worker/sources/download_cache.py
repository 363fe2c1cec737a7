"""Bytes from elsewhere, kept on disk by kind and name."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_state_path

from worker.system.temporary_files import replacement


def pictures_folder() -> Path:
    """Return where pictures from elsewhere are kept."""
    return user_state_path("assayer") / "pictures"


def documents_folder() -> Path:
    """Return where documents from elsewhere are kept."""
    return user_state_path("assayer") / "documents"


@dataclass(frozen=True, slots=True)
class DownloadCache:
    """A folder of files named by hash; safe for parallel processes."""

    root: Path

    def find(self, kind: str, name: str) -> bytes | None:
        """Return what was kept, or ``None``."""
        try:
            return self._place(kind, name).read_bytes()
        except OSError:
            return None

    def keep(self, kind: str, name: str, content: bytes) -> None:
        """Keep bytes, whole or (on a full or read-only disk) not at all."""
        place = self._place(kind, name)
        with suppress(OSError), replacement(place, self.root) as part:
            part.write(content)

    def _place(self, kind: str, name: str) -> Path:
        digest = hashlib.sha256(name.encode()).hexdigest()
        return self.root / kind / digest[:2] / digest
