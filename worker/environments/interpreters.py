"""The interpreters that are installed here, found without downloading any."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from glob import glob
from pathlib import Path

from worker.changes.checkout import open_checkout
from worker.environments.declarations.declaration_reader import DeclaredPython
from worker.sandbox.command_lines import interpreter_folders, readable_by_others

OLDEST = (3, 9)
"""The guest half runs from this version on."""
ASK_SECONDS = 20
_NAME = re.compile(r"python3\.\d+\Z")
_VERSION = re.compile(r"3\.(\d+)\.\d+\Z")
_PLACES = (
    *("/usr/local/bin", "/usr/bin", "/opt/python/*/bin"),
    *("~/.pyenv/versions/*/bin", "~/.local/share/uv/python/cpython-*/bin"),
)


@dataclass(frozen=True, slots=True)
class Interpreter:
    """An installed CPython; ``version`` like ``3.11.7``."""

    executable: Path
    version: str

    @property
    def key(self) -> tuple[int, ...]:
        """Sorts versions."""
        return tuple(int(part) for part in self.version.split("."))


def our_interpreter() -> Interpreter:
    """Return the installation that our own environment rests on."""
    version = ".".join(map(str, sys.version_info[:3]))
    return Interpreter(Path(sys.executable).resolve(), version)


def is_ours(interpreter: Interpreter) -> bool:
    """Return whether our own packages run under an interpreter."""
    return interpreter.key[:2] == sys.version_info[:2]


@dataclass(frozen=True, slots=True)
class InterpreterChoice:
    """An interpreter for a project, and what is to be said of it."""

    interpreter: Interpreter
    note: str = ""


def choose(declared: DeclaredPython, least: tuple[int, int] = OLDEST) -> InterpreterChoice:
    """Ours where it is allowed, else the newest that is; else ours, with a note.

    ``least`` is the first version that has the syntax of the code.
    """
    ours = our_interpreter()

    def fits(each: Interpreter) -> bool:
        return declared.allows(each.version) and each.key[:2] >= least

    if fits(ours):
        return InterpreterChoice(ours)
    allowed = [each for each in installed() if fits(each)]
    if allowed:
        return InterpreterChoice(max(allowed, key=lambda each: each.key))
    syntax = f"the code has syntax of Python {'.'.join(map(str, least))}"
    asks = f"{declared.file} asks for Python {declared}"
    missing = f"{asks if declared.sets else syntax}, which is not installed here"
    return InterpreterChoice(ours, f"{missing}: Python {ours.version} runs the code")


@cache
def installed() -> tuple[Interpreter, ...]:
    """Return every CPython from 3.9 on in the usual places."""
    found: dict[Path, Interpreter] = {}
    for executable in _executables(_PLACES):
        place = executable.resolve()
        if place not in found:
            version = _version(place)
            if version is not None:
                found[place] = Interpreter(place, version)
    return tuple(found.values())


def _executables(places: Sequence[str]) -> Iterator[Path]:
    for place in places:
        for folder in sorted(glob(os.path.expanduser(place))):  # noqa: PTH111, PTH207
            yield from (f for f in sorted(Path(folder).iterdir()) if _NAME.match(f.name))


def _version(executable: Path) -> str | None:
    try:
        done = subprocess.run(  # noqa: S603 - an interpreter of this machine
            [
                *(str(executable), "-I", "-S", "-c"),
                "import sys; print(sys.implementation.name, '%d.%d.%d' % sys.version_info[:3])",
            ],
            capture_output=True,
            text=True,
            timeout=ASK_SECONDS,
            env={},
            cwd="/",
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    kind, _, version = done.stdout.strip().partition(" ")
    match = _VERSION.match(version)
    fits = kind == "cpython" and match is not None and (3, int(match[1])) >= OLDEST
    return version if fits else None


NAMES = (".venv", "venv")
_CONFIG_VERSION = re.compile(r"^version(?:_info)?\s*=\s*(3\.\d+\.\d+)", re.MULTILINE)
LARGEST = 64 << 10


@dataclass(frozen=True, slots=True)
class DeveloperEnvironment:
    """A virtual environment in a checkout, by its name there."""

    name: str
    interpreter: Interpreter


def developer_environment(repository: Path) -> DeveloperEnvironment | None:
    """Return the checkout's ``.venv`` or ``venv`` if usable and not tracked by git."""
    checkout = open_checkout(repository)
    if checkout.bare:
        return None
    for name in NAMES:
        folder = checkout.root / name
        if folder.is_symlink() or not (folder / "pyvenv.cfg").is_file():
            continue
        if checkout.git.run("ls-files", "-z", "--", name):
            continue
        version = _config_version(folder / "pyvenv.cfg")
        if version is not None and _usable(folder):
            return DeveloperEnvironment(name, Interpreter(folder / "bin" / "python", version))
    return None


def _config_version(file: Path) -> str | None:
    with file.open("rb") as stream:
        match = _CONFIG_VERSION.search(stream.read(LARGEST).decode("utf-8", "replace"))
    if match is None or tuple(map(int, match[1].split(".")[:2])) < OLDEST:
        return None
    return match[1]


def _usable(folder: Path) -> bool:
    python = folder / "bin" / "python"
    if not python.resolve().is_file() or len(interpreter_folders(python)) < len(("own", "base")):
        return False
    packages = next(folder.glob("lib/python3*/site-packages"), None)
    wanted = [folder, packages or folder]
    return os.geteuid() != 0 or all(readable_by_others(place) for place in wanted)
