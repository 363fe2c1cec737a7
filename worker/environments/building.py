"""Making one environment in an empty folder."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from worker.environments.cache import MANIFEST, size_on_disk
from worker.environments.declarations import Declaration, LeftOut, printable
from worker.environments.nouns import Contents
from worker.environments.pins import Resolution
from worker.environments.pythons import Interpreter
from worker.environments.resolution import Resolver
from worker.environments.sources import Sources
from worker.environments.sourcing import with_built
from worker.environments.uv import Index, Unreachable, Unsatisfiable, Uv
from worker.sandbox.command import open_to_others
from worker.temporary import owned_folder

WATCH_SECONDS = 2.0
MOST_BAD_WHEELS = 20


@dataclass(frozen=True, slots=True)
class Bounds:
    """How large an environment and each of its wheels may be, in bytes."""

    most: int
    largest: int


class Builder:
    """Makes environments for one interpreter from one index.

    ``sources`` build what has no wheel; a text says why nothing is built.
    """

    def __init__(
        self,
        index: Index,
        downloads: Path,
        interpreter: Interpreter,
        bounds: Bounds,
        sources: Sources | str,
    ) -> None:
        self._sources = sources
        self._index = index
        self._downloads = downloads
        self._interpreter = interpreter
        self._bounds = bounds

    def build(self, declaration: Declaration, folder: Path, deadline: float) -> None:
        """Fill ``folder``; raises ``Unreachable`` where that cannot be tried to the end."""
        python = self._interpreter.executable
        packages = frame(folder, self._interpreter)
        with owned_folder("install") as work:
            watch = _Growth(folder, self._bounds.most)
            uv = Uv(self._index, self._downloads, work, deadline, watch)
            found = self._resolved(uv, declaration)
            _install(uv, found, python, packages)
            if size_on_disk(self._downloads) > self._bounds.most:
                uv.clean()
        open_to_others(folder)
        write_manifest(folder, self._interpreter.version, found)

    def _resolved(self, uv: Uv, declaration: Declaration) -> Resolution:
        sources = self._sources
        why = f"; {sources}" if isinstance(sources, str) else ""
        resolver = Resolver(uv, self._interpreter.executable, declaration, f"only as source{why}")
        resolve = partial(resolver.resolve, self._bounds.largest, self._bounds.most)
        if isinstance(sources, str):
            return resolve()
        return with_built(resolve, resolver, sources, uv.wheels)


def _install(uv: Uv, found: Resolution, python: Path, packages: Path) -> None:
    """Install the pins; a wheel that is not what it should be is left out and named."""
    for _ in range(MOST_BAD_WHEELS):
        if not found.pins:
            return
        try:
            uv.install([pin.line for pin in found.pins.values()], python, packages)
        except (Unsatisfiable, Unreachable) as error:
            bad = _culprit(str(error), found)
            if bad is None:
                raise Unreachable(str(error)) from error
            found.drop(bad, printable(str(error), 200))
        else:
            return
    raise Unreachable("too many wheels are broken")


def _culprit(said: str, found: Resolution) -> str | None:
    """The package that an error of the installer names."""
    for name, pin in found.pins.items():
        file = f"{name.replace('-', '_')}-{pin.version}-"
        if any(sign in said for sign in (f"`{name}==", f"`{name}`", f"{name}==", file)):
            return name
    return None


def frame(folder: Path, interpreter: Interpreter) -> Path:
    """Make an empty virtual environment; return where its packages go.

    Written by hand, since nothing of the interpreter has to run for it.
    """
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


def write_manifest(folder: Path, python: str, found: Resolution) -> None:
    """Write down what is in the folder."""
    contents = Contents(
        python,
        {pin.name: pin.version for pin in found.pins.values()},
        tuple(found.missing),
        tuple(found.replaced),
        size_on_disk(folder),
        tuple(found.built),
    )
    (folder / MANIFEST).write_text(json.dumps(asdict(contents)), encoding="utf-8")


def contents_of(manifest: Mapping[str, Any]) -> Contents:
    """What a manifest says."""
    missing = tuple(LeftOut(**each) for each in manifest["missing"])
    return Contents(
        manifest["python"],
        manifest["packages"],
        missing,
        tuple(manifest["replaced"]),
        manifest["size"],
        tuple(manifest["built"]),
    )


class _Growth:
    """Stops an installation that fills the disk."""

    def __init__(self, folder: Path, most: int) -> None:
        self._folder = folder
        self._most = most
        self._next = 0.0

    def __call__(self) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + WATCH_SECONDS
        if size_on_disk(self._folder) > self._most:
            raise Unreachable(f"the environment grew beyond {self._most >> 20} MiB")
