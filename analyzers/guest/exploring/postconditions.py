"""Postconditions: what is promised of a call, looked at once it has returned.

A condition is a Python expression over the arguments, ``result`` and the names
of the tested module, with the words ``old(E)`` (as it was before the call),
``finite(V)``, ``unchanged(X, ...)`` (no argument: all arguments),
``repeatable()`` (the same result once more), ``matches(V, "aN text")`` and
``agrees(API, RELATION, RELATED)`` (each call of a library's function in the
project's code gave what an oracle of :mod:`..relating.oracles` says); those about models
and layers are in :mod:`.model_words`.
``matches`` shares dimensions with the arguments whose constraints it is given
by name: ``matches(result, "tensors(shape='b n')", x="tensors(shape='b 3')")``.
"""

from __future__ import annotations

import ast
import functools
from dataclasses import dataclass
from types import CodeType
from typing import Any, FrozenSet, List, Mapping, Optional, Sequence, Tuple

from .model_words import MODEL_WORDS

WORDS = MODEL_WORDS | {"old", "finite", "unchanged", "repeatable", "matches", "agrees"}
OLD, SAME = "__assayer_old__", "__assayer_same__"


class Unreadable(Exception):  # noqa: N818 - a fact about the condition
    """A condition that is no Python expression; says so."""


@dataclass(frozen=True)
class Condition:
    """A condition, compiled: ``olds`` are the expressions of ``old``, by number."""

    source: str
    code: CodeType
    olds: Tuple[CodeType, ...]
    names: FrozenSet[str]
    words: FrozenSet[str]
    operands: Tuple[Tuple[str, CodeType], ...]


def closed(conditions: Sequence[str], constraints: Mapping[str, str]) -> List[str]:
    """The conditions with what ``matches`` has to know of the arguments written into them."""
    return [_closed(condition, constraints) for condition in conditions]


def _closed(condition: str, constraints: Mapping[str, str]) -> str:
    tree = _tree(condition)
    calls = _matches(tree)
    if tree is None or not calls:
        return condition
    for call in calls:
        if not call.keywords:
            call.keywords = [
                ast.keyword(name, ast.Constant(text))
                for name, text in constraints.items()
                if name.isidentifier() and "shape" in text
            ]
    return ast.unparse(tree)


def plain(condition: str) -> str:
    """A condition as its author wrote it, without what :func:`closed` put there."""
    tree = _tree(condition)
    told = [call for call in _matches(tree) if call.keywords]
    if tree is None or not told:
        return condition
    for call in told:
        call.keywords = []
    return ast.unparse(tree)


def _matches(tree: Optional[ast.AST]) -> List[ast.Call]:
    nodes = [] if tree is None else ast.walk(tree)
    return [n for n in nodes if isinstance(n, ast.Call) and _is_call(n, "matches")]


def _tree(condition: str) -> Optional[ast.Expression]:
    try:
        return ast.parse(condition.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _is_call(node: Any, word: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == word


# ----------------------------------------------------------------- compiling


@functools.lru_cache(maxsize=256)
def compiled(source: str) -> Condition:
    """A condition as it is evaluated; raises :class:`Unreadable`."""
    tree = _tree(source)
    if tree is None:
        raise Unreadable(f"the postcondition {source!r} cannot be parsed")
    free, called = _free(tree), _called(tree)
    before = _Before()
    rewritten = ast.fix_missing_locations(before.visit(tree))
    operands = [
        (ast.unparse(each), _code(each))
        for each in _operands(_tree(source), has_old=bool(before.olds))
    ]
    return Condition(
        plain(source),
        compile(rewritten, "<postcondition>", "eval"),
        tuple(before.olds),
        free,
        called,
        tuple(operands),
    )


def _code(node: ast.expr) -> CodeType:
    expression = ast.fix_missing_locations(ast.Expression(node))
    return compile(expression, "<postcondition>", "eval")


class _Before(ast.NodeTransformer):
    """Puts what was computed before the call where ``old`` and ``unchanged`` ask for it."""

    def __init__(self) -> None:
        self.olds: List[CodeType] = []

    def visit_Call(self, node: ast.Call) -> Any:
        if _is_call(node, "old") and len(node.args) == 1 and not node.keywords:
            return self._old(node.args[0])
        if _is_call(node, "unchanged") and node.args and not node.keywords:
            pairs = [self._compared(each) for each in node.args]
            return pairs[0] if len(pairs) == 1 else ast.BoolOp(ast.And(), pairs)
        return self.generic_visit(node)

    def _old(self, node: ast.expr) -> ast.expr:
        self.olds.append(_code(node))
        index = ast.Constant(len(self.olds) - 1)
        return ast.Subscript(ast.Name(OLD, ast.Load()), index, ast.Load())

    def _compared(self, node: ast.expr) -> ast.expr:
        before = self._old(node)
        return ast.Call(ast.Name(SAME, ast.Load()), [node, before], [])


def _free(tree: ast.AST) -> FrozenSet[str]:
    """The names that an expression takes from outside."""
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    bound = {node.id for node in names if not isinstance(node.ctx, ast.Load)}
    bound |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    return frozenset(node.id for node in names if node.id not in bound)


def _called(tree: ast.AST) -> FrozenSet[str]:
    return frozenset(word for word in WORDS if any(_is_call(n, word) for n in ast.walk(tree)))


def _operands(tree: Any, *, has_old: bool) -> List[ast.expr]:
    """What a failed comparison compares, to be shown."""
    body = tree.body
    if has_old or not isinstance(body, ast.Compare):
        return []
    return [each for each in (body.left, *body.comparators) if not isinstance(each, ast.Constant)]
