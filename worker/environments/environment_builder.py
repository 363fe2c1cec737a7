"""Making one environment in an empty folder."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sysconfig
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from worker.environments.declarations.declaration import Declaration, printable
from worker.environments.environment import Pin, Resolution, write_manifest
from worker.environments.folder_cache import FolderCache, size_on_disk
from worker.environments.interpreters import Interpreter, is_ours
from worker.environments.lent_packages import copy_own, describe, lendable, link
from worker.environments.package_indexes import Indexes
from worker.environments.resolution import Resolver
from worker.environments.sdists.sdist_builder import SdistBuilder
from worker.environments.sdists.source_distribution import NotBuilt, SdistRequirement, Wheel
from worker.environments.uv import Unreachable, Unsatisfiable, Uv
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


MOST_BUILT = 10


def with_built(
    resolve: Callable[[], Resolution], resolver: Resolver, sources: SdistBuilder, wheels: Path
) -> Resolution:
    """Resolve until nothing is left that can be built into ``wheels``; raise ``Unreachable``."""
    found = resolve()
    tried: dict[str, Wheel | None] = {}
    while pending := [each for name, each in found.sourced.items() if name not in tried]:
        for each in pending:
            tried[each.name] = _built(each, resolver, sources, wheels, len(tried))
        found = resolve()
    for wheel in tried.values():
        pin = found.pins.get(wheel.name) if wheel else None
        if wheel and pin and pin.version == wheel.version:
            found.pins[pin.name] = replace(pin, hashes=(wheel.hash,))
            found.built.append(f"{pin.name}=={pin.version}")
    return found


def _built(
    wanted: SdistRequirement, resolver: Resolver, sources: SdistBuilder, wheels: Path, before: int
) -> Wheel | None:
    """Its wheel; where there is none the resolver is told why."""
    if before >= MOST_BUILT:
        resolver.unbuilt[wanted.name] = f"only as source; more than {MOST_BUILT} are not built"
        return None
    try:
        return sources.build(wanted, wheels)
    except NotBuilt as reason:
        resolver.unbuilt[wanted.name] = f"only as source; {reason}"
    return None


MOST_BAD_WHEELS = 20


@dataclass(frozen=True, slots=True)
class InstallBounds:
    """The limits on an environment and on each of its wheels, in bytes."""

    most: int
    largest: int


class EnvironmentBuilder:
    """Makes environments for one interpreter; ``sources`` build wheels, or say why they do not."""

    def __init__(
        self,
        indexes: Indexes,
        cache: FolderCache,
        interpreter: Interpreter,
        bounds: InstallBounds,
        sources: SdistBuilder | str,
    ) -> None:
        self._sources = sources
        self._indexes = indexes
        self._cache = cache
        self._interpreter = interpreter
        self._bounds = bounds

    def build(self, declaration: Declaration, folder: Path, deadline: float) -> None:
        """Fill ``folder``; raises ``Unreachable`` where that cannot be tried to the end."""
        python = self._interpreter.executable
        packages = frame(folder, self._interpreter)
        with owned_folder("install") as work:
            watch = GrowthLimit(folder, self._bounds.most)
            uv = self._uv(work, deadline, watch)
            found = self._resolved(uv, declaration)
            large = {pin.name for pin in found.pins.values() if is_shared(pin)}
            _install(found, partial(_unpack, uv, python, packages, large))
            if size_on_disk(self._cache.downloads) > self._bounds.most:
                uv.clean()
            open_to_others(folder)
            wheels = SharedWheels(
                self._cache, self._indexes, self._interpreter, self._bounds.most, deadline
            )
            shared: dict[str, int] = {}
            _install(found, partial(_share, wheels, packages, large, shared))
        write_manifest(folder, self._interpreter.version, found, list(shared), sum(shared.values()))

    def resolve(self, declaration: Declaration, deadline: float) -> Resolution:
        """Return what an environment would hold now; nothing is kept.  Raises ``Unreachable``."""
        with owned_folder("install") as work:
            return self._resolved(self._uv(work, deadline), declaration)

    def _uv(self, work: Path, deadline: float, watch: Callable[[], None] = lambda: None) -> Uv:
        return Uv(self._indexes, self._cache.downloads, work, deadline, watch)

    def _resolved(self, uv: Uv, declaration: Declaration) -> Resolution:
        sources = self._sources
        why = f"; {sources}" if isinstance(sources, str) else ""
        own = lendable() if is_ours(self._interpreter) else {}
        for name in own:
            describe(name, uv.wheels)
        resolver = Resolver(
            uv, self._interpreter.executable, declaration, f"only as source{why}", own
        )
        resolve = partial(resolver.resolve, self._bounds.largest, self._bounds.most)
        if isinstance(sources, str):
            return resolve()
        return with_built(resolve, resolver, sources, uv.wheels)


def _unpack(
    uv: Uv, python: Path, packages: Path, large: Collection[str], found: Resolution
) -> None:
    """Install the pins that are not large."""
    lines = [pin.line for pin in found.pins.values() if pin.name not in large]
    if lines:
        uv.install(lines, python, packages)


def _share(
    wheels: SharedWheels,
    packages: Path,
    large: Collection[str],
    shared: dict[str, int],
    found: Resolution,
) -> None:
    """Link the large wheels into a folder of packages; add their sizes, by their keys."""
    for pin in [pin for pin in found.pins.values() if pin.name in large]:
        try:
            key, size = wheels.add(pin, packages)
        except (Unsatisfiable, Unreachable) as error:
            raise type(error)(f"`{pin.name}`: {error}") from error
        shared[key] = size


def _install(found: Resolution, install: Callable[[Resolution], None]) -> None:
    """Install the pins; a wheel that is not what it should be is left out and named."""
    for _ in range(MOST_BAD_WHEELS):
        try:
            install(found)
        except (Unsatisfiable, Unreachable) as error:
            bad = _culprit(str(error), found)
            if bad is None:
                raise Unreachable(str(error)) from error
            found.drop(bad, printable(str(error), 200))
        else:
            return
    raise Unreachable("too many wheels are broken")


def _culprit(said: str, found: Resolution) -> str | None:
    for name, pin in found.pins.items():
        file = f"{name.replace('-', '_')}-{pin.version}-"
        if any(sign in said for sign in (f"`{name}==", f"`{name}`", f"{name}==", file)):
            return name
    return None


def frame(folder: Path, interpreter: Interpreter) -> Path:
    """Write an empty virtual environment, running nothing; return where its packages go."""
    minor = ".".join(interpreter.version.split(".")[:2])
    packages = folder / "lib" / f"python{minor}" / "site-packages"
    packages.mkdir(parents=True)
    programs = folder / "bin"
    programs.mkdir()
    for name in ("python", "python3", f"python{minor}"):
        (programs / name).symlink_to(interpreter.executable)
    (folder / "lib64").symlink_to("lib")
    settings = {
        "home": str(interpreter.executable.parent),
        "include-system-site-packages": "false",
        "version": interpreter.version,
    }
    lines = "".join(f"{key} = {value}\n" for key, value in settings.items())
    (folder / "pyvenv.cfg").write_text(lines, encoding="utf-8")
    return packages
