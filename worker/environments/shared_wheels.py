"""Large wheels, unpacked once for all environments and linked into each."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sysconfig
import time
from dataclasses import dataclass
from pathlib import Path

from worker.environments.environment import Pin, Resolution, write_manifest
from worker.environments.folder_cache import FolderCache, size_on_disk
from worker.environments.interpreters import Interpreter
from worker.environments.lent_packages import copy_own, link
from worker.environments.package_indexes import Indexes
from worker.environments.uv import Unreachable, Uv
from worker.sandbox.command_lines import open_to_others
from worker.system.temporary_files import owned_folder

WATCH_SECONDS = 2.0


class GrowthLimit:
    """Raises ``Unreachable`` when it is called and a folder has more than ``most`` bytes."""

    def __init__(self, folder: Path, most: int) -> None:
        self._folder = folder
        self._most = most
        self._next = 0.0

    def __call__(self) -> None:
        """Look now and then."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + WATCH_SECONDS
        if size_on_disk(self._folder) > self._most:
            raise Unreachable(f"the environment grew beyond {self._most >> 20} MiB")


LARGE = 64 << 20
PACKAGES = "packages"


def is_shared(pin: Pin) -> bool:
    """Return whether a wheel is kept once for all environments: it is large, or our own."""
    return pin.lent or pin.size >= LARGE


@dataclass(frozen=True, slots=True)
class SharedWheels:
    """The large wheels (at most ``most`` bytes) of a cache; ``deadline`` is monotonic."""

    cache: FolderCache
    indexes: Indexes
    interpreter: Interpreter
    most: int
    deadline: float

    def add(self, pin: Pin, packages: Path) -> tuple[str, int]:
        """Link a wheel's files into a folder; return its key and its bytes.

        Raises ``Unsatisfiable``, ``Unreachable`` or ``TimeoutError``.
        """
        content = [
            [pin.name, pin.version, pin.lent, pin.hashes or self.indexes.shown],
            [self.interpreter.version, str(self.interpreter.executable)],
            [sysconfig.get_platform(), *platform.libc_ver()],
        ]
        key = f"wheel-{hashlib.sha256(json.dumps(content).encode()).hexdigest()}"
        left = max(self.deadline - time.monotonic(), 0)
        with self.cache.made(key, lambda folder: self._make(pin, folder), left) as lease:
            source = lease.path / PACKAGES
            _link_tree(source, packages)
            return key, size_on_disk(source)

    def _make(self, pin: Pin, folder: Path) -> None:
        packages = folder / PACKAGES
        packages.mkdir()
        if pin.lent:
            copy_own(pin.name, packages)
        else:
            with owned_folder("install") as work:
                watch = GrowthLimit(folder, self.most)
                uv = Uv(self.indexes, self.cache.downloads, work, self.deadline, watch)
                uv.install([pin.line], self.interpreter.executable, packages)
            open_to_others(folder)
        write_manifest(folder, self.interpreter.version, Resolution({pin.name: pin}))


def _link_tree(source: Path, place: Path) -> None:
    """Give every file below a folder a second name below another; one that is there stays."""
    for folder, _, names in os.walk(source):
        inside = place / Path(folder).relative_to(source)
        inside.mkdir(parents=True, exist_ok=True)
        for name in names:
            if not (inside / name).exists():
                link(Path(folder, name), inside / name)
