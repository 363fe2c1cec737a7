"""Code that a change edits, and code that it reaches through calls.

A location is edited where its function differs from base or reads something that
does: a constant, an import, an attribute of its class, a file that it names.  It is
reached where its function calls what is edited, or is called by it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterator
from functools import cache, cached_property

from analyzers import catalogue
from analyzers.detection.changed_functions import changed_function_ids, file_difference, lines_of
from analyzers.detection.detector import own_sources
from analyzers.detection.file_facts import FRAMEWORKS
from analyzers.detection.framework_use.file_definitions import CodeUnit, outermost
from analyzers.detection.framework_use.framework_targets import FrameworkTargetSelection
from analyzers.detection.import_graph import Files, FrameworkFiles, closure
from analyzers.detection.python_syntax import MODULE
from analyzers.vocabulary import ChangeSet

_FILE = re.compile(r"(?:^|/)([\w .-]*\w\.\w{1,10})$")

Differing = Callable[[Collection[str]], bool]
"""A test: does a data file of one of these names differ between base and head?"""


class ChangeReach:
    """The call graph of head, and the functions in it that a change edits."""

    def __init__(self, changes: ChangeSet, differing: Differing = lambda _: False) -> None:
        self._changes = changes
        self._differing = differing
        self._of_path = {change.path: change for change in changes.changes if not change.deleted}
        self.called = cache(self._called)
        self.is_edited = cache(self._is_edited)

    def alters(self, target: str) -> bool:
        """Return whether the function of this id is edited or calls what is edited."""
        return self._unit(target) is None or bool(self._edited_by(target))

    def reaches(self, path: str, line: int, target: str) -> bool:
        """Return whether the change edits or reaches a location that ``target`` leads to.

        Only calls inside the target count.  Code that cannot be parsed counts as
        reached where its file is changed.
        """
        change = self._of_path.get(path)
        if change is not None and line in change.lines:
            return True
        units = self._choice.units(path) if path in self._files.paths else []
        around = [each for each in units if each.node and line in lines_of(each.node)]
        unit = next(reversed(around), self._outside(path) if units else None)
        if unit is None:
            return change is not None
        if self._edited_by(unit.id):
            return True
        return any(unit.id in self.called(each) for each in self._edited_by(target))

    def _edited_by(self, name: str) -> list[str]:
        return [each for each in self.called(name) if self.is_edited(each)]

    @cached_property
    def edited(self) -> frozenset[str]:
        """The ids of the outermost functions that differ, or read something that does."""
        paths = frozenset(self._of_path) & self._files.paths
        differences = {path: file_difference(self._of_path[path], self._changes) for path in paths}
        known = changed_function_ids(self._files, differences)
        found = set(self._choice.changed(self._changes, known))
        for unit in (unit for path in paths for unit in self._choice.units(path)):
            lines = lines_of(unit.node) if unit.node is not None else range(0)
            change = self._of_path[unit.path]
            inside = any(at in lines and at + 1 in lines for at in change.removed_at)
            if inside or not change.lines.isdisjoint(lines):
                found.add(unit.id)
        return frozenset(found)

    def _is_edited(self, name: str) -> bool:
        unit = self._unit(name)
        if unit is None or unit.id in self.edited:
            return unit is not None
        names = frozenset(self._named(unit))
        return bool(names) and self._differing(names)

    @cached_property
    def _files(self) -> Files:
        known = catalogue.load_catalogue()
        sources = own_sources(self._changes.sources, known)
        return Files(sources, known.libraries | FRAMEWORKS)

    @cached_property
    def _choice(self) -> FrameworkTargetSelection:
        changed = frozenset(self._of_path) & self._files.paths
        return FrameworkTargetSelection(
            self._files, FrameworkFiles(changed, closure(changed, self._files.importers))
        )

    def _called(self, name: str) -> tuple[str, ...]:
        unit = self._unit(name)
        return () if unit is None else tuple(each.id for each in self._choice.reach(unit))

    def _named(self, unit: CodeUnit) -> Iterator[str]:
        nodes: list[ast.AST] = [unit.node] if unit.node is not None else list(unit.body)
        outside = self._outside(unit.path)
        around = outside.body if outside is not None else ()
        nodes += [each for each in around if isinstance(each, ast.Assign | ast.AnnAssign)]
        for node in nodes:
            for each in ast.walk(node):
                if isinstance(each, ast.Constant) and isinstance(each.value, str):
                    yield from _FILE.findall(each.value)

    def _unit(self, name: str) -> CodeUnit | None:
        path, _, function = name.partition("::")
        if path not in self._files.paths:
            return None
        wanted = outermost(function)
        return next((unit for unit in self._choice.units(path) if unit.name == wanted), None)

    def _outside(self, path: str) -> CodeUnit | None:
        """The code of a file outside functions; ``None`` where it cannot be parsed."""
        return next((unit for unit in self._choice.units(path) if unit.name == MODULE), None)
