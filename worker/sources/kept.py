"""Bytes from elsewhere, kept on disk by kind and name."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile


@dataclass(frozen=True, slots=True)
class Kept:
    """A folder of files named by hash; safe for parallel processes."""

    root: Path

    def find(self, kind: str, name: str) -> bytes | None:
        """What was kept, or ``None``."""
        try:
            return self._place(kind, name).read_bytes()
        except OSError:
            return None

    def keep(self, kind: str, name: str, content: bytes) -> None:
        """Keep bytes, whole or (on a full or read-only disk) not at all."""
        place = self._place(kind, name)
        with suppress(OSError):
            place.parent.mkdir(parents=True, exist_ok=True)
            with NamedTemporaryFile(dir=place.parent, prefix=".", delete=False) as part:
                try:
                    part.write(content)
                    part.close()
                    os.replace(part.name, place)  # noqa: PTH105
                except OSError:
                    Path(part.name).unlink(missing_ok=True)

    def _place(self, kind: str, name: str) -> Path:
        digest = hashlib.sha256(name.encode()).hexdigest()
        return self.root / kind / digest[:2] / digest
