"""Which generation of Google's SDKs a project is written for."""

from __future__ import annotations

import functools
import os
import re
from importlib import metadata
from pathlib import Path
from typing import Dict, List, Mapping

from ..endings import is_own

_OLD = re.compile(
    r"\b(?:vision|language|speech)(?:_v1)?(?:\.gapic)? import[^\n#]*\b(?:types|enums)\b"
    r"|\b(?:vision|language|speech)\w*\.(?:types|enums)\b"
    r"|\b(?:vision|language|speech)\.Client\("
    r"|\bdocument_from_(?:text|html|url)\("
)
_SERVICES = ("vision", "language", "speech")
_SERVICE = re.compile(r"google\.cloud\.([a-z]+)")


class Generations:
    """Tells old from new for each service.

    The sources ``texts`` tell which generation the project is written for;
    its other files do where these do not mention the SDK.
    """

    def __init__(self, root: str, texts: Mapping[str, str]) -> None:
        self._old: Dict[str, bool] = {}
        others: List[str] = []
        for service in _SERVICES:
            imported = re.compile(rf"google[\w.]*\b[^\n]*\b{service}")
            telling = [text for text in texts.values() if imported.search(text)]
            if not telling:
                others = others or google_texts(root)
                telling = [text for text in others if imported.search(text)]
            self._old[service] = any(_OLD.search(text) for text in telling)

    def is_old(self, name: str) -> bool:
        """Whether a module is asked for as it was before proto-plus."""
        match = _SERVICE.match(name)
        if match is None or match.group(1) not in self._old:
            return False
        return self._old[match.group(1)] or _is_installed_old(match.group(1))


@functools.cache
def _is_installed_old(service: str) -> bool:
    """Whether the installed SDK is of a generation before the second major version."""
    try:
        return int(metadata.version(f"google-cloud-{service}").partition(".")[0]) < 2
    except (metadata.PackageNotFoundError, ValueError, TypeError):
        return False


def google_texts(root: str, limit: int = 400) -> List[str]:
    """The texts of the project's files that mention Google, of the first files."""
    found: List[str] = []
    seen = 0
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith((".", "venv"))]
        for name in files:
            path = Path(folder, name)
            if name.endswith(".py") and is_own(str(path), root):
                seen += 1
                text = _text(path)
                found += [text] if "google" in text else []
            if seen >= limit:
                return found
    return found


def _text(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(200_000)
    except OSError:
        return ""
