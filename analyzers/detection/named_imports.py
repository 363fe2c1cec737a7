"""Imports by the names that a file takes: what it may use, not all that they execute.

The packages of a large project import all of it, so that every file reaches every other one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, cached_property

from analyzers.detection.file_facts import Imported
from analyzers.detection.import_graph import Files, inverted

_TOP_LEVEL = re.compile(r"^(?:(?:async[ \t]+)?def|class)[ \t]+(\w+)|^(\w+)[ \t]*[:=]", re.MULTILINE)
_CHAIN = re.compile(r"(?<![\w.])(\w+)((?:\.\w+)+)")
_ALIAS = re.compile(r"^[ \t]*import[ \t]+([\w.]+)[ \t]+as[ \t]+(\w+)", re.MULTILINE)
_PACKAGE = "__init__.py"


class NamedImports:
    """The files that define the names which files import, through packages that pass them on."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._defined = cache(self._definitions_of)
        self._modules = cache(self._modules_of)
        self._definers: dict[tuple[str, str], str | None] = {}

    @cached_property
    def imports(self) -> dict[str, frozenset[str]]:
        """Return for each file those whose definitions it names."""
        return {path: frozenset({*self._used(path)} - {path}) for path in self._files.paths}

    @cached_property
    def importers(self) -> dict[str, set[str]]:
        """Return the files that name definitions of each file, where any do."""
        return inverted(self.imports)

    def _used(self, path: str) -> Iterator[str]:
        for entry, module in self._modules(path):
            if entry.name:
                found = self._of(module, entry.name)
                yield found or module
            elif not module.endswith(_PACKAGE):
                yield module
            else:
                for name in self._attributes(path, entry.module):
                    if (found := self._of(module, name)) is not None:
                        yield found

    def _attributes(self, path: str, module: str) -> set[str]:
        """Return the names after a module's own, or after what it is imported as."""
        text = self._files.sources[path]
        roots = {alias for name, alias in _ALIAS.findall(text) if name == module}
        roots.add(module.partition(".")[0])
        chains = (chain for root, chain in _CHAIN.findall(text) if root in roots)
        return {name for chain in chains for name in chain[1:].split(".")}

    def _modules_of(self, path: str) -> tuple[tuple[Imported, str], ...]:
        """Return a file's imports with the project's files or folders that they mean.

        An entry without a name is an import of a module or of all its names.
        """
        return tuple(self._resolved(path))

    def _resolved(self, path: str) -> Iterator[tuple[Imported, str]]:
        entries = self._files.facts[path].imports
        named = {(each.level, each.module) for each in entries if each.name}
        for each in entries:
            if each.name or (each.level, each.module) not in named:
                module = self._files.resolve(path, each.level, each.module)
                if module is not None and (module in self._files.paths or each.name):
                    yield each, module

    def _of(self, module: str, name: str) -> str | None:
        """Return the file that a name of a module is, or that defines it."""
        child = self._files.child(module, name)
        if child in self._files.paths:
            return child
        return self._definer(module, name) if module in self._files.paths else None

    def _definer(self, module: str, name: str) -> str | None:
        key = (module, name)
        if key not in self._definers:
            self._definers[key] = None
            self._definers[key] = self._found(module, name)
        return self._definers[key]

    def _found(self, module: str, name: str) -> str | None:
        if name in self._defined(module):
            return module
        entries = self._modules(module)
        for entry, origin in entries:
            if entry.name == name:
                return self._of(origin, name) or (origin if origin in self._files.paths else None)
        stars = (origin for entry, origin in entries if not entry.name)
        passed_on = (self._definer(origin, name) for origin in stars)
        return next((each for each in passed_on if each is not None), None)

    def _definitions_of(self, path: str) -> frozenset[str]:
        found = _TOP_LEVEL.findall(self._files.sources[path])
        return frozenset(name for pair in found for name in pair if name)
