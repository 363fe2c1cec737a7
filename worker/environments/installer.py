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
from functools import cached_property
from pathlib import Path

from packaging.utils import canonicalize_name

from analyzers.detection.file_facts import FRAMEWORKS
from worker.environments.declarations.declaration import Declaration
from worker.environments.environment import Resolution, contents_of, joined_names
from worker.environments.environment_builder import EnvironmentBuilder, InstallBounds
from worker.environments.folder_cache import CacheLease, FolderCache
from worker.environments.interpreters import Interpreter, is_ours
from worker.environments.lent_packages import lendable
from worker.environments.package_indexes import Indexes, indexes_of
from worker.environments.sdists.sandboxed_build import BuildExecutor
from worker.environments.sdists.sdist_builder import SdistBuilder, SimpleIndex
from worker.environments.sdists.source_distribution import NotBuilt
from worker.environments.uv import Index, Unreachable, Uv, uv_version
from worker.sandbox.isolation import Isolation
from worker.settings.operator_settings import EnvironmentSettings
from worker.system.temporary_files import owned_folder

FORMAT = 4
NOT_SET = "set [environments] builds"
NOT_ISOLATED = "it is built in isolation alone"
WHEELS_ALONE = "wheels alone are used for it"
FRAMEWORK_PACKAGES = frozenset(map(canonicalize_name, FRAMEWORKS)) | {"tensorflow-cpu"}
ReportProgress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class _Making:
    """The state of an installation: its builder, or why there is none, and its deadline."""

    interpreter: Interpreter
    sources: SdistBuilder | str
    deadline: float


class Installer:
    """Installs what is declared; sources are built in ``isolation``, ``tell`` reports progress."""

    def __init__(
        self, settings: EnvironmentSettings, isolation: Isolation | None, tell: ReportProgress
    ) -> None:
        self._settings = settings
        self._isolation = isolation if isolation and isolation.isolated else None
        self._tell = tell
        self._cache: FolderCache | None = None

    @property
    def cache(self) -> FolderCache:
        """The environments of this machine.  Raises ``MachineError``."""
        if self._cache is None:
            self._cache = FolderCache(self._settings.folder, int(self._settings.size))
        return self._cache

    def installed(
        self,
        interpreter: Interpreter,
        declaration: Declaration,
        what: str,
        *,
        offline: bool,
        why: str = "",
    ) -> CacheLease | None:
        """Return the environment, or ``None`` where nothing may be installed.

        Raises ``Unreachable``, ``TimeoutError`` or ``OSError``.
        """
        key = self.key(interpreter, declaration, why)
        if offline:
            return self._kept(key)
        deadline = time.monotonic() + self._settings.seconds
        making = _Making(interpreter, why or self._sources(interpreter, deadline), deadline)
        return self._made(key, declaration, making, what)

    def offered(
        self, interpreter: Interpreter, declaration: Declaration, seconds: float
    ) -> Resolution:
        """Return what would be installed now, found within ``seconds``.  Raises ``Unreachable``."""
        builder = self._builder(interpreter, WHEELS_ALONE)
        return builder.resolve(declaration, time.monotonic() + seconds)

    @property
    def places(self) -> tuple[str, ...]:
        """The indexes that packages come from, without secrets."""
        return self._indexes.shown

    def _kept(self, key: str) -> CacheLease | None:
        """Return the environment that is there; its large wheels stay as long as it does."""
        lease = self.cache.lent(key)
        if lease is not None:
            for wheel in contents_of(lease.manifest()).wheels:
                self.cache.touch(wheel)
        return lease

    def key(self, interpreter: Interpreter, declaration: Declaration, why: str = "") -> str:
        """Return a name of what an environment is made from: equal content, equal name."""
        content = [
            FORMAT,
            list(declaration.lines()),
            [interpreter.version, str(interpreter.executable)],
            [sysconfig.get_platform(), *platform.libc_ver()],
            [uv_version(), self._indexes.shown, lendable() if is_ours(interpreter) else {}],
            [int(self._settings.largest), int(self._settings.size)],
            why or self._why_not_built() or "built",
        ]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()

    def _why_not_built(self) -> str:
        if not self._settings.builds:
            return NOT_SET
        return "" if self._isolation else NOT_ISOLATED

    def _made(self, key: str, declaration: Declaration, making: _Making, what: str) -> CacheLease:
        def make(folder: Path) -> None:
            self._tell(f"installing {what}")
            builder.build(declaration, folder, making.deadline)

        builder = self._builder(making.interpreter, making.sources)
        lease = self._kept(key)
        if lease is not None:
            if not self._is_outdated(lease, declaration, builder, making.deadline):
                return lease
            lease.close()
            self.cache.remove(key)
        seconds = max(making.deadline - time.monotonic(), 0)
        return self.cache.made(key, make, seconds)

    def _is_outdated(
        self,
        lease: CacheLease,
        declaration: Declaration,
        builder: EnvironmentBuilder,
        deadline: float,
    ) -> bool:
        missing = {each.name for each in contents_of(lease.manifest()).missing}
        lost = missing & FRAMEWORK_PACKAGES
        try:
            return bool(lost and lost & builder.resolve(declaration, deadline).pins.keys())
        except Unreachable:
            return False

    def _builder(self, interpreter: Interpreter, sources: SdistBuilder | str) -> EnvironmentBuilder:
        settings = self._settings
        bounds = InstallBounds(int(settings.size) // 2, int(settings.largest))
        return EnvironmentBuilder(self._indexes, self.cache, interpreter, bounds, sources)

    @cached_property
    def _indexes(self) -> Indexes:
        index = self._index
        return indexes_of(self._settings, index.address if index else "")

    @property
    def _index(self) -> Index | None:
        if self._settings.index is None:
            return None
        credentials = self._settings.credentials
        return Index(self._settings.index, credentials.read() if credentials else None)

    def _source_index(self, deadline: float) -> Index:
        if self._index is not None:
            return self._index
        with owned_folder("install") as work:
            uv = Uv(self._indexes, self.cache.downloads, work, deadline)
            return Index(uv.default_index())

    def _sources(self, interpreter: Interpreter, deadline: float) -> SdistBuilder | str:
        if self._isolation is None or self._why_not_built():
            return self._why_not_built()

        @contextmanager
        def lend(declaration: Declaration) -> Generator[Path]:
            key = self.key(interpreter, declaration, WHEELS_ALONE)
            making = _Making(interpreter, WHEELS_ALONE, deadline)
            with self._made(key, declaration, making, ", ".join(declaration.files)) as lease:
                missing = contents_of(lease.manifest()).missing
                if missing:
                    raise NotBuilt(f"its build needs {joined_names(tuple(map(str, missing)))}")
                yield lease.path / "bin" / "python"

        bench = BuildExecutor(self._isolation, deadline)
        index = SimpleIndex(self._source_index(deadline), deadline)
        return SdistBuilder(index, bench, interpreter.version, lend)
