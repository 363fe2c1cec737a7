"""The operator's own folder with descriptions of ML APIs."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any


def described(folder: Path) -> tuple[str, ...]:
    """Return the providers that a folder describes, by file; raise ``ValueError``."""
    files = sorted((folder / "apis").glob("*.toml"))
    if not files:
        raise ValueError(f"no description of an API lies in {folder / 'apis'}")
    for kind in ("schemas", "ordinary"):
        for file in sorted((folder / kind).glob("*.json")):
            _read(file, json.loads)
    for file in sorted((folder / "limits").glob("*.toml")):
        _read(file, tomllib.loads)
    return tuple(_provider(file) for file in files)


def _provider(file: Path) -> str:
    table = _read(file, tomllib.loads)
    missing = [key for key in ("provider", "hints", "api") if key not in table]
    if missing:
        raise ValueError(f"{file} lacks {', '.join(missing)}")
    for entry in table["api"]:
        lacking = [k for k in ("name", "task", "methods", "result", "input") if k not in entry]
        if lacking and not (lacking == ["input"] and "input" in table.get("shared", {})):
            raise ValueError(f"{file}: an [[api]] lacks {', '.join(lacking)}")
    return str(table["provider"])


def _read(file: Path, parse: Callable[[str], Any]) -> Any:
    try:
        return parse(file.read_text("utf-8"))
    except OSError as error:
        raise ValueError(f"{file} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from error
