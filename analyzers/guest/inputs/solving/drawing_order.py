"""In which order arguments are drawn: first those that no condition can be solved for."""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import Any, Dict, FrozenSet, List, Mapping, Optional, Sequence, Tuple

from ...annotations.constraints import Argument, Constraint, Expression
from .condition_terms import ConditionPart, quantity_of
from .domains import ARRAYS, SEQUENCES, options, single
from .finite_values import asks_sort, values_of

_INVERTIBLE = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)
_LARGE = (*ARRAYS, *SEQUENCES, "dicts", "datasets", "loaders")
_BEFORE_ALL = "self"


def order(constraints: Mapping[str, Constraint], parts: Sequence[ConditionPart]) -> Tuple[str, ...]:
    """Order the arguments so that as many conditions as possible are solved for their last one."""
    left = list(constraints)
    found: List[str] = []
    waiting = list(parts)
    while left:
        last = max(
            left, key=lambda name: (_fitness(name, left, constraints, waiting), left.index(name))
        )
        left.remove(last)
        found.insert(0, last)
        waiting = [part for part in waiting if last not in part.names]
    return tuple(found)


def _fitness(
    name: str,
    left: Sequence[str],
    constraints: Mapping[str, Constraint],
    parts: Sequence[ConditionPart],
) -> Tuple[bool, bool, int, int]:
    about = [part for part in parts if name in part.names and part.names & (set(left) - {name})]
    hard = sum(not solvable(part, name, constraints[name]) for part in about)
    named = any(name in names_of(constraints[other]) for other in left if other != name)
    large = any(option.kind in _LARGE for option in options(constraints[name]))
    multiples = sum(_is_dividend(part.node, name) - _is_divisor(part.node, name) for part in about)
    defined = sum(_is_defined(part.node, name) for part in about)
    return name != _BEFORE_ALL, not named, -hard, 3 * defined + 2 * large + multiples


def solvable(part: ConditionPart, name: str, constraint: Constraint) -> bool:
    """Return whether an argument can be narrowed to meet a condition, the other arguments known."""
    if asks_sort(part.node, name) or _few(constraint):
        return True
    node = part.node
    if isinstance(node, ast.Compare):
        sides = [side for side in (node.left, *node.comparators) if _names(side, name)]
        return len(sides) == 1 and _reaches(sides[0], name)
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    if isinstance(node, ast.Call) and not _reaches(node, name):
        called = node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
        return called == "all" and _names(node, name)
    return _reaches(node, name)


def _few(constraint: Constraint) -> bool:
    return all(values_of(option, {}) is not None for option in options(constraint))


def _reaches(node: ast.expr, name: str) -> bool:
    if quantity_of(node, frozenset((name,))) is not None:
        return True
    if isinstance(node, ast.BinOp) and isinstance(node.op, _INVERTIBLE):
        sides = [side for side in (node.left, node.right) if _names(side, name)]
        return len(sides) == 1 and _reaches(sides[0], name)
    if isinstance(node, ast.UnaryOp):
        return _reaches(node.operand, name)
    if isinstance(node, (ast.Tuple, ast.List)):
        return sum(_names(item, name) for item in node.elts) == 1
    return False


def _names(node: ast.AST, name: str) -> bool:
    return any(isinstance(each, ast.Name) and each.id == name for each in ast.walk(node))


def _is_defined(node: ast.expr, name: str) -> bool:
    if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], ast.Eq):
        return False
    sides = (node.left, node.comparators[0])
    simple = [side for side in sides if quantity_of(side, frozenset((name,))) is not None]
    others = [side for side in sides if side not in simple]
    return len(simple) == 1 and isinstance(others[0], ast.BinOp)


def _is_dividend(node: ast.expr, name: str) -> bool:
    return any(_names(each.left, name) for each in _remainders(node))


def _is_divisor(node: ast.expr, name: str) -> bool:
    return any(_names(each.right, name) for each in _remainders(node))


def _remainders(node: ast.expr) -> List[ast.BinOp]:
    return [
        each
        for each in ast.walk(node)
        if isinstance(each, ast.BinOp) and isinstance(each.op, (ast.Mod, ast.FloorDiv))
    ]


@lru_cache(maxsize=1024)
def names_of(constraint: Constraint) -> FrozenSet[str]:
    """The names that a constraint's expressions and shapes read, dimensions among them."""
    found = [_argument_names(given) for _, given in constraint.arguments]
    return frozenset(name for names in found for name in names)


def _argument_names(given: Argument) -> FrozenSet[str]:
    if isinstance(given, Constraint):
        return names_of(given)
    if isinstance(given, tuple):
        return frozenset(name for item in given for name in _argument_names(item))
    return _expression_names(given)


def _expression_names(given: Expression) -> FrozenSet[str]:
    if given.literal and not isinstance(given.value, str):
        return frozenset()
    sources = given.value.split() if given.literal else [given.source]
    found = set()
    for source in sources:
        try:
            tree = ast.parse(source.lstrip("*"), mode="eval")
        except (SyntaxError, ValueError):
            continue
        found |= {each.id for each in ast.walk(tree) if isinstance(each, ast.Name)}
    return frozenset(found)


Groups = Dict[str, Tuple[str, ...]]


def split(
    constraints: Mapping[str, Constraint], sources: Sequence[str]
) -> Tuple[Dict[str, Constraint], Tuple[str, ...], Groups]:
    """Give elements of tuples arguments of their own, where conditions read elements only.

    The groups say which arguments stand for the elements of which tuple.
    """
    found, written, groups = dict(constraints), list(sources), {}
    for name, constraint in constraints.items():
        parts = _parts(name, constraint, constraints)
        renamed = [_renamed(source, name, parts) for source in written] if parts else [None]
        if any(source is None for source in renamed) or not _together(renamed, parts):
            continue
        written = [str(source) for source in renamed]
        del found[name]
        found.update(parts)
        groups[name] = tuple(parts)
    return found, tuple(written), groups


def _parts(
    name: str, constraint: Constraint, around: Mapping[str, Constraint]
) -> Dict[str, Constraint]:
    """An argument for each element; none where another constraint names the tuple."""
    elements: Any = constraint["elements"]
    named: FrozenSet[str] = frozenset().union(*(names_of(each) for each in around.values()))
    if constraint.kind != "tuples" or not isinstance(elements, tuple) or name in named:
        return {}
    return {
        f"{name}__{place}": each if isinstance(each, Constraint) else single(each)
        for place, each in enumerate(elements)
    }


def _renamed(source: str, name: str, parts: Mapping[str, Constraint]) -> Optional[str]:
    """A condition with the elements' names in it; ``None`` where it reads the tuple otherwise."""
    try:
        tree = _Renaming(name, tuple(parts)).visit(ast.parse(source.strip(), mode="eval"))
    except SyntaxError:
        return None
    left = any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(tree))
    return None if left else ast.unparse(tree)


class _Renaming(ast.NodeTransformer):
    """Writes ``x__0`` for ``x[0]``."""

    def __init__(self, name: str, parts: Sequence[str]) -> None:
        self._name = name
        self._parts = parts

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        try:
            index = ast.literal_eval(node.slice)
            of_it = isinstance(node.value, ast.Name) and node.value.id == self._name
            if of_it and isinstance(index, int):
                return ast.Name(self._parts[index], ast.Load())
        except (ValueError, TypeError, IndexError):
            pass
        return self.generic_visit(node)


def _together(sources: Sequence[Optional[str]], parts: Mapping[str, Constraint]) -> bool:
    read = [[part for part in parts if source and part in source] for source in sources]
    return any(len(each) > 1 for each in read)
