"""What libraries no longer have, by name; read from ``data``.

A key is a dotted name (``numpy.float``), a keyword argument
(``keras.layers.Dense(init)``), a call of what is no function any more
(``torch.fft()``) or an attribute of an instance (``keras.layers.Dense().W``).
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_FOLDER = files("analyzers.properties.removed").joinpath("data")
_KEY = re.compile(r"(?P<name>[\w.]+?)(?:\((?P<argument>\w*)\)(?:\.(?P<attribute>\w+))?)?\Z")


@dataclass(frozen=True, slots=True)
class RemovedName:
    """One thing that is gone from ``package``, at the latest in version ``since``.

    ``instead`` says what to write; ``fix`` is the name to put in its place
    where nothing else changes.
    """

    key: str
    package: str
    title: str
    since: str
    instead: str
    fix: str | None = None

    @property
    def name(self) -> str:
        """The dotted name."""
        return self._part("name") or self.key

    @property
    def argument(self) -> str | None:
        """The keyword argument; empty for the call as such."""
        return None if self.attribute else self._part("argument")

    @property
    def attribute(self) -> str | None:
        """The attribute of an instance."""
        return self._part("attribute")

    def _part(self, name: str) -> str | None:
        found = _KEY.match(self.key)
        return found[name] if found else None


@dataclass(frozen=True, slots=True)
class RemovedNames:
    """All entries, by dotted name."""

    names: dict[str, RemovedName]
    arguments: dict[str, dict[str, RemovedName]]
    attributes: dict[str, dict[str, RemovedName]]
    packages: dict[str, str]

    @property
    def roots(self) -> frozenset[str]:
        """The top-level modules that entries are of."""
        return frozenset(self.packages)


@cache
def table() -> RemovedNames:
    """The entries, read once."""
    found = RemovedNames({}, {}, {}, {})
    for entry in entries():
        found.packages[entry.name.partition(".")[0]] = entry.package
        if entry.attribute is not None:
            found.attributes.setdefault(entry.name, {})[entry.attribute] = entry
        elif entry.argument is not None:
            found.arguments.setdefault(entry.name, {})[entry.argument] = entry
        else:
            found.names[entry.name] = entry
    return found


@cache
def documented() -> frozenset[str]:
    """The names that are known to be there: replacements, and members of their modules."""
    found = {entry.fix for entry in entries() if entry.fix and entry.argument is None}
    for module, names in json.loads(_FOLDER.joinpath("members.json").read_text("utf-8")).items():
        found |= {module, *(f"{module}.{name}" for name in names.split())}
    return frozenset(found)


def entries() -> Iterator[RemovedName]:
    """Every entry of every file."""
    for file in sorted(_FOLDER.iterdir(), key=lambda f: f.name):
        if file.name.endswith(".toml"):
            document = tomllib.loads(file.read_text("utf-8"))
            for key, said in document["removed"].items():
                yield RemovedName(key, document["package"], document["title"], **said)
