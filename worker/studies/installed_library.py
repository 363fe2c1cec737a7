"""Version of an installed library, read from its files: nothing of it is run."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path

from analyzers.guest.relations.libraries.library_registry import LIBRARIES as COMPARABLE
from worker.errors import UsageError
from worker.sandbox.command_lines import interpreter_folders

LIBRARIES = tuple(COMPARABLE)
"""The libraries whose calls the guest can compare."""
_PACKAGES = ("lib*/python3*/site-packages", "lib*/python3*/dist-packages")


@dataclass(frozen=True, slots=True)
class InstalledLibrary:
    """A library that an interpreter has; ``version`` is what its distribution says."""

    library: str
    version: str
    python: Path


def installed_library(library: str, python: Path) -> InstalledLibrary:
    """Return the library that an interpreter or environment has; raise ``UsageError``."""
    if library not in LIBRARIES:
        raise UsageError(f"{library!r} is not known; known are {', '.join(LIBRARIES)}")
    executable = python / "bin" / "python" if python.is_dir() else python
    if not executable.is_file():
        raise UsageError("there is no such interpreter", file=str(python), key="--python")
    places = [
        str(place)
        for folder in interpreter_folders(executable)
        for pattern in _PACKAGES
        for place in sorted(folder.glob(pattern))
    ]
    found = next(iter(distributions(name=library, path=places)), None)
    version = None if found is None else found.version
    if version is None:
        raise UsageError(
            f"{library} is not installed for {executable}. Assayer itself does not need it: "
            f"install it there (pip install {library}), or name an interpreter that has it: "
            "--python PATH/TO/ENVIRONMENT"
        )
    return InstalledLibrary(library, version, executable)
