"""What a function uses itself: framework calls, functions of the project, numbers."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

from analyzers.detection.cst_modules import MAIN, MODULE
from analyzers.detection.framework_use.file_definitions import (
    FUNCTIONS,
    LOCALS,
    CodeUnit,
    parameters,
)
from analyzers.detection.framework_use.name_resolver import NameResolver
from analyzers.detection.framework_use.name_scopes import (
    LexicalScope,
    ResolvedName,
    parse_string_annotation,
)
from analyzers.detection.import_graph import FRAMEWORKS, NUMERIC, top_level_package
from analyzers.vocabulary import ApiCall

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


def framework_uses(project: NameResolver, unit: CodeUnit) -> FrameworkUses:
    """What a function uses."""
    visit = _Visit(project, unit)
    visit.run()
    return visit.found


class _Visit:
    """One walk through a function, and through those inside it."""

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
        self._owned(unit)

    def _owned(self, unit: CodeUnit) -> None:
        """A method of a framework's class has to do with it, whatever it does."""
        if unit.owner is None or unit.name.rpartition(".")[2] in _TRIVIAL:
            return
        bases = self._project.library_bases(f"{unit.path}::{unit.owner}")
        self.found.framework |= any(top_level_package(base) in FRAMEWORKS for base in bases)

    def _body(self, body: Sequence[ast.stmt], scope: LexicalScope, name: str) -> None:
        for node in body:
            self._visit(node, scope, name)

    def _visit(self, node: ast.AST, scope: LexicalScope, name: str) -> None:
        if isinstance(node, FUNCTIONS):
            self._definition(node, scope, name)
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

    def _definition(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: LexicalScope, name: str
    ) -> None:
        if name in (MODULE, MAIN):
            return
        inside = f"{name}{LOCALS}{node.name}"
        self._header(node, scope, name)
        self._body(node.body, scope.enter(node), inside)

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

    # ---------------------------------------------------------- the uses

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
