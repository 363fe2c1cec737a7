"""The environment that a developer keeps in the checkout."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from worker.changes.checkout import open_checkout
from worker.environments.pythons import OLDEST, Interpreter
from worker.sandbox.command import readable_by_others
from worker.sandbox.interpreter import interpreter_folders

NAMES = (".venv", "venv")
_VERSION = re.compile(r"^version(?:_info)?\s*=\s*(3\.\d+\.\d+)", re.MULTILINE)
LARGEST = 64 << 10


@dataclass(frozen=True, slots=True)
class OwnEnvironment:
    """A virtual environment in a checkout, by its name there."""

    name: str
    interpreter: Interpreter


def own_environment(repository: Path) -> OwnEnvironment | None:
    """The checkout's ``.venv`` or ``venv``, if a guest can use it.

    One that git tracks is a stranger's, not its developer's, and is left
    alone.  Nothing of it is run here.
    """
    checkout = open_checkout(repository)
    if checkout.bare:
        return None
    for name in NAMES:
        folder = checkout.root / name
        if folder.is_symlink() or not (folder / "pyvenv.cfg").is_file():
            continue
        if checkout.git.run("ls-files", "-z", "--", name):
            continue
        version = _version(folder / "pyvenv.cfg")
        if version is not None and _usable(folder):
            return OwnEnvironment(name, Interpreter(folder / "bin" / "python", version))
    return None


def _version(file: Path) -> str | None:
    with file.open("rb") as stream:
        match = _VERSION.search(stream.read(LARGEST).decode("utf-8", "replace"))
    if match is None or tuple(map(int, match[1].split(".")[:2])) < OLDEST:
        return None
    return match[1]


def _usable(folder: Path) -> bool:
    """Whether its interpreter is there and a guest may read it."""
    python = folder / "bin" / "python"
    if not python.resolve().is_file() or len(interpreter_folders(python)) < len(("own", "base")):
        return False
    packages = next(folder.glob("lib/python3*/site-packages"), None)
    wanted = [folder, packages or folder]
    return os.geteuid() != 0 or all(readable_by_others(place) for place in wanted)
