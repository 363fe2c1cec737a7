"""Methods of base classes that only subclasses can run.

A base class leaves a part of its work to its subclasses (the pattern "template method"): its
``forward`` calls ``self.loss``, which is abstract there or not defined at all.  What
changes in it is tested as the nearest subclasses inherit it.
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice

from analyzers.detection.framework_use.file_definitions import (
    ClassDefinition,
    CodeUnit,
    self_attributes,
)
from analyzers.detection.framework_use.name_resolver import CALLED, NameResolver
from analyzers.detection.framework_use.name_scopes import ResolvedName

MOST_SUBCLASSES = 2


class InheritedMethods:
    """The methods that subclasses inherit, of the classes in the files at ``paths``."""

    def __init__(self, project: NameResolver, paths: Iterable[str]) -> None:
        self._project = project
        self._paths = tuple(sorted(paths))

    def standing_for(self, unit: CodeUnit) -> tuple[CodeUnit, ...]:
        """Return the method as subclasses inherit it, where its own class cannot run it."""
        owner = self._class(f"{unit.path}::{unit.owner}") if unit.owner else None
        method = unit.name.rpartition(".")[2]
        if owner is None or method in ("__init__", "__new__"):
            return ()
        below = list(self._below(owner, method))
        elsewhere = {*_defined_by(below)}
        if not below or not self._missing(owner, unit, elsewhere):
            return ()
        whole = (each for each in below if not self._missing(each, unit, elsewhere))
        return tuple(_inherited(unit, each) for each in islice(whole, MOST_SUBCLASSES))

    def calling(self, unit: CodeUnit) -> Iterator[CodeUnit]:
        """Yield the method of a base class that runs where an instance is called and calls this."""
        method = unit.name.rpartition(".")[2]
        owner = self._class(f"{unit.path}::{unit.owner}") if unit.owner else None
        if owner is None or method in CALLED:
            return
        lineage = self._lineage(owner)
        found = next(
            (k.methods[name] for k in lineage for name in CALLED if name in k.methods), None
        )
        if found is None or found.owner == unit.owner or found.is_placeholder:
            return
        if any(method in _read(each) for each in self._running(found, lineage)):
            yield _inherited(found, owner)

    def named(self, path: str, function: str) -> CodeUnit | None:
        """Return the method of this name that a class inherits; ``None`` where it does not."""
        name, _, method = function.rpartition(".")
        owner = self._class(f"{path}::{name}") if name else None
        lineage = self._lineage(owner) if owner is not None else ()
        unit = next((each.methods[method] for each in lineage if method in each.methods), None)
        return _inherited(unit, owner) if unit is not None and owner is not None else None

    def lines(self, unit: CodeUnit) -> tuple[int, int]:
        """Return the first and last line of the class that a method belongs to."""
        owner = self._class(f"{unit.path}::{unit.owner}")
        assert owner is not None
        return owner.node.lineno, owner.node.end_lineno or owner.node.lineno

    def _class(self, name: str) -> ClassDefinition | None:
        return self._project.class_of(ResolvedName(name, own=True))

    def _below(self, owner: ClassDefinition, method: str) -> Iterator[ClassDefinition]:
        """Yield the subclasses that inherit the method, the nearest first."""
        waiting, known = deque([owner.id]), {owner.id}
        while waiting:
            for each in self._subclasses.get(waiting.popleft(), ()):
                if each.id not in known and method not in each.methods:
                    known.add(each.id)
                    waiting.append(each.id)
                    yield each

    @cached_property
    def _subclasses(self) -> dict[str, list[ClassDefinition]]:
        found: dict[str, list[ClassDefinition]] = {}
        for path in self._paths:
            parsed = self._project.parsed(path)
            for known in parsed.classes.values() if parsed is not None else ():
                for base in self._project.bases(ResolvedName(known.id, own=True)):
                    if base.own and not base.made:
                        found.setdefault(base.name, []).append(known)
        return found

    def _lineage(self, owner: ClassDefinition) -> list[ClassDefinition]:
        own = (self._project.class_of(each) for each in self._project.lineage(owner.id) if each.own)
        return [each for each in own if each is not None]

    def _missing(self, owner: ClassDefinition, unit: CodeUnit, elsewhere: set[str]) -> set[str]:
        """Return what the method reads of ``self`` that subclasses alone define.

        What the methods that it calls on ``self`` read counts too.
        """
        lineage = self._lineage(owner)
        read = {name for each in self._running(unit, lineage) for name in _read(each)}
        return (read & elsewhere) - {*_defined_by(lineage)}

    @staticmethod
    def _running(unit: CodeUnit, lineage: Sequence[ClassDefinition]) -> list[CodeUnit]:
        """Return a method and those that it calls on ``self``."""
        running = [unit]
        for each in running:
            for name in sorted(_read(each)):
                called = next((k.methods[name] for k in lineage if name in k.methods), None)
                if called is not None and called not in running:
                    running.append(called)
        return running


def _read(unit: CodeUnit) -> set[str]:
    return self_attributes(unit.node, ast.Load) if unit.node is not None else set()


def _inherited(unit: CodeUnit, owner: ClassDefinition) -> CodeUnit:
    path, _, name = owner.id.partition("::")
    method = f"{name}.{unit.name.rpartition('.')[2]}"
    return replace(unit, path=path, name=method, owner=name, definition=unit)


def _defined_by(classes: Iterable[ClassDefinition]) -> Iterator[str]:
    for known in classes:
        yield from (name for name, each in known.methods.items() if not each.is_placeholder)
        for each in known.methods.values():
            yield from self_attributes(each.node, ast.Store) if each.node is not None else ()
        for node in known.node.body:
            targets = node.targets if isinstance(node, ast.Assign) else ()
            yield from (each.id for each in targets if isinstance(each, ast.Name))
            if isinstance(node, ast.AnnAssign) and node.value is not None:
                yield ast.unparse(node.target)
