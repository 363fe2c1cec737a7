"""Environments out of the cache, or installed into it."""

from __future__ import annotations

import hashlib
import json
import platform
import sysconfig
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from worker.environments.building import Bounds, Builder, contents_of
from worker.environments.cache import Cache, Lease
from worker.environments.declarations import Declaration
from worker.environments.nouns import named
from worker.environments.pythons import Interpreter
from worker.environments.sources import NotBuilt, Sources
from worker.environments.sources.index import SimpleIndex
from worker.environments.sources.sandbox import Bench
from worker.environments.uv import Index, uv_version
from worker.sandbox.isolation import Isolation
from worker.settings.server import EnvironmentSettings

FORMAT = 2
NOT_SET = "set [environments] builds"
NOT_ISOLATED = "it is built in isolation alone"
WHEELS_ALONE = "wheels alone are used for it"
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class _Making:
    """How an environment is made: what builds, or why nothing does, and until when."""

    interpreter: Interpreter
    sources: Sources | str
    deadline: float


class Installer:
    """Installs what is declared, as the operator's settings say.

    Sources are built in ``isolation``, where there is one.  ``tell`` hears of
    what takes time.
    """

    def __init__(
        self, settings: EnvironmentSettings, isolation: Isolation | None, tell: Tell
    ) -> None:
        self._settings = settings
        self._isolation = isolation if isolation and isolation.isolated else None
        self._tell = tell
        self._cache: Cache | None = None

    @property
    def cache(self) -> Cache:
        """The environments of this machine.  Raises ``MachineError``."""
        if self._cache is None:
            self._cache = Cache(self._settings.folder, int(self._settings.size))
        return self._cache

    def installed(
        self,
        interpreter: Interpreter,
        declaration: Declaration,
        what: str,
        *,
        offline: bool,
        why: str = "",
    ) -> Lease | None:
        """The environment; ``None`` where it is not there and nothing may be installed.

        ``why`` says that nothing is built for it, and why.  Raises
        ``Unreachable``, ``TimeoutError`` or ``OSError``.
        """
        key = self.key(interpreter, declaration, why)
        if offline:
            return self.cache.lent(key)
        deadline = time.monotonic() + self._settings.seconds
        making = _Making(interpreter, why or self._sources(interpreter, deadline), deadline)
        return self._made(key, declaration, making, what)

    def key(self, interpreter: Interpreter, declaration: Declaration, why: str = "") -> str:
        """What an environment is made from, as a name: equal content, equal name.

        ``why`` says that nothing is built for it, and why.
        """
        content = [
            FORMAT,
            list(declaration.lines()),
            [interpreter.version, str(interpreter.executable)],
            [sysconfig.get_platform(), *platform.libc_ver()],
            [uv_version(), self._settings.index, int(self._settings.largest)],
            why or self._why_not_built() or "built",
        ]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()

    def _why_not_built(self) -> str:
        if not self._settings.builds:
            return NOT_SET
        return "" if self._isolation else NOT_ISOLATED

    def _made(self, key: str, declaration: Declaration, making: _Making, what: str) -> Lease:
        def make(folder: Path) -> None:
            self._tell(f"installing {what}")
            builder = self._builder(making.interpreter, making.sources)
            builder.build(declaration, folder, making.deadline)

        seconds = max(making.deadline - time.monotonic(), 0)
        return self.cache.lent(key) or self.cache.made(key, make, seconds)

    def _builder(self, interpreter: Interpreter, sources: Sources | str) -> Builder:
        settings = self._settings
        bounds = Bounds(int(settings.size) // 2, int(settings.largest))
        return Builder(self._index(), self.cache.downloads, interpreter, bounds, sources)

    def _index(self) -> Index:
        credentials = self._settings.credentials
        return Index(self._settings.index, credentials.read() if credentials else None)

    def _sources(self, interpreter: Interpreter, deadline: float) -> Sources | str:
        """What builds for an interpreter, or why nothing does."""
        if self._isolation is None or self._why_not_built():
            return self._why_not_built()

        @contextmanager
        def lend(declaration: Declaration) -> Generator[Path]:
            key = self.key(interpreter, declaration, WHEELS_ALONE)
            making = _Making(interpreter, WHEELS_ALONE, deadline)
            with self._made(key, declaration, making, ", ".join(declaration.files)) as lease:
                missing = contents_of(lease.manifest()).missing
                if missing:
                    raise NotBuilt(f"its build needs {named(tuple(map(str, missing)))}")
                yield lease.path / "bin" / "python"

        bench = Bench(self._isolation, deadline)
        return Sources(SimpleIndex(self._index(), deadline), bench, interpreter.version, lend)
