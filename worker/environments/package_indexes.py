"""The indexes that packages come from: what the operator set, else what the installer asks.

uv's variables and files count where they name any place, else pip's.  Files are read
from the user's and the system's folders alone, never from the one that we stand in.
"""

from __future__ import annotations

import os
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from configparser import ConfigParser, Error
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worker.environments.declarations.tree_files import items, table, tables
from worker.settings.operator_settings import EnvironmentSettings

_SECRET = re.compile(r"(?<=//)[^/@\s]+@")
_YES = frozenset({"1", "true", "yes", "on", "y", "t"})
_LONGEST = 1 << 20


@dataclass(frozen=True, slots=True)
class Indexes:
    """Indexes (``default`` may be empty) and ``links`` to wheels; addresses may hold secrets."""

    default: str = ""
    more: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    alone: bool = False

    def variables(self) -> dict[str, str]:
        """Return them as uv's variables, but for the links."""
        found = {
            "UV_DEFAULT_INDEX": self.default,
            "UV_INDEX": " ".join(self.more),
            "UV_NO_INDEX": "1" if self.alone else "",
            # the best version of all of them counts, as for pip
            "UV_INDEX_STRATEGY": "unsafe-best-match" if self.more else "",
        }
        return {name: value for name, value in found.items() if value}

    @property
    def shown(self) -> tuple[str, ...]:
        """The places without secrets."""
        default = () if self.alone else (self.default or "the installer's default index",)
        return tuple(without_secrets(each) for each in (*default, *self.more, *self.links))


def without_secrets(text: str) -> str:
    """Return a text whose addresses name no user and no password."""
    return _SECRET.sub("", text)


def indexes_of(settings: EnvironmentSettings, default: str) -> Indexes:
    """Return where packages come from; ``default`` is the operator's index with its secret."""
    found = Indexes(default) if default else machine_indexes()
    if settings.cpu_index is None:
        return found
    return Indexes(found.default, (settings.cpu_index, *found.more), found.links)


def machine_indexes() -> Indexes:
    """Return what this machine's installer asks."""
    return next((found for found in (_of_uv(), _of_pip()) if found != Indexes()), Indexes())


def _of_uv() -> Indexes:
    given = os.environ
    written: dict[str, Any] = {}
    for file in _uv_files():
        with suppress(OSError, tomllib.TOMLDecodeError, UnicodeDecodeError):
            document = tomllib.loads(_text(file))
            written = {**written, **document, **table(document.get("pip"))}
    listed = [each for each in tables(written.get("index")) if not each.get("explicit")]
    default = next((str(each.get("url")) for each in listed if each.get("default")), "")
    more = [str(each.get("url")) for each in listed if not each.get("default")]
    more += map(str, items(written.get("extra-index-url")))
    return Indexes(
        given.get("UV_DEFAULT_INDEX")
        or given.get("UV_INDEX_URL")
        or default
        or str(written.get("index-url", "")),
        _addresses(given.get("UV_INDEX") or given.get("UV_EXTRA_INDEX_URL") or " ".join(more)),
        _addresses(
            given.get("UV_FIND_LINKS", "").replace(",", " ")
            or " ".join(map(str, items(written.get("find-links"))))
        ),
        _is_yes(given.get("UV_NO_INDEX") or str(written.get("no-index", ""))),
    )


def _of_pip() -> Indexes:
    written = dict[str, str]()
    for file in _pip_files():
        parser = ConfigParser(interpolation=None)
        with suppress(OSError, Error, UnicodeDecodeError):
            parser.read_string(_text(file))
            for section in ("global", "install"):
                written |= dict(parser[section]) if parser.has_section(section) else {}

    def told(name: str) -> str:
        return os.environ.get("PIP_" + name.upper().replace("-", "_")) or written.get(name, "")

    return Indexes(
        told("index-url"),
        _addresses(told("extra-index-url")),
        _addresses(told("find-links")),
        _is_yes(told("no-index")),
    )


def _uv_files() -> Iterator[Path]:
    if named := os.environ.get("UV_CONFIG_FILE"):
        yield Path(named)
    elif not _is_yes(os.environ.get("UV_NO_CONFIG", "")):
        yield Path("/etc/uv/uv.toml")
        yield _configured(os.environ) / "uv" / "uv.toml"


def _pip_files() -> Iterator[Path]:
    named = os.environ.get("PIP_CONFIG_FILE")
    if named == os.devnull:
        return
    yield from (Path("/etc/xdg/pip/pip.conf"), Path("/etc/pip.conf"))
    yield from (Path.home() / ".pip" / "pip.conf", _configured(os.environ) / "pip" / "pip.conf")
    yield Path(sys.prefix) / "pip.conf"
    if named:
        yield Path(named)


def _configured(variables: Mapping[str, str]) -> Path:
    return Path(variables.get("XDG_CONFIG_HOME") or Path.home() / ".config")


def _text(file: Path) -> str:
    with file.open(encoding="utf-8") as stream:
        return stream.read(_LONGEST)


def _addresses(text: str) -> tuple[str, ...]:
    """The addresses and absolute paths in a text; a relative path depends on where we stand."""
    return tuple(each for each in text.split() if "://" in each or Path(each).is_absolute())


def _is_yes(text: str) -> bool:
    return text.strip().lower() in _YES
