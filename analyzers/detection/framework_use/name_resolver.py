"""The project's files, parsed when first asked for, and what their names stand for."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from analyzers.detection.framework_use.file_definitions import ClassDefinition, CodeUnit, ParsedFile
from analyzers.detection.framework_use.name_scopes import (
    UNKNOWN,
    LexicalScope,
    ResolvedName,
    ResolvedNames,
)
from analyzers.detection.import_graph import Files

CALLED = ("forward", "call", "__call__")
"""The methods that run where an instance is called, in the order of frameworks."""
_CANONICAL = (("torch.nn.modules.", "torch.nn."),)


class NameResolver:
    """Names of the project and of libraries, looked up from any file."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self.parsed = cache(lambda path: ParsedFile.of(path, files.sources[path]))
        self.scope = cache(self._scope)
        self.lineage = cache(self._lineage)
        self.assigned = cache(self._assigned)
        self._attributes: dict[tuple[str, str], ResolvedNames | None] = {}
        self.inside = cache(self._inside)

    def _scope(self, path: str) -> LexicalScope:
        scope = LexicalScope(self, path)
        found = self.parsed(path)
        return scope.take(found.tree.body) if found is not None else scope

    def _inside(self, unit: CodeUnit) -> LexicalScope:
        outside = self.scope((unit.definition or unit).path)
        if unit.node is None:
            return outside
        if unit.owner is None or "staticmethod" in unit.decorators:
            return outside.enter(unit.node)
        made = "classmethod" not in unit.decorators
        owner = ResolvedName(f"{unit.path}::{unit.owner}", own=True, made=made)
        return outside.enter(unit.node, frozenset({owner}))

    def imported(self, path: str, level: int, module: str, name: str | None) -> ResolvedNames:
        """Return what an import in a file brings."""
        found = self._files.resolve(path, level, module)
        if found is None:
            if level:
                return UNKNOWN
            return _library(f"{module}.{name}" if name else module)
        if name is None:
            return frozenset({ResolvedName(found, own=True)})
        return self.exported(found, name)

    def exported(self, module: str, name: str) -> ResolvedNames:
        """Return what a name of a file or folder of the project stands for."""
        if not module.endswith("/"):
            known = self._top(module, name)
            if known:
                return known
        child = self._files.child(module, name)
        if child is not None:
            return frozenset({ResolvedName(child, own=True)})
        return UNKNOWN if module.endswith("/") else self._starred(module, name)

    def _top(self, path: str, name: str) -> ResolvedNames:
        found = self.parsed(path)
        if found is None:
            return UNKNOWN
        if name in found.classes or name in found.units:
            return frozenset({ResolvedName(f"{path}::{name}", own=True)})
        return self.scope(path).name(name)

    def _starred(self, path: str, name: str, depth: int = 3) -> ResolvedNames:
        found = self.parsed(path)
        for node in found.tree.body if found is not None and depth else ():
            if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
                origin = self._files.resolve(path, node.level, node.module or "")
                if origin is None or origin.endswith("/") or origin == path:
                    continue
                known = self._top(origin, name) or self._starred(origin, name, depth - 1)
                if known:
                    return known
        return UNKNOWN

    def member(self, meaning: ResolvedName, name: str) -> ResolvedNames:
        """Return what an attribute stands for."""
        if not meaning.own:
            return _library(f"{meaning.name}.{name}")
        if "::" not in meaning.name:
            return self.exported(meaning.name, name)
        if self.class_of(meaning) is None:
            return UNKNOWN
        return self._inherited(meaning, name)

    def _inherited(self, meaning: ResolvedName, name: str) -> ResolvedNames:
        for each in self.lineage(meaning.name):
            if not each.own and name == "apply" and each.name.endswith("autograd.Function"):
                return self._inherited(meaning, "forward")
            if not each.own:
                return _library(f"{each.name}.{name}")
            known = self.class_of(each)
            if known is not None and name in known.methods:
                return frozenset({ResolvedName(known.methods[name].id, own=True)})
            found = self._attribute(each.name, name)
            if found is not None:
                return found
        return UNKNOWN

    def _attribute(self, owner: str, name: str) -> ResolvedNames | None:
        key = (owner, name)
        if key not in self._attributes:
            self._attributes[key] = UNKNOWN
            known = self.class_of(ResolvedName(owner, own=True))
            self._attributes[key] = self._set(known, name) if known is not None else None
        return self._attributes[key]

    def _set(self, known: ClassDefinition, name: str) -> ResolvedNames | None:
        outside = self.scope(known.id.partition("::")[0])
        body = LexicalScope(self, outside.path, outside).take(known.node.body)
        found = [body.name(name)] if name in body.bound else []
        for unit, value in self.assigned(known.id).get(name, ()):
            found.append(self.inside(unit).of(value))
        return UNKNOWN.union(*found) if found else None

    def _assigned(self, name: str) -> dict[str, list[tuple[CodeUnit, ast.expr]]]:
        """Return what the methods of a class assign to each attribute of ``self``."""
        known = self.class_of(ResolvedName(name, own=True))
        found: dict[str, list[tuple[CodeUnit, ast.expr]]] = {}
        for unit in known.methods.values() if known is not None else ():
            for attribute, value in _assignments(unit.node) if unit.node is not None else ():
                found.setdefault(attribute, []).append((unit, value))
        return found

    def class_of(self, meaning: ResolvedName) -> ClassDefinition | None:
        """The project's class that is meant, or made."""
        path, _, name = meaning.name.partition("::")
        found = self.parsed(path) if meaning.own and name else None
        return found.classes.get(name) if found is not None else None

    def unit_of(self, meaning: ResolvedName) -> CodeUnit | None:
        """The project's function that is meant."""
        path, _, name = meaning.name.partition("::")
        found = self.parsed(path) if meaning.own and name and not meaning.made else None
        return found.units.get(name) if found is not None else None

    def bases(self, meaning: ResolvedName) -> ResolvedNames:
        """The bases of a class of the project, the first of a library too."""
        known = self.class_of(meaning)
        if known is None:
            return UNKNOWN
        scope = self.scope(known.id.partition("::")[0])
        return frozenset(each for base in known.node.bases for each in scope.of(base))

    def _lineage(self, name: str) -> tuple[ResolvedName, ...]:
        found = [ResolvedName(name, own=True)]
        for each in found:
            if len(found) > 50:
                break
            known = self.class_of(each)
            scope = self.scope(each.name.partition("::")[0]) if known is not None else None
            for base in known.node.bases if known is not None else ():
                meant = scope.of(base) if scope is not None else UNKNOWN
                found += [m for m in sorted(meant, key=lambda m: m.name) if m not in found]
        return tuple(sorted(found, key=lambda each: not each.own))

    def library_bases(self, name: str) -> tuple[str, ...]:
        """The library classes that a class of the project inherits from."""
        return tuple(each.name for each in self.lineage(name) if not each.own)

    def result(self, meaning: ResolvedName) -> ResolvedNames:
        """Return what calling gives: an instance where a class is called."""
        if meaning.made:
            return UNKNOWN
        if meaning.own:
            known = self.class_of(meaning) is not None
        else:
            known = meaning.name.rpartition(".")[2][:1].isupper()
        return frozenset({replace(meaning, made=True)}) if known else UNKNOWN

    def runs(self, meaning: ResolvedName) -> list[CodeUnit]:
        """The project's functions that run where something is called."""
        unit = self.unit_of(meaning)
        if unit is not None:
            return [unit]
        if self.class_of(meaning) is None:
            return []
        names = CALLED if meaning.made else ("__new__", "__init__", "__post_init__", "setup")
        own = (self.class_of(each) for each in self.lineage(meaning.name) if each.own)
        classes = [known for known in own if known is not None]
        found = (
            next((known.methods[name] for known in classes if name in known.methods), None)
            for name in names
        )
        units = [unit for unit in found if unit is not None]
        return units[:1] if meaning.made else units


def _assignments(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    for each in ast.walk(node):
        if isinstance(each, ast.Assign):
            targets, value = each.targets, each.value
        elif isinstance(each, ast.AnnAssign) and each.value is not None:
            targets, value = [each.target], each.value
        else:
            continue
        for target in targets:
            match target:
                case ast.Attribute(ast.Name("self"), attribute):
                    yield attribute, value
                case _:
                    pass


def _library(name: str) -> ResolvedNames:
    for old, new in _CANONICAL:
        rest = name.removeprefix(old)
        if rest != name and "." in rest:
            name = new + rest.partition(".")[2]
    return frozenset({ResolvedName(name)})
