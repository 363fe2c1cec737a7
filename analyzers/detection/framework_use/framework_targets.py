"""Functions that use a framework and are worth testing."""

from __future__ import annotations

import ast
import re
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from analyzers.detection.cst_modules import MAIN, MODULE
from analyzers.detection.dataflow.api_targets import TEST_CODE, TEST_FILE
from analyzers.detection.framework_use import file_definitions
from analyzers.detection.framework_use.file_definitions import (
    FUNCTIONS,
    LOCALS,
    CodeUnit,
    ParsedFile,
    file_annotations,
    outermost,
    parameters,
)
from analyzers.detection.framework_use.name_resolver import NameResolver
from analyzers.detection.framework_use.name_scopes import (
    LexicalScope,
    ResolvedName,
    parse_string_annotation,
)
from analyzers.detection.import_graph import (
    FRAMEWORKS,
    NUMERIC,
    Files,
    FrameworkFiles,
    top_level_package,
)
from analyzers.vocabulary import ApiCall, ChangeSet, Reason, Target

_TYPES = FRAMEWORKS | {"jaxtyping"}
_UNSAID = ("__init__", "__new__")
_TRIVIAL = frozenset(
    f"__{name}__"
    for name in (
        *("repr", "str", "len", "eq", "ne", "lt", "le", "gt", "ge", "hash", "bool", "format"),
        *("enter", "exit", "del", "dir", "sizeof", "reduce", "getstate", "setstate", "copy"),
    )
)


@dataclass(slots=True)
class FrameworkUses:
    """``calls`` of frameworks, ``units`` of the project that run, by id.

    ``framework``: a framework's name, value or type occurs; ``numeric``: one
    of a library for numbers.
    """

    calls: list[ApiCall] = field(default_factory=list[ApiCall])
    units: dict[str, CodeUnit] = field(default_factory=dict[str, CodeUnit])
    framework: bool = False
    numeric: bool = False


class _Visit:
    def __init__(self, project: NameResolver, unit: CodeUnit) -> None:
        self._project = project
        self._unit = unit
        self.found = FrameworkUses()

    def run(self) -> None:
        unit, scope = self._unit, self._project.inside(self._unit)
        node = unit.node
        if node is None:
            self._body(unit.body, scope, unit.name)
            return
        outside = self._project.scope(unit.path)
        self._header(node, outside, unit.name)
        self._body(node.body, scope, unit.name)
        if unit.owner is not None and unit.name.rpartition(".")[2] not in _TRIVIAL:
            bases = self._project.library_bases(f"{unit.path}::{unit.owner}")
            self.found.framework |= any(top_level_package(base) in FRAMEWORKS for base in bases)

    def _body(self, body: Sequence[ast.stmt], scope: LexicalScope, name: str) -> None:
        for node in body:
            self._visit(node, scope, name)

    def _visit(self, node: ast.AST, scope: LexicalScope, name: str) -> None:
        if isinstance(node, FUNCTIONS):
            if name not in (MODULE, MAIN):
                self._header(node, scope, name)
                self._body(node.body, scope.enter(node), f"{name}{LOCALS}{node.name}")
        elif isinstance(node, ast.ClassDef) and name in (MODULE, MAIN):
            for each in (*node.decorator_list, *node.bases):
                self._visit(each, scope, name)
        else:
            if isinstance(node, ast.Call):
                self._call(node, scope, name)
            elif isinstance(node, ast.Name | ast.Attribute):
                self._reference(node, scope)
            for child in ast.iter_child_nodes(node):
                self._visit(child, scope, name)

    def _header(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: LexicalScope, name: str
    ) -> None:
        defaults = [each for each in node.args.kw_defaults if each is not None]
        for each in (*node.decorator_list, *node.args.defaults, *defaults):
            self._visit(each, scope, name)
        said = [arg.annotation for arg in parameters(node)]
        for annotation in (*said, node.returns):
            self._annotation(annotation, scope)

    def _annotation(self, node: ast.expr | None, scope: LexicalScope) -> None:
        for each in ast.walk(node) if node is not None else ():
            if isinstance(each, ast.Name | ast.Attribute):
                self._reference(each, scope)
            elif isinstance(each, ast.Constant) and isinstance(each.value, str):
                self._annotation(parse_string_annotation(each.value), scope)

    def _call(self, node: ast.Call, scope: LexicalScope, name: str) -> None:
        for each in sorted(scope.of(node.func), key=lambda each: each.name):
            if not each.own:
                if (
                    top_level_package(each.name) in FRAMEWORKS
                    and each.name.rpartition(".")[2] not in _UNSAID
                ):
                    self.found.calls.append(ApiCall(each.name, self._unit.path, name, node.lineno))
                continue
            for unit in self._project.runs(each):
                self._runs(unit)
            self.found.framework |= self._is_framework_class(each)

    def _runs(self, unit: CodeUnit) -> None:
        if unit is not self._unit:
            self.found.units[unit.id] = unit

    def _reference(self, node: ast.Name | ast.Attribute, scope: LexicalScope) -> None:
        for each in scope.of(node):
            if not each.own:
                self.found.framework |= top_level_package(each.name) in _TYPES
                self.found.numeric |= top_level_package(each.name) in NUMERIC
                continue
            unit = self._project.unit_of(each)
            if unit is not None:
                self._runs(unit)
            elif each.made and not self._is_receiver(node):
                self.found.framework |= self._is_framework_class(each)

    def _is_framework_class(self, meaning: ResolvedName) -> bool:
        if self._project.class_of(meaning) is None:
            return False
        return any(
            top_level_package(base) in FRAMEWORKS
            for base in self._project.library_bases(meaning.name)
        )

    @staticmethod
    def _is_receiver(node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id in ("self", "cls")


MOST_FILES = 20
_ASIDE = re.compile(r"(^|/)(tests/|(conftest|setup|noxfile)\.py$|docs?/conf\.py$)")
_UNREAL = frozenset({"abstractmethod", "overload"})


class FrameworkTargetSelection:
    """The targets among the functions that use a framework."""

    def __init__(self, files: Files, near: FrameworkFiles) -> None:
        self._files = files
        self._near = near
        self._project = NameResolver(files)
        self._touching: dict[str, bool] = {}
        self.uses = cache(self._uses)
        self.said = cache(lambda path: file_annotations(files.sources[path]))

    def _uses(self, unit: CodeUnit) -> FrameworkUses:
        visit = _Visit(self._project, unit)
        visit.run()
        return visit.found

    def units(self, path: str) -> list[CodeUnit]:
        """The functions of a file, and its code outside them."""
        found = self._project.parsed(path)
        return list(found.units.values()) if found is not None else []

    def reach(self, unit: CodeUnit) -> Iterator[CodeUnit]:
        """A function and those of the project that it calls, nearest first."""
        known = {unit.id}
        waiting = deque([unit])
        while waiting:
            each = waiting.popleft()
            yield each
            for other in self.uses(each).units.values():
                if other.id not in known:
                    known.add(other.id)
                    waiting.append(other)

    def touches(self, unit: CodeUnit) -> bool:
        """Return whether a function uses a framework, itself or through what it calls."""
        if unit.id not in self._touching:
            self._touching[unit.id] = any(
                self._touching.get(each.id, False)
                or self.uses(each).framework
                or (self.uses(each).numeric and each.path in self._near.numeric)
                for each in self.reach(unit)
            )
        return self._touching[unit.id]

    def _is_annotated(self, unit: CodeUnit) -> bool:
        said = self.said(unit.path)
        parsed = self._project.parsed(unit.path)
        alone = unit.name == MODULE and parsed is not None and MAIN not in parsed.units
        main = unit.name == MAIN or alone
        return unit.name in said.functions or (said.module_test and main)

    def changed(self, changes: ChangeSet, known: Collection[str]) -> frozenset[str]:
        """The outermost functions that a change touches.

        ``known`` are the ids that differ in their syntax, or use a name that
        does; beside them count other annotations, and methods that read what
        a constructor sets otherwise.
        """
        attributes: dict[str, frozenset[str]] = {}
        found = set(known)
        for change in changes.changes:
            if change.path not in self._near.changed or change.deleted:
                continue
            before = changes.base_sources.get(change.old_path or change.path)
            if before is None:
                continue
            said = file_definitions.changed_annotations(
                self.said(change.path), file_annotations(before)
            )
            found |= {f"{change.path}::{name}" for name in said}
            head = self._project.parsed(change.path)
            if head is not None:
                attributes |= file_definitions.altered_attributes(
                    head, ParsedFile.of(change.path, before)
                )
        found |= set(self._readers(attributes)) if attributes else set()
        return frozenset(outermost(each) for each in found)

    def _readers(self, attributes: dict[str, frozenset[str]]) -> Iterator[str]:
        for path in self._near.testable:
            for unit in self.units(path):
                if unit.owner is None or unit.node is None:
                    continue
                owners = self._project.lineage(f"{path}::{unit.owner}")
                wanted = [attributes[each.name] for each in owners if each.name in attributes]
                read = file_definitions.self_attributes(unit.node, ast.Load)
                if any(read & each for each in wanted):
                    yield unit.id

    def targets(self, changed: Collection[str], *, everything: bool) -> tuple[Target, ...]:
        """The targets, by path and line."""
        chosen: dict[str, tuple[CodeUnit, Reason]] = {}
        others: list[CodeUnit] = []
        for unit in self._candidates():
            if everything or unit.id in changed:
                chosen[unit.id] = (unit, Reason.CHANGED)
            else:
                others.append(unit)
        hidden = {each for each in changed if each not in chosen}
        for unit in others if hidden else ():
            if hidden & {*self.uses(unit).units, *self._generators(unit)}:
                chosen[unit.id] = (unit, Reason.CALLS_CHANGED)
        return tuple(
            sorted(
                (self.target(unit, reason) for unit, reason in chosen.values()),
                key=lambda target: (target.path, target.line, target.id),
            )
        )

    def _candidates(self) -> Iterator[CodeUnit]:
        for path in sorted(self._near.testable):
            if _ASIDE.search(path) or bool(
                TEST_FILE.search(path) and TEST_CODE.search(self._files.sources[path])
            ):
                continue
            for unit in self.units(path):
                if self._is_testable(unit) and (self._is_annotated(unit) or self.touches(unit)):
                    yield unit

    def _is_testable(self, unit: CodeUnit) -> bool:
        if unit.name in self.said(unit.path).kept_out:
            return False
        if unit.name == MODULE:
            return self._is_annotated(unit)
        return not (
            unit.decorators & _UNREAL
            or (unit.node is not None and all(_is_placeholder(node) for node in unit.body))
        )

    def _generators(self, unit: CodeUnit) -> set[str]:
        names = self.said(unit.path).generators.get(unit.name, ())
        found = (
            self._project.unit_of(each)
            for name in names
            for each in self._project.exported(unit.path, name)
        )
        return {each.id for each in found if each is not None}

    def named(self, only: Collection[str]) -> tuple[Target, ...]:
        """The targets for ids that a person gave: numbers are enough there."""
        found: dict[str, CodeUnit] = {}
        for entry in only:
            path, _, function = entry.partition("::")
            parsed = self._project.parsed(path) if path in self._files.paths else None
            unit = parsed.units.get(outermost(function)) if parsed is not None else None
            if unit is None:
                continue
            if self._is_annotated(unit) or self.touches(unit) or self.uses(unit).numeric:
                found[unit.id] = unit
        return tuple(self.target(unit, Reason.CHANGED) for unit in found.values())

    def target(self, unit: CodeUnit, reason: Reason) -> Target:
        """The target for one function."""
        calls: list[ApiCall] = []
        files = [unit.path]
        for each in self.reach(unit):
            calls += self.uses(each).calls
            files += [each.path] if each.path not in files else []
        if unit.node is not None:
            line, end_line = unit.node.lineno, unit.node.end_lineno or unit.node.lineno
        else:
            line = unit.body[0].lineno if unit.name == MAIN else 1
            end_line = max(1, len(self._files.sources[unit.path].splitlines()))
        order = sorted(set(calls), key=lambda call: (call.path, call.line, call.api))
        return Target(
            path=unit.path,
            function=unit.name,
            line=line,
            end_line=end_line,
            reason=reason,
            calls=tuple(order),
            files=tuple(sorted(files[:MOST_FILES])),
        )


def _is_placeholder(node: ast.stmt) -> bool:
    if isinstance(node, ast.Raise):
        return node.exc is not None and "NotImplementedError" in ast.dump(node.exc)
    constant = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return constant or isinstance(node, ast.Pass)
