"""The conditions that a function's own refusals put on its arguments, in clauses."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from analyzers.inference.constraint_sources.module_scope import ModuleScope

_MOST = 24
_EXITS = ("sys.exit", "exit", "quit", "os._exit")
_ASSERTS = (
    "torch._assert",
    "torch._check",
    "torch._check_value",
    "tensorflow.debugging.assert_true",
)
_SAME = {
    "lower", "strip", "contiguous", "to", "float", "double", "cuda", "cpu", "clone", "copy",
    "detach", "astype", "upper",
}  # fmt: skip
"""Methods after which a value still has the shape, and the word, that it had."""
_CONVERTING = ("asarray", "array", "as_tensor", "tensor", "ascontiguousarray", "from_numpy")
_INVERSE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class GuardClause:
    """Conditions of which at least one holds for valid arguments; ``line`` is the refusal's."""

    options: tuple[ast.expr, ...]
    line: int


@dataclass(slots=True)
class GuardClauses:
    """Reads a function's body for what it refuses: ``raise``, ``assert``, leaving with an error.

    Local names stand for what they were assigned; a parameter that was
    assigned anew is none any more, but on the path where it was not.
    """

    scope: ModuleScope
    parameters: frozenset[str]
    unpacked: list[tuple[ast.expr, list[str], int]] = field(
        default_factory=list[tuple[ast.expr, list[str], int]]
    )
    _locals: dict[str, ast.expr | None] = field(default_factory=dict[str, ast.expr | None])
    _unless: dict[str, ast.expr] = field(default_factory=dict[str, ast.expr])

    def of(self, body: Sequence[ast.stmt]) -> Iterator[GuardClause]:
        """The clauses of a body; shapes that are unpacked are noted in ``unpacked``."""
        yield from self._block(body, [])

    def _block(self, body: Sequence[ast.stmt], path: list[ast.expr]) -> Iterator[GuardClause]:
        """Clauses of statements that are reached where all of ``path`` holds."""
        here = list(path)
        for node in body:
            if isinstance(node, ast.If):
                yield from self._if(node, here)
            elif isinstance(node, ast.With):
                yield from self._block(node.body, here)
            elif isinstance(node, ast.Match):
                yield from self._match(node, here)
            elif isinstance(node, ast.Return):
                return
            else:
                called = node.value if isinstance(node, ast.Expr) else None
                holds = node.test if isinstance(node, ast.Assert) else None
                if isinstance(called, ast.Call) and self.scope.dotted(called.func) in _ASSERTS:
                    holds = called.args[0] if called.args else None
                if holds is not None:
                    yield from self._clauses([*map(negated, here), self._seen(holds)], node.lineno)
                elif isinstance(node, ast.Raise):
                    yield from self._clauses([negated(each) for each in here], node.lineno)
                else:
                    self._assign(node)

    def _if(self, node: ast.If, path: list[ast.expr]) -> Iterator[GuardClause]:
        """Both branches; what follows is reached without the test where its branch leaves."""
        test, left = self._seen(node.test), [*self._left(node)]
        chained = bool(node.orelse) and isinstance(node.orelse[0], ast.If)
        never = _refuses(node.body, self.scope)
        always = not chained and _refuses(node.orelse, self.scope)
        if never:
            yield from self._clauses([*map(negated, path), negated(test)], node.lineno)
        else:
            yield from self._branch(node.body, path if always else [*path, test])
        if always:
            yield from self._clauses([*map(negated, path), test], node.orelse[0].lineno)
        else:
            yield from self._branch(node.orelse, path if never else [*path, negated(test)])
        for branch, holds in ((node.body, test), (node.orelse, negated(test))):
            for name in _assigned(branch):
                known = name in self._unless or name in self._locals
                if name in self.parameters and not known:
                    self._unless[name] = holds
                else:
                    self._locals[name] = None
        path += left

    def _left(self, node: ast.If) -> Iterator[ast.expr]:
        """Yield what holds behind a chain of branches that leave, each without an error."""
        tests: list[ast.If] = [node]
        while _leaves(tests[-1].body) and len(tests[-1].orelse) == 1:
            following = tests[-1].orelse[0]
            if not isinstance(following, ast.If):
                break
            tests.append(following)
        for each in tests:
            if _leaves(each.body) and not _refuses(each.body, self.scope):
                yield negated(self._seen(each.test))

    def _branch(self, body: Sequence[ast.stmt], path: list[ast.expr]) -> Iterator[GuardClause]:
        before, unless = dict(self._locals), dict(self._unless)
        count = len(self.unpacked)
        yield from self._block(body, path)
        del self.unpacked[count:]
        self._locals, self._unless = before, unless

    def _match(self, node: ast.Match, path: list[ast.expr]) -> Iterator[GuardClause]:
        """A ``match`` as the chain of tests for equality that it is, where it is no more."""
        tests: list[ast.expr] = []
        for case in node.cases:
            test = _matched(node.subject, case)
            if test is None:
                return
            seen = self._seen(test)
            whole = isinstance(seen, ast.Constant)
            here = [*path, *map(negated, tests), *([] if whole else [seen])]
            yield from self._branch(case.body, here)
            tests.append(seen)

    def _assign(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            self._bind(node.targets[0], node.value)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            self._bind(node.target, node.value)
        else:
            for name in _assigned([node]):
                self._locals[name] = None

    def _bind(self, target: ast.expr, value: ast.expr) -> None:
        seen = self._seen(value)
        if isinstance(target, ast.Name):
            if not _is_same(seen, target.id):
                self._locals[target.id] = seen
        elif isinstance(target, ast.Tuple):
            self._unpack(target, seen)
        else:
            for name in _assigned([ast.Expr(target)]):
                self._locals[name] = None

    def _unpack(self, target: ast.Tuple, value: ast.expr) -> None:
        names = [each.id if isinstance(each, ast.Name) else "" for each in target.elts]
        pairs = value.elts if isinstance(value, ast.Tuple) else []
        shape = isinstance(value, ast.Attribute) and value.attr == "shape"
        for place, name in enumerate(names):
            if not name:
                break
            if len(pairs) == len(names):
                self._locals[name] = pairs[place]
            else:
                at = ast.Subscript(value, ast.Constant(place), ast.Load())
                self._locals[name] = at if shape else None
        if shape and all(names) and isinstance(value, ast.Attribute):
            self.unpacked.append((value.value, names, getattr(target, "lineno", 0)))

    def _seen(self, node: ast.expr) -> ast.expr:
        copied = ast.parse(ast.unparse(node), mode="eval").body
        seen: ast.expr = _Substituting(self._locals).visit(copied)
        return seen

    def _clauses(self, options: Sequence[ast.expr], line: int) -> Iterator[GuardClause]:
        """The clauses of a disjunction, each with the paths on which a parameter is another."""
        sums = [_normal(option) for option in options]
        count = 1
        for each in sums:
            count *= max(1, len(each))
        if count > _MOST:
            return
        for chosen in itertools.product(*sums):
            flat = [literal for clause in chosen for literal in clause]
            names = {name for each in flat for name in names_in(each)}
            flat += [holds for name, holds in self._unless.items() if name in names]
            if UNKNOWN not in {name for each in flat for name in names_in(each)}:
                yield GuardClause(tuple({ast.dump(each): each for each in flat}.values()), line)


UNKNOWN = "__unknown__"


class _Substituting(ast.NodeTransformer):
    def __init__(self, known: dict[str, ast.expr | None]) -> None:
        self._known = known

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in self._known:
            return node
        return self._known[node.id] or ast.Name(UNKNOWN, ast.Load())

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """``x.size(i)`` is ``x.shape[i]``, ``x.dim()`` is ``x.ndim``."""
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and not node.keywords:
            owner = node.func.value
            if node.func.attr == "size" and len(node.args) <= 1:
                shape = ast.Attribute(owner, "shape", ast.Load())
                return ast.Subscript(shape, node.args[0], ast.Load()) if node.args else shape
            if node.func.attr in ("dim", "ndimension") and not node.args:
                return ast.Attribute(owner, "ndim", ast.Load())
        return node


def names_in(node: ast.expr) -> set[str]:
    """The plain names in an expression."""
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def negated(node: ast.expr) -> ast.expr:
    """The condition that holds where ``node`` does not."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return node.operand
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return ast.Compare(node.left, [_INVERSE[type(node.ops[0])]()], node.comparators)
    return ast.UnaryOp(ast.Not(), node)


def _normal(node: ast.expr) -> list[list[ast.expr]]:
    """A condition as clauses that all hold, each of literals of which one holds."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return _negative(node.operand)
    if isinstance(node, ast.BoolOp):
        parts = [_normal(each) for each in node.values]
        return _both(parts) if isinstance(node.op, ast.And) else _one_of(parts)
    if isinstance(node, ast.Compare) and len(node.ops) > 1:
        return [[each] for each in _links(node)]
    return [[_identity(node)]]


def _negative(node: ast.expr) -> list[list[ast.expr]]:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return _normal(node.operand)
    if isinstance(node, ast.BoolOp):
        parts = [_negative(each) for each in node.values]
        return _one_of(parts) if isinstance(node.op, ast.And) else _both(parts)
    if isinstance(node, ast.Compare) and len(node.ops) > 1:
        return [[negated(each) for each in _links(node)]]
    return [[_identity(negated(node))]]


def _identity(node: ast.expr) -> ast.expr:
    """``x is None`` of ``x == None``, ``a % b == 0`` of ``not a % b``."""
    inner = node.operand if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) else node
    if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Mod):
        op = ast.NotEq() if inner is node else ast.Eq()
        return ast.Compare(inner, [op], [ast.Constant(0)])
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
        right = node.comparators[0]
        if isinstance(right, ast.Constant) and right.value is None:
            same = ast.Is() if isinstance(node.ops[0], ast.Eq) else ast.IsNot()
            return ast.Compare(node.left, [same], [right])
    return node


def _links(node: ast.Compare) -> list[ast.expr]:
    ends = [node.left, *node.comparators]
    return [
        ast.Compare(left, [op], [right])
        for left, op, right in zip(ends, node.ops, ends[1:], strict=False)
    ]


def _both(parts: list[list[list[ast.expr]]]) -> list[list[ast.expr]]:
    return [clause for part in parts for clause in part]


def _one_of(parts: list[list[list[ast.expr]]]) -> list[list[ast.expr]]:
    return [
        [literal for clause in chosen for literal in clause]
        for chosen in itertools.islice(itertools.product(*parts), _MOST)
    ]


def _refuses(body: Sequence[ast.stmt], scope: ModuleScope) -> bool:
    if not body or any(isinstance(each, (ast.If, ast.For, ast.While, ast.Try)) for each in body):
        return False
    last = body[-1]
    if isinstance(last, ast.Raise):
        return True
    called = last.value if isinstance(last, ast.Expr) else None
    if isinstance(called, ast.Call):
        name = scope.dotted(called.func)
        return name in _EXITS or name.endswith("parser.error")
    last = body[-1]
    if len(body) < 2 or not isinstance(last, ast.Return):
        return False
    value = ast.unparse(last.value) if last.value is not None else "None"
    calls = [each.value for each in body if isinstance(each, ast.Expr)]
    said = [ast.unparse(each.func) for each in calls if isinstance(each, ast.Call)]
    spoke = any(name == "print" or name.startswith(("log", "warnings.")) for name in said)
    return spoke and value in ("None", "False", "-1", "1")


def _leaves(body: Sequence[ast.stmt]) -> bool:
    if not body:
        return False
    last = body[-1]
    if isinstance(last, ast.If):
        return _leaves(last.body) and _leaves(last.orelse)
    return isinstance(last, (ast.Return, ast.Raise, ast.Continue, ast.Break))


def _assigned(body: Sequence[ast.stmt]) -> set[str]:
    return {
        node.id
        for statement in body
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def _is_same(value: ast.expr, name: str) -> bool:
    while isinstance(value, ast.Call):
        if isinstance(value.func, ast.Attribute) and value.func.attr in _SAME:
            value = value.func.value
        elif value.args and ast.unparse(value.func).rpartition(".")[2] in _CONVERTING:
            value = value.args[0]
        else:
            return False
    return isinstance(value, ast.Name) and value.id == name


def _matched(subject: ast.expr, case: ast.match_case) -> ast.expr | None:
    """The test that a case of a ``match`` makes; ``None`` for a pattern that is no value."""
    if case.guard is not None:
        return None
    pattern = case.pattern
    if isinstance(pattern, ast.MatchAs) and pattern.pattern is None:
        return ast.Constant(True)  # noqa: FBT003
    patterns = pattern.patterns if isinstance(pattern, ast.MatchOr) else [pattern]
    values = [each.value for each in patterns if isinstance(each, ast.MatchValue)]
    if len(values) != len(patterns):
        return None
    return ast.Compare(subject, [ast.In()], [ast.Tuple(values, ast.Load())])
