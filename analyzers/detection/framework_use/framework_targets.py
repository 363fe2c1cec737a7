"""Functions that use a framework and are worth testing."""

from __future__ import annotations

import ast
import re
import time
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from math import inf

from analyzers.detection.dataflow.api_targets import TEST_CODE
from analyzers.detection.file_facts import FRAMEWORKS, NUMERIC, imports_any, top_level_package
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
from analyzers.detection.framework_use.inherited_methods import InheritedMethods
from analyzers.detection.framework_use.name_resolver import CALLED, NameResolver
from analyzers.detection.framework_use.name_scopes import (
    LexicalScope,
    ResolvedName,
    parse_string_annotation,
)
from analyzers.detection.import_graph import Files, FrameworkFiles
from analyzers.detection.python_syntax import MAIN, MODULE
from analyzers.vocabulary import ApiCall, ChangeSet, Reason, Target
from analyzers.vocabulary.test_files import is_test_file

_TYPES = FRAMEWORKS | {"jaxtyping"}
_ARRAYS = frozenset({"Array", "ArrayLike", "KerasTensor", "NDArray", "Tensor", "ndarray"})
"""Types of arrays, which a project may define itself to take those of several libraries."""
_DOCUMENTED = re.compile(
    r":\s*(?:an? |the )?(?:np\.|numpy\.|torch\.)?(?:ndarray|array[-_ ]like|[Tt]ensor)\b"
)
"""A parameter or result that a docstring says to be an array."""
_NAMED_SO = frozenset({"tensor", "tensors"})
_ALONG = frozenset({"axis", "dim", "keepdim", "keepdims"})
_TENSOR_METHODS = frozenset(
    {
        "abs", "argmax", "argmin", "argsort", "chunk", "clamp", "contiguous", "cumsum", "detach",
        "div", "einsum", "exp", "expand", "flatten", "float", "gather", "log", "log_softmax",
        "masked_fill", "masked_select", "matmul", "mean", "movedim", "mul", "norm", "numel",
        "permute", "prod", "relu", "repeat_interleave", "requires_grad_", "reshape", "scatter",
        "sigmoid", "softmax", "sqrt", "squeeze", "std", "sum", "tanh", "topk", "transpose",
        "type_as", "unbind", "unsqueeze", "var", "view",
    }
)  # fmt: skip
"""Methods of tensors that no value of the standard library has."""
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
    of a library for numbers; ``tensors``: a method that tensors alone have is
    called on a parameter.  A docstring that names arrays counts as the last two.
    """

    calls: list[ApiCall] = field(default_factory=list[ApiCall])
    units: dict[str, CodeUnit] = field(default_factory=dict[str, CodeUnit])
    framework: bool = False
    numeric: bool = False
    tensors: bool = False


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
        at = unit.definition or unit
        outside = self._project.scope(at.path)
        self._header(node, outside, at.name)
        self._body(node.body, scope, at.name)
        if _DOCUMENTED.search(ast.get_docstring(node, clean=False) or ""):
            self.found.numeric = self.found.tensors = True
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
                self.found.tensors |= self._is_tensor_method(node) or self._has_axis(node)
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
        self.found.framework |= any(arg.arg in _NAMED_SO for arg in parameters(node))
        said = [arg.annotation for arg in parameters(node)]
        for annotation in (*said, node.returns):
            self._annotation(annotation, scope)

    def _annotation(self, node: ast.expr | None, scope: LexicalScope) -> None:
        for each in ast.walk(node) if node is not None else ():
            if isinstance(each, ast.Name | ast.Attribute):
                self._reference(each, scope)
                self.found.framework |= ast.unparse(each).rpartition(".")[2] in _ARRAYS
            elif isinstance(each, ast.Constant) and isinstance(each.value, str):
                self._annotation(parse_string_annotation(each.value), scope)

    def _call(self, node: ast.Call, scope: LexicalScope, name: str) -> None:
        for each in sorted(scope.of(node.func), key=lambda each: each.name):
            if not each.own:
                if (
                    top_level_package(each.name) in FRAMEWORKS
                    and each.name.rpartition(".")[2] not in _UNSAID
                ):
                    path = (self._unit.definition or self._unit).path
                    self.found.calls.append(ApiCall(each.name, path, name, node.lineno))
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

    @cached_property
    def _given(self) -> frozenset[str]:
        """The parameters, and the local names for what is computed of them."""
        node = self._unit.node
        found = {arg.arg for arg in parameters(node)} if node is not None else set[str]()
        found -= {"self", "cls"}
        for each in ast.walk(node) if node is not None else ():
            if isinstance(each, ast.Assign) and found & _roots(each.value):
                found |= {target.id for target in each.targets if isinstance(target, ast.Name)}
        return frozenset(found)

    def _is_tensor_method(self, call: ast.Call) -> bool:
        """Return whether a method of tensors is called on a parameter, or what is made of some."""
        function = call.func
        if not isinstance(function, ast.Attribute) or function.attr not in _TENSOR_METHODS:
            return False
        logs = function.attr == "log" and bool(call.args)
        return not logs and bool(self._given & _roots(function.value))

    def _has_axis(self, call: ast.Call) -> bool:
        """Return whether something is done along an axis of a parameter."""
        along = any(each.arg in _ALONG for each in call.keywords)
        return along and any(isinstance(e, ast.Name) and e.id in self._given for e in call.args)

    @staticmethod
    def _is_receiver(node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id in ("self", "cls")


def _roots(node: ast.expr) -> set[str]:
    """Return the names whose values arithmetic, items and methods are computed of."""
    match node:
        case ast.Name(id=name):
            return {name}
        case ast.BinOp(left=left, right=right):
            return _roots(left) | _roots(right)
        case ast.UnaryOp(operand=inner) | ast.Subscript(value=inner):
            return _roots(inner)
        case ast.Call(func=ast.Attribute(value=inner)):
            return _roots(inner)
        case _:
            return set()


MOST_FILES = 20
MOST_CHANGED, MOST_EXERCISING, MOST_KNOWN = 6, 2, 200
_ASIDE = re.compile(r"(^|/)(tests/|(conftest|setup|noxfile)\.py$|docs?/conf\.py$)")


class FrameworkTargetSelection:
    """The targets among the functions that use a framework."""

    def __init__(self, files: Files, near: FrameworkFiles, seconds: float = inf) -> None:
        self._files = files
        self._near = near
        self._seconds = seconds
        self._until = inf
        self.is_cut_short = False
        self._project = NameResolver(files)
        self._inherited = InheritedMethods(self._project, near.testable)
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
                or (self.uses(each).tensors and self._is_given_tensors(each.path))
                for each in self.reach(unit)
            )
        return self._touching[unit.id]

    def _is_given_tensors(self, path: str) -> bool:
        return path in self._near.helpers or imports_any(self._files.sources[path])

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
        """The targets, by path and line; others that run them are looked for within the time."""
        self._until = time.thread_time() + self._seconds
        chosen: dict[str, tuple[CodeUnit, Reason]] = {}
        others: list[CodeUnit] = []
        for unit in self._candidates():
            if everything or unit.id in changed:
                chosen[unit.id] = (unit, Reason.CHANGED)
            else:
                others.append(unit)
        if not everything:
            chosen |= {
                unit.id: (unit, Reason.CALLS_CHANGED)
                for unit in self._exercising([unit for unit, _ in chosen.values()], others)
            }
        hidden = {each for each in changed if each not in chosen}
        for unit in others if hidden else ():
            used = self.uses(unit).units
            if hidden & {*used, *self._generators(unit)}:
                chosen[unit.id] = (unit, Reason.CALLS_CHANGED)
            chosen |= {each: (used[each], Reason.CHANGED) for each in hidden & used.keys()}
        return tuple(
            sorted(
                (self.target(*each) for each in self._as_inherited(chosen).values()),
                key=lambda target: (target.path, target.line, target.id),
            )
        )

    def _as_inherited(
        self, chosen: Mapping[str, tuple[CodeUnit, Reason]]
    ) -> dict[str, tuple[CodeUnit, Reason]]:
        """Return the functions, with subclasses' methods for those that base classes cannot run."""
        found: dict[str, tuple[CodeUnit, Reason]] = {}
        for name, (unit, reason) in chosen.items():
            annotated = self._is_annotated(unit)
            standing = () if annotated else self._inherited.standing_for(unit)
            found |= {each.id: (each, Reason.CALLS_CHANGED) for each in standing}
            if not standing:
                found[name] = (unit, reason)
        return found

    def _exercising(
        self, changed: Sequence[CodeUnit], others: Sequence[CodeUnit]
    ) -> Iterator[CodeUnit]:
        """Yield public code that runs changed code, above all what nobody calls by itself.

        A layer is run by the models that build it, a private function by public ones: the
        nearest of them, and one that nothing else here uses.  A method is run by the one of a
        base class that calls it.
        """
        inner = sorted(changed, key=lambda unit: unit.owner is None and not _is_private(unit))
        if not inner or len(changed) > MOST_CHANGED:
            return
        callers: dict[str, list[CodeUnit]] = {}
        for unit in others:
            for used in self.uses(unit).units:
                callers.setdefault(used, []).append(unit)
        usable = {
            unit.id
            for unit in others
            if not (_is_private(unit) or unit.name.endswith(".__init__") or self._is_applied(unit))
        }
        found: dict[str, CodeUnit] = {}
        for unit in inner:
            found |= {each.id: each for each in self._inherited.calling(unit)}
            reached = [each for each in self._above(unit, callers) if each.id in usable]
            found |= {each.id: each for each in (*reached[:1], *reached[-1:])}
        yield from list(found.values())[:MOST_EXERCISING]

    def _is_applied(self, unit: CodeUnit) -> bool:
        """Return whether autograd calls a method, with a context that nobody else makes."""
        bases = self._project.library_bases(f"{unit.path}::{unit.owner}") if unit.owner else ()
        return any(base.endswith("autograd.Function") for base in bases)

    def _above(self, unit: CodeUnit, callers: dict[str, list[CodeUnit]]) -> list[CodeUnit]:
        """Return what calls a function or builds its class, nearest first."""
        known, found = {unit.id}, list[CodeUnit]()
        waiting = deque([unit])
        while waiting and len(known) < MOST_KNOWN:
            each = waiting.popleft()
            built = callers.get(f"{each.path}::{each.owner}.__init__", ())
            models = [self._run_by(caller) for caller in built if caller.owner is not None]
            last = each.name.rpartition(".")[2]
            direct = () if last == "__init__" else callers.get(each.id, ())
            for caller in (*direct, *models):
                if last in CALLED and caller.owner == each.owner:
                    continue
                if caller.id not in known and caller.name not in (MAIN, MODULE):
                    known.add(caller.id)
                    found.append(caller)
                    waiting.append(caller)
        return found

    def _run_by(self, unit: CodeUnit) -> CodeUnit:
        """Return the method that runs where an instance is called, for a constructor."""
        parsed = self._project.parsed(unit.path)
        if unit.owner is None or not unit.name.endswith(".__init__") or parsed is None:
            return unit
        names = (f"{unit.owner}.{name}" for name in CALLED)
        return next((parsed.units[name] for name in names if name in parsed.units), unit)

    def _candidates(self) -> Iterator[CodeUnit]:
        """Yield what may be a target, in changed files first; in others while there is time."""
        changed = self._near.changed
        for path in sorted(self._near.testable, key=lambda path: (path not in changed, path)):
            if _ASIDE.search(path) or bool(
                is_test_file(path) and TEST_CODE.search(self._files.sources[path])
            ):
                continue
            self.is_cut_short = path not in changed and time.thread_time() > self._until
            if self.is_cut_short:
                return
            for unit in self.units(path):
                if self._is_testable(unit) and (self._is_annotated(unit) or self.touches(unit)):
                    yield unit

    def _is_testable(self, unit: CodeUnit) -> bool:
        if unit.name in self.said(unit.path).kept_out:
            return False
        if unit.name == MODULE:
            return self._is_annotated(unit)
        return not unit.is_placeholder

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
            unit = unit or self._inherited.named(path, function)
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
            path = (each.definition or each).path
            files += [path] if path not in files else []
        if unit.definition is not None and unit.definition.path != unit.path:
            line, end_line = self._inherited.lines(unit)
        elif unit.node is not None:
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


def _is_private(unit: CodeUnit) -> bool:
    parts = unit.name.split(".")
    return any(part.startswith("_") and not part.endswith("__") for part in parts)
