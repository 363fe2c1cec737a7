"""Tuples whose elements conditions compare with each other, drawn element by element."""

from __future__ import annotations

import ast
from typing import Any, Dict, FrozenSet, Mapping, Optional, Sequence, Tuple

from ...annotations.nouns import Constraint
from .domains import single
from .ordering import names_of

Groups = Dict[str, Tuple[str, ...]]


def split(
    constraints: Mapping[str, Constraint], sources: Sequence[str]
) -> Tuple[Dict[str, Constraint], Tuple[str, ...], Groups]:
    """Constraints and conditions with an argument of its own for each element of some tuples.

    Those are split of which every condition reads elements only, by their
    numbers, and some condition two of them.  The groups say which arguments
    stand for the elements of which tuple.
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
