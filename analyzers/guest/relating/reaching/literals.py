"""What of a call stands in the source as it is, so that no input changes it."""

from __future__ import annotations

import ast
from typing import Any, FrozenSet, Iterator, List, Optional, Set

from ...endings import tree_of
from ..mutating import Fixed, Place
from ..mutating.places import arguments
from ..nouns import Live
from ..recording import Seen

Traced = FrozenSet[Place]


def fixed(seen: Seen, traced: Traced, is_array: Any) -> Fixed:
    """The places of a call that no input of the target varies.

    These are literals in the call's source and arguments that the source does
    not give.  Where the call is not found there (a layer makes it), only arrays
    and what is ``traced`` to the target's own arguments may vary.
    """
    if seen.given is None:
        return frozenset()
    held = set(_parameters(seen.given))
    node = _call(seen)
    free = _open(node, seen.given) if node is not None else None
    for place, value in arguments(seen.given):
        is_traced = any(each[: len(place)] == place for each in traced)
        is_open = is_array(value) if free is None else place in free
        if not is_open and not is_traced:
            held.add(place)
    return frozenset(held)


def _parameters(live: Live) -> Iterator[Place]:
    """The weights of a layer."""
    return (place for place, value in arguments(live) if type(value).__name__ == "Parameter")


def _call(seen: Seen) -> Optional[ast.Call]:
    """The one call of that name on the line; ``None`` where there is none, or there are more."""
    name = seen.api.rpartition(".")[2]
    nodes = [
        node
        for node in ast.walk(tree_of(seen.path))
        if isinstance(node, ast.Call)
        and _name(node.func) == name
        and node.lineno <= seen.line <= (node.end_lineno or node.lineno)
    ]
    return nodes[0] if len(nodes) == 1 else None


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _open(node: ast.Call, live: Live) -> Optional[Set[Place]]:
    """The places whose source is no literal; ``None`` where they cannot be told."""
    if any(isinstance(each, ast.Starred) for each in node.args) or _spreads(node):
        return None
    shift = _shift(node, live)
    found: Set[Place] = {("arguments", 0)} if shift else set()
    given = [(number + shift, None, each) for number, each in enumerate(node.args)]
    given += [(None, each.arg, each.value) for each in node.keywords]  # type: ignore[misc]
    for number, word, value in given:
        if not _is_literal(value):
            found |= set(_places(number, word, live))
    return found


def _spreads(node: ast.Call) -> bool:
    return any(each.arg is None for each in node.keywords)


def _shift(node: ast.Call, live: Live) -> int:
    """1 where the call is a method's, and the first argument what it is called on."""
    return int(isinstance(node.func, ast.Attribute) and live.api.startswith("torch.Tensor."))


def _places(number: Optional[int], word: Optional[str], live: Live) -> List[Place]:
    """Where an argument of the source went; by a wrapper it may go on by name."""
    if word is not None:
        return [("keywords", word)]
    if number is not None and number < len(live.arguments):
        return [("arguments", number)]
    return [("keywords", name) for name in live.keywords]


def _is_literal(node: ast.expr) -> bool:
    """Whether an expression is the same for every input: constants and names of modules' parts."""
    if isinstance(node, ast.UnaryOp):
        return _is_literal(node.operand)
    if isinstance(node, (ast.Tuple, ast.List)):
        return all(map(_is_literal, node.elts))
    if isinstance(node, ast.Attribute):
        return isinstance(node.value, ast.Name) and node.value.id in ("torch", "np", "numpy")
    return isinstance(node, ast.Constant)
