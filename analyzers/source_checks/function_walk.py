"""A walk through a function in the order of its text, with the conditions that guard each place."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from analyzers.source_checks.answer_values import (
    FUNCTIONS,
    AnswerValue,
    AnswerValues,
    FileScope,
    Function,
    Root,
)
from analyzers.source_checks.caught_exceptions import BROAD, catches, caught_by, passes_on
from analyzers.source_checks.unbound_names import leaves

_TRIES = tuple(getattr(ast, name) for name in ("Try", "TryStar") if hasattr(ast, name))


@dataclass(frozen=True, slots=True)
class _Handlers:
    """The exceptions that handlers keep, and the number of loops around their ``try``."""

    caught: frozenset[str]
    loops: int


class FunctionWalk:
    """Visits every expression of a function that runs with it.

    ``values`` are those bound where the walk is; ``guards`` are the conditions that hold there,
    or that have left the function where they did not; ``returned`` is what the function returns.
    """

    def __init__(self, scope: FileScope, function: Function | None) -> None:
        self.values = AnswerValues(scope, function)
        self.guards: list[ast.expr] = []
        self.derived: dict[str, AnswerValue] = {}
        self.returned: list[AnswerValue | None] = []
        self._function = function
        self._scope = scope
        self._handlers: list[_Handlers] = []
        self._loops: list[bool] = []

    def expressions(self) -> Iterator[ast.AST]:
        """Yield the expressions and loops of the function, each when the walk is at it."""
        body = self._function.body if self._function else self._scope.tree.body
        yield from self._block(body)

    def is_caught(self, exception: str, *, each_time: bool = False) -> bool:
        """Return whether a handler around the place where the walk is keeps an exception.

        Of one that is raised ``each_time`` a handler for everything takes no account, where it is
        around all of a stream: it turns every answer into a failure.
        """
        stream = max((n for n, known in enumerate(self._loops) if known), default=-1)
        return any(
            catches(each.caught, exception)
            and not (each_time and each.caught <= BROAD and each.loops <= stream)
            for each in self._handlers
        )

    # ------------------------------------------------------------ statements

    def _block(self, body: Sequence[ast.stmt]) -> Iterator[ast.AST]:
        for statement in body:
            yield from self._statement(statement)

    def _statement(self, node: ast.stmt) -> Iterator[ast.AST]:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                self._unbind(node.name)
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
                yield from self._assignment(node)
            case ast.Return(value=value):
                if value is not None:
                    yield from self._expression(value)
                self.returned.append(self.values.of(value) if value is not None else None)
            case ast.Assert(test=test):
                yield from self._expression(test)
                self.guards.append(test)
            case _:
                yield from self._compound(node)

    def _assignment(self, node: ast.Assign | ast.AnnAssign | ast.AugAssign) -> Iterator[ast.AST]:
        if node.value is not None:
            yield from self._expression(node.value)
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    yield from self._bind(target, value)
            case ast.AnnAssign(target=target, annotation=hint, value=value):
                if value is not None:
                    yield from self._bind(target, value)
                known = self._scope.annotated(hint)
                if known is not None and isinstance(target, ast.Name):
                    self.names.setdefault(target.id, known)
            case ast.AugAssign(target=target, value=value):
                yield node
                self._derive(target, value)

    def _compound(self, node: ast.stmt) -> Iterator[ast.AST]:
        match node:
            case ast.For() | ast.AsyncFor():
                yield from self._loop(node)
            case ast.While(test=test, body=body, orelse=orelse):
                yield from self._expression(test)
                self._loops.append(False)
                yield from self._branches(test, body, [])
                self._loops.pop()
                yield from self._block(orelse)
            case ast.If(test=test, body=body, orelse=orelse):
                yield from self._expression(test)
                yield from self._branches(test, body, orelse)
            case ast.With() | ast.AsyncWith():
                yield from self._with(node)
            case ast.Match(subject=subject, cases=cases):
                yield from self._expression(subject)
                yield from self._cases(subject, cases)
            case _ if isinstance(node, _TRIES):
                yield from self._try(node)
            case _:
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.expr):
                        yield from self._expression(child)

    @property
    def names(self) -> dict[str, AnswerValue]:
        """The values that names hold where the walk is."""
        return self.values.names

    def _loop(self, node: ast.For | ast.AsyncFor) -> Iterator[ast.AST]:
        yield from self._expression(node.iter)
        yield node
        before = dict(self.names)
        self._bind_element(node.target, node.iter)
        self._loops.append(any(name in self.names for name in _targets(node.target)))
        yield from self._block(node.body)
        self._loops.pop()
        self._merge(before)
        yield from self._block(node.orelse)

    def _branches(
        self, test: ast.expr, body: Sequence[ast.stmt], orelse: Sequence[ast.stmt]
    ) -> Iterator[ast.AST]:
        before, depth = dict(self.names), len(self.guards)
        ends: list[dict[str, AnswerValue]] = []
        leaves = False
        for block in (body, orelse):
            self.values.names = dict(before)
            self.guards.append(test)
            yield from self._block(block)
            inner = self.guards[depth:]
            del self.guards[depth:]
            if _leaves(block):
                leaves = True
            else:
                ends.append(self.names)
            # what an inner test has guarded, it guards also after this one
            self.guards += [each for each in inner if each is not test and _leaves(block)]
        self.values.names = ends[0] if ends else before
        for other in ends[1:]:
            self._merge(other)
        if leaves:
            self.guards.append(test)

    def _with(self, node: ast.With | ast.AsyncWith) -> Iterator[ast.AST]:
        depth = len(self._handlers)
        for item in node.items:
            yield from self._expression(item.context_expr)
            called = item.context_expr
            if isinstance(called, ast.Call):
                name = ast.unparse(called.func).rpartition(".")[2]
                if name in ("suppress", "raises", "assertRaises"):
                    self._handlers.append(_Handlers(BROAD | {name}, len(self._loops)))
            if item.optional_vars is not None:
                yield from self._bind(item.optional_vars, item.context_expr)
        yield from self._block(node.body)
        del self._handlers[depth:]

    def _cases(self, subject: ast.expr, cases: Sequence[ast.match_case]) -> Iterator[ast.AST]:
        before = dict(self.names)
        self.guards.append(subject)
        for case in cases:
            self.values.names = dict(before)
            for bound in ast.walk(case.pattern):
                self._unbind(getattr(bound, "name", None) or "")
            yield from self._block(case.body)
        self.values.names = before

    def _try(self, node: ast.stmt) -> Iterator[ast.AST]:
        assert isinstance(node, ast.Try | ast.TryStar)
        before = dict(self.names)
        keeping = [caught_by(each) for each in node.handlers if not passes_on(each)]
        depth = len(self._handlers)
        self._handlers += (_Handlers(each, len(self._loops)) for each in keeping)
        yield from self._block(node.body)
        del self._handlers[depth:]
        yield from self._block(node.orelse)
        after = self.names
        for handler in node.handlers:
            self.values.names = dict(before)
            yield from self._block(handler.body)
            if not _leaves(handler.body):
                self._merge_into(after)
        self.values.names = after
        yield from self._block(node.finalbody)

    # ----------------------------------------------------------- expressions

    def _expression(self, node: ast.expr) -> Iterator[ast.AST]:
        match node:
            case ast.Lambda():
                return
            case ast.BoolOp(values=values):
                depth = len(self.guards)
                for value in values:
                    yield from self._expression(value)
                    self.guards.append(value)
                del self.guards[depth:]
            case ast.IfExp(test=test, body=body, orelse=orelse):
                yield from self._expression(test)
                self.guards.append(test)
                yield from self._expression(body)
                yield from self._expression(orelse)
                self.guards.pop()
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                yield from self._comprehension(node)
            case ast.NamedExpr(target=target, value=value):
                yield from self._expression(value)
                yield from self._bind(target, value)
            case _:
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.expr):
                        yield from self._expression(child)
                    elif isinstance(child, ast.keyword):
                        yield from self._expression(child.value)
        yield node

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
    ) -> Iterator[ast.AST]:
        before, depth = dict(self.names), len(self.guards)
        for part in node.generators:
            yield from self._expression(part.iter)
            yield part
            self._bind_element(part.target, part.iter)
            for test in part.ifs:
                yield from self._expression(test)
                self.guards.append(test)
        made = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
        for each in made:
            yield from self._expression(each)
        del self.guards[depth:]
        self.values.names = before

    # ----------------------------------------------------------------- names

    def _bind(self, target: ast.expr, value: ast.expr) -> Iterator[ast.AST]:
        if isinstance(target, ast.Name):
            known = self.values.of(value) or self._guessed(target, value)
            self._unbind(target.id)
            if known is not None:
                self.names[target.id] = known
            else:
                self._derive(target, value)
        elif isinstance(target, ast.Tuple | ast.List):
            for each in target.elts:
                self._derive(each, value)
        else:
            yield from self._expression(target)

    def _bind_element(self, target: ast.expr, iterated: ast.expr) -> None:
        if isinstance(target, ast.Tuple) and len(target.elts) == len(("index", "element")):
            match iterated:
                case ast.Call(func=ast.Name(id="enumerate"), args=[inner, *_]):
                    target, iterated = target.elts[1], inner
                case _:
                    pass
        known = self.values.element(iterated) or self._guessed(target, iterated)
        for name in _targets(target):
            self._unbind(name)
        if known is not None and isinstance(target, ast.Name):
            self.names[target.id] = known
        else:
            self._derive(target, iterated)

    def _guessed(self, target: ast.expr, value: ast.expr) -> AnswerValue | None:
        """Return what a name holds by its use, where what it is bound to is not known."""
        name = target.id if isinstance(target, ast.Name) else ""
        known = self.values.chunks.get(name)
        if known is None or isinstance(value, ast.Name):
            return known
        code = ast.unparse(value)
        taken = code.startswith(("next(", "anext(", "await anext(")) or code.endswith("next__()")
        return replace(known, root=Root(guessed=True)) if taken else None

    def _derive(self, target: ast.expr, value: ast.expr) -> None:
        """Note that names hold something that was made of an answer."""
        found = next(self.held(value), None)
        for name in _targets(target):
            if not isinstance(target, ast.Name) or name not in self.names:
                self._unbind(name)
            if found is not None:
                self.derived[name] = found

    def held(self, node: ast.AST) -> Iterator[AnswerValue]:
        """Yield the values within an expression, those that names were made of included."""
        for each in ast.walk(node):
            if isinstance(each, ast.Name):
                known = self.names.get(each.id) or self.derived.get(each.id)
                if known is not None:
                    yield known
            elif isinstance(each, ast.Call):
                known = self.values.of(each)
                if known is not None:
                    yield known

    def _unbind(self, name: str) -> None:
        self.names.pop(name, None)
        self.derived.pop(name, None)

    def _merge(self, other: dict[str, AnswerValue]) -> None:
        self._merge_into(self.names, other)

    def _merge_into(
        self, kept: dict[str, AnswerValue], other: dict[str, AnswerValue] | None = None
    ) -> None:
        found = self.names if other is None else other
        for name in [each for each in kept if kept[each] != found.get(each)]:
            del kept[name]


def _targets(target: ast.AST) -> list[str]:
    return [
        node.id
        for node in ast.walk(target)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]


def _leaves(block: Sequence[ast.stmt]) -> bool:
    """Return whether a block does not go on to what follows it."""
    last = block[-1] if block else None
    match last:
        case ast.Return() | ast.Raise() | ast.Continue() | ast.Break():
            return True
        case ast.Expr(value=ast.Call(func=called)):
            return leaves(called)
        case ast.If(body=body, orelse=orelse):
            return _leaves(body) and _leaves(orelse)
        case ast.With(body=body) | ast.AsyncWith(body=body):
            return _leaves(body)
        case _:
            return False


def functions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, Function]]:
    """Yield the functions of a file by their qualified names."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, FUNCTIONS):
            yield f"{prefix}{node.name}", node
            yield from functions(node, f"{prefix}{node.name}.<locals>.")
        elif isinstance(node, ast.ClassDef):
            yield from functions(node, f"{prefix}{node.name}.")
        elif isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield from functions(node, prefix)
