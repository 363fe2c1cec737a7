"""The folders without which a Python interpreter does not start."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path


def interpreter_folders(python: Path) -> tuple[Path, ...]:
    """Return the prefixes of ``python``: its environment, what that rests on.

    They are read from the links and from ``pyvenv.cfg``; the interpreter is
    not started, because its ``.pth`` files are code of the tested project.
    Every folder is given as it is spelled and as it resolves.  A folder that
    is no environment and no installation of Python is left out, so that a
    forged link or ``home`` cannot bring a home folder into the sandbox.
    """
    executable = Path(os.path.abspath(python))  # noqa: PTH100 - a link must stay a link
    spelled = [link.parent.parent for link in _links(executable)]
    if executable == Path(sys.executable):
        spelled += [Path(sys.prefix), Path(sys.base_prefix)]
    spelled += [home.parent for prefix in spelled if (home := _home(prefix))]
    folders = [form for prefix in spelled for form in (prefix, prefix.resolve())]
    return tuple(folder for folder in dict.fromkeys(folders) if _holds_python(folder))


def _holds_python(folder: Path) -> bool:
    is_environment = (folder / "pyvenv.cfg").is_file()
    return is_environment or any(folder.glob("lib*/py*3*/os.py"))


def _links(path: Path) -> Iterator[Path]:
    """Yield ``path`` and what it links to, link by link."""
    for _ in range(40):
        yield path
        if not path.is_symlink():
            return
        path = Path(os.path.normpath(path.parent / path.readlink()))


def _home(prefix: Path) -> Path | None:
    """Return the ``home`` of a virtual environment: the folder of its base's python."""
    try:
        text = (prefix / "pyvenv.cfg").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    for line in text.splitlines():
        key, _, value = line.partition("=")
        if key.strip() == "home":
            return Path(value.strip())
    return None
