"""Postconditions: what is promised of a call, looked at once it has returned.

A condition is a Python expression over the arguments, ``result`` and the names
of the tested module, with the words ``old(E)`` (as it was before the call),
``finite(V)``, ``unchanged(X, ...)`` (no argument: all arguments),
``repeatable()`` (the same result once more), ``unaffected_by("X=recipe, ...")`` (the same
result whatever call of the instance came before), ``matches(V, "aN text")`` and
``agrees(API, RELATION, RELATED)`` (each call of a library's function in the
project's code gave what an oracle of :mod:`..relating.oracles` says); those about models
and layers are in :mod:`.model_words`.  ``gradients()`` are those of a new call, by name;
``reloads()``, ``permutes()`` and ``ignores_masked(X, MASK, KEPT)`` are relations between
calls (:mod:`.model_relations`).
``matches`` shares dimensions with the arguments whose constraints it is given
by name: ``matches(result, "tensors(shape='b n')", x="tensors(shape='b 3')")``.
"""

from __future__ import annotations

import ast
import functools
from dataclasses import dataclass
from types import CodeType
from typing import Any, Callable, Dict, FrozenSet, List, Mapping, Optional, Sequence, Tuple


@dataclass(frozen=True)
class CompletedCall:
    """A call and what it gave.

    ``instance`` is ``self`` (of a constructor what it made; ``None`` of a function),
    ``arguments`` are all that was given, by name, defaults included.  ``args`` and
    ``kwargs`` are made anew, untouched by the call; ``again`` makes the whole call once
    more, instance and arguments included.  ``recipe`` made the instance, if one did.
    """

    root: str
    namespace: Mapping[str, Any]
    instance: Any
    result: Any
    arguments: Mapping[str, Any]
    args: List[Any]
    kwargs: Mapping[str, Any]
    again: Callable[[], Any]
    recipe: str = ""


MODEL_WORDS = frozenset(("executes", "trains", "settles", "made", "refuses"))
HEAVY_WORDS = frozenset(("executes", "trains", "settles"))
"""Those that take longer than a call."""


def model_words(called: Callable[[], CompletedCall], said: List[str]) -> Dict[str, Any]:
    """The words by name; ``said`` takes what does not hold, in words."""

    def told(problem: Any) -> bool:
        if problem:
            said.append(str(problem))
        return not problem

    def executes(
        rule: str, execution: str, inputs: str = "", mutations: str = "", other: str = ""
    ) -> bool:
        from ...models.model_promises import execution_problem

        return told(execution_problem(called(), rule, execution, inputs, mutations, other))

    def trains(steps: int, inputs: str = "") -> bool:
        from ...models.model_promises import training_problem

        return told(training_problem(called(), steps, inputs))

    def settles(times: int) -> bool:
        from ...models.model_promises import growth_problem

        return told(growth_problem(called(), times))

    def made(name: str) -> Any:
        from ...assembly.construction_words import constructor_argument as given

        return given(called(), name)

    def refuses(call: str) -> bool:
        from ...assembly.construction_words import accepts_call

        return told(accepts_call(called(), call))

    return {
        "executes": executes,
        "trains": trains,
        "settles": settles,
        "made": made,
        "refuses": refuses,
    }


CALL_WORDS = frozenset(("gradients", "reloads", "permutes", "ignores_masked"))
WORDS = (
    MODEL_WORDS
    | CALL_WORDS
    | {"old", "finite", "unchanged", "repeatable", "unaffected_by", "matches", "agrees"}
)
OLD, SAME = "__assayer_old__", "__assayer_same__"


class InvalidCondition(Exception):  # noqa: N818 - a fact about the condition
    """A condition that is no Python expression; says so."""


@dataclass(frozen=True)
class Postcondition:
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
def compiled(source: str) -> Postcondition:
    """A condition as it is evaluated; raises :class:`Unreadable`."""
    tree = _tree(source)
    if tree is None:
        raise InvalidCondition(f"the postcondition {source!r} cannot be parsed")
    free, called = _free(tree), _called(tree)
    before = _Before()
    rewritten = ast.fix_missing_locations(before.visit(tree))
    operands = [
        (ast.unparse(each), _code(each))
        for each in _operands(_tree(source), has_old=bool(before.olds))
    ]
    return Postcondition(
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
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    bound = {node.id for node in names if not isinstance(node.ctx, ast.Load)}
    bound |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    return frozenset(node.id for node in names if node.id not in bound)


def _called(tree: ast.AST) -> FrozenSet[str]:
    return frozenset(word for word in WORDS if any(_is_call(n, word) for n in ast.walk(tree)))


def _operands(tree: Any, *, has_old: bool) -> List[ast.expr]:
    body = tree.body
    if has_old or not isinstance(body, ast.Compare):
        return []
    return [each for each in (body.left, *body.comparators) if not isinstance(each, ast.Constant)]
