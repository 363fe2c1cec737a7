"""The names of the report's formats, and the suffixes of files that tell them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath

FORMAT_NAMES = ("text", "json", "markdown", "sarif", "junit", "html", "github", "gitlab")
SUFFIXES: Mapping[str, tuple[str, ...]] = {
    ".json": ("json", "sarif", "gitlab"),
    ".sarif": ("sarif",),
    ".html": ("html",),
    ".htm": ("html",),
    ".md": ("markdown",),
    ".markdown": ("markdown",),
    ".xml": ("junit",),
    ".txt": ("text", "github"),
}
"""The formats that a file may hold by its suffix; the first is meant where nothing else is said."""
_NAMES = {".sarif.json": "sarif", "gl-code-quality-report.json": "gitlab"}


def format_of(path: PurePath, wanted: str | None = None) -> str | None:
    """Return the format of a file by its name; ``wanted`` where that fits, or nothing else does."""
    fitting = SUFFIXES.get(path.suffix.lower())
    if fitting is None or wanted in fitting:
        return wanted
    named = (form for end, form in _NAMES.items() if path.name.lower().endswith(end))
    return next(named, fitting[0])
