"""Meanings of the names and expressions of a function, as far as the text tells."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol

from analyzers.detection.framework_use.file_definitions import (
    FUNCTIONS,
    Definition,
    inner,
    parameters,
)


@dataclass(frozen=True, slots=True)
class ResolvedName:
    """The object that an expression refers to.

    ``name`` is the dotted name in a library, or where it is the project's
    ``own`` the ``path::Qualified.name`` of a definition or the path of a file.
    ``made``: it is a value that calling it gave, not the thing itself.
    """

    name: str
    own: bool = False
    made: bool = False


ResolvedNames = frozenset[ResolvedName]
UNKNOWN: ResolvedNames = frozenset()


class NameLookup(Protocol):
    """The questions that a scope asks of the project around it."""

    def imported(self, path: str, level: int, module: str, name: str | None) -> ResolvedNames:
        """Return what an import in a file brings."""
        ...

    def member(self, meaning: ResolvedName, name: str) -> ResolvedNames:
        """Return what an attribute stands for."""
        ...

    def result(self, meaning: ResolvedName) -> ResolvedNames:
        """Return what calling gives."""
        ...

    def bases(self, meaning: ResolvedName) -> ResolvedNames:
        """The bases of a class of the project."""
        ...


def parse_string_annotation(text: str) -> ast.expr | None:
    """An annotation that is written as a string."""
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


@dataclass(eq=False)
class LexicalScope:
    """The names of a function, or of a file where ``parent`` is missing."""

    around: NameLookup
    path: str
    parent: LexicalScope | None = None
    receiver: ResolvedNames = UNKNOWN
    bound: dict[str, list[Callable[[], ResolvedNames]]] = field(
        default_factory=dict[str, list[Callable[[], ResolvedNames]]]
    )
    _known: dict[str, ResolvedNames] = field(default_factory=dict[str, ResolvedNames])
    _asking: set[str] = field(default_factory=set[str])
    _elsewhere: set[str] = field(default_factory=set[str])

    def of(self, node: ast.expr | None) -> ResolvedNames:
        """Return what an expression stands for: each possibility that is known."""
        match node:
            case ast.Name():
                return self.name(node.id)
            case ast.Attribute():
                return self._joined(
                    self.around.member(each, node.attr) for each in self.of(node.value)
                )
            case ast.Call():
                return self._called(node)
            case _:
                return self._joined(map(self.of, _choices(node)))

    def name(self, name: str) -> ResolvedNames:
        """Return what a name stands for here."""
        if name not in self.bound or name in self._elsewhere:
            return self.parent.name(name) if self.parent is not None else UNKNOWN
        if name not in self._known:
            if name in self._asking:
                return UNKNOWN
            self._asking.add(name)
            found = [each() for each in self.bound[name]]
            doubtful = self.parent is not None and not all(found)  # a file has fallbacks
            self._known[name] = UNKNOWN if doubtful else self._joined(found)
            self._asking.discard(name)
        return self._known[name]

    def _called(self, node: ast.Call) -> ResolvedNames:
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not self.name("super"):
            first = self._receiver()
            bases = (base for each in first for base in self.around.bases(each))
            return frozenset(replace(base, made=True) for base in bases)
        found: list[ResolvedNames] = []
        for each in self.of(node.func):
            if each.name in _PASSING and node.args:
                found.append(self.of(node.args[0]))
            elif isinstance(node.func, ast.Attribute) and (
                each.name.startswith("torch.nn.") and node.func.attr in _FLUENT
            ):
                found.append(frozenset(m for m in self.of(node.func.value) if m.made))
            else:
                found.append(self.around.result(each))
        return self._joined(found)

    def _receiver(self) -> ResolvedNames:
        scope: LexicalScope | None = self
        while scope is not None:
            if scope.receiver:
                return scope.receiver
            scope = scope.parent
        return UNKNOWN

    @staticmethod
    def _joined(found: Iterable[ResolvedNames]) -> ResolvedNames:
        return UNKNOWN.union(*found)

    def take(self, body: Iterable[ast.stmt]) -> LexicalScope:
        """Bind what the statements of a body bind, not those inside functions."""
        for node in body:
            if isinstance(node, ast.Global | ast.Nonlocal):
                self._elsewhere.update(node.names)
            for name, meaning in self._binds(node):
                self.bound.setdefault(name, []).append(meaning)
            if not isinstance(node, (*FUNCTIONS, ast.ClassDef)):
                self.take(inner(node))
        return self

    def _binds(self, node: ast.stmt) -> Iterator[tuple[str, Callable[[], ResolvedNames]]]:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                own = frozenset({ResolvedName(f"{self.path}::{node.name}", own=True)})
                yield node.name, (lambda: own if self.parent is None else UNKNOWN)
            case ast.Import() | ast.ImportFrom():
                yield from self._imports(node)
            case ast.Assign():
                for target in node.targets:
                    yield from self._assigns(target, node.value)
            case ast.AnnAssign(target=ast.Name(id=name), value=value, annotation=said):
                yield name, lambda: self.of(value) or self.annotated(said)
            case ast.AugAssign(target=ast.Name(id=name)):
                yield name, lambda: UNKNOWN
            case ast.For() | ast.AsyncFor() | ast.With() | ast.AsyncWith():
                for target in _filled(node):
                    yield from self._assigns(target, None)
            case _:
                return

    def _assigns(
        self, target: ast.expr, value: ast.expr | None
    ) -> Iterator[tuple[str, Callable[[], ResolvedNames]]]:
        if isinstance(target, ast.Name):
            if not (isinstance(value, ast.Constant) and value.value is None):
                yield target.id, lambda: self.of(value)
        elif isinstance(target, ast.Tuple | ast.List):
            for each, part in zip(target.elts, _parts(value, len(target.elts)), strict=True):
                yield from self._assigns(each, part)
        elif isinstance(target, ast.Starred):
            yield from self._assigns(target.value, None)

    def _imports(
        self, node: ast.Import | ast.ImportFrom
    ) -> Iterator[tuple[str, Callable[[], ResolvedNames]]]:
        for alias in node.names:
            if isinstance(node, ast.ImportFrom):
                module, level = node.module or "", node.level
                yield alias.asname or alias.name, self._brings(level, module, alias.name)
            else:
                whole = alias.name if alias.asname else alias.name.partition(".")[0]
                yield alias.asname or whole, self._brings(0, whole, None)

    def _brings(self, level: int, module: str, name: str | None) -> Callable[[], ResolvedNames]:
        return lambda: self.around.imported(self.path, level, module, name)

    def enter(self, node: Definition, receiver: ResolvedNames = UNKNOWN) -> LexicalScope:
        """The scope inside a function; ``receiver`` is what its first parameter stands for."""
        scope = LexicalScope(self.around, self.path, self, receiver)
        given = node.args.posonlyargs + node.args.args
        if receiver and given:
            scope.bound[given[0].arg] = [lambda: receiver]
            given = given[1:]
        defaults = dict(zip(reversed(given), reversed(node.args.defaults), strict=False))
        defaults |= {
            arg: value
            for arg, value in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
            if value is not None
        }
        for arg in parameters(node):
            meaning = (
                partial(self.annotated, arg.annotation)
                if arg.annotation
                else partial(self.of, defaults.get(arg))
            )
            scope.bound.setdefault(arg.arg, [meaning])
        return scope.take(node.body)

    def annotated(self, node: ast.expr | None) -> ResolvedNames:
        """Return what a value of an annotated type stands for."""
        match node:
            case ast.Name() | ast.Attribute():
                found = self.of(node)
                return frozenset(replace(each, made=True) for each in found if not each.made)
            case ast.Constant(value=str(text)):
                return self.annotated(parse_string_annotation(text))
            case ast.BinOp(op=ast.BitOr()):
                return self.annotated(node.left) | self.annotated(node.right)
            case ast.Subscript():
                return self._subscripted(node)
            case _:
                return UNKNOWN

    def _subscripted(self, node: ast.Subscript) -> ResolvedNames:
        base = {each.name for each in self.of(node.value)}
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if base & {"typing.Optional", "typing.Union"}:
            return self._joined(map(self.annotated, parts))
        if "typing.Annotated" in base or any(name.startswith("jaxtyping.") for name in base):
            return self.annotated(parts[0])
        return UNKNOWN


_PASSING = frozenset(
    {"torch.compile", "torch.jit.script", "torch.jit.trace", "jax.jit", "jax.vmap", "jax.pmap"}
    | {"jax.checkpoint", "jax.remat", "functools.partial", "tensorflow.function", "typing.cast"}
)
_FLUENT = frozenset(
    {"to", "cuda", "cpu", "eval", "train", "half", "float", "double", "bfloat16"}
    | {"requires_grad_", "apply", "to_empty", "share_memory"}
)


def _filled(node: ast.For | ast.AsyncFor | ast.With | ast.AsyncWith) -> list[ast.expr]:
    if isinstance(node, ast.For | ast.AsyncFor):
        return [node.target]
    return [item.optional_vars for item in node.items if item.optional_vars is not None]


def _choices(node: ast.expr | None) -> list[ast.expr]:
    """The expressions of which a node's value is one."""
    match node:
        case ast.IfExp():
            return [node.body, node.orelse]
        case ast.BoolOp():
            return node.values
        case ast.Await() | ast.NamedExpr():
            return [node.value]
        case _:
            return []


def _parts(node: ast.expr | None, count: int) -> Sequence[ast.expr | None]:
    if isinstance(node, ast.Tuple | ast.List) and len(node.elts) == count:
        return node.elts
    return [None] * count
