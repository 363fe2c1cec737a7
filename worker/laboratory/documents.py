"""The project's documents: how its functions are called, what it needs and is configured by."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from analyzers.properties.removed.versions import declarations

SUFFIXES = (".md", ".rst")
DESCRIBING = re.compile(
    r"\.?env[.-](example|sample|template|dist|defaults?)|.*\.env\.(example|sample|template|dist)"
    r"|(docker-)?compose[\w.-]*\.ya?ml|(app|serverless|template)\.ya?ml|(docker|container)file"
)
"""Files that describe the environment of the project."""
MOST = 200
LONGEST = 200_000
_LEFT_OUT = frozenset({".git", "node_modules", "site-packages", ".venv", "venv"})


def documents(root: Path) -> Mapping[str, str]:
    """The texts of the documents below a folder by their paths, a bounded number of them.

    Links are not followed: the tree is somebody else's.
    """
    found: dict[str, str] = {}
    for path in _files(root):
        text = _text(path)
        if text is not None:
            found[path.relative_to(root).as_posix()] = text
        if len(found) >= MOST:
            break
    return found


def _files(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root, followlinks=False):
        folders[:] = sorted(name for name in folders if name not in _LEFT_OUT)
        for name in sorted(names):
            path = Path(folder, name)
            documented = name.lower().endswith(SUFFIXES) or DESCRIBING.fullmatch(name.lower())
            if documented or declarations([path.relative_to(root).as_posix()]):
                yield path


def _text(path: Path) -> str | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        content = file.read(LONGEST + 1)
    return content.decode("utf-8", "replace") if len(content) <= LONGEST else None
