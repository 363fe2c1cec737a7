"""What an expression looks at: an argument's value, its length, a side of its shape."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any, Callable, Dict, FrozenSet, Optional, Tuple

_NUMBERS = ("int", "float")
_SEQUENCES = ("list", "tuple")
_RANKS = ("ndim", "dim", "ndimension")
_EXTREMES = {"max": "highest", "amax": "highest", "min": "lowest", "amin": "lowest"}

Step = Tuple[str, Any]


@dataclass(frozen=True)
class Look:
    """A way into an argument: ``len(x[0])`` is ``(("item", 0), ("length", None))`` of ``x``.

    Steps are ``item``, ``field``, ``length``, ``rank``, ``side``, ``sides`` (the
    shape, or a slice of it), ``highest``, ``lowest``, ``dtype``, ``number`` (the
    value as a number) and ``each`` (every element).
    """

    argument: str
    steps: Tuple[Step, ...] = ()

    def then(self, kind: str, index: Any = None) -> Look:
        """One step further."""
        return Look(self.argument, (*self.steps, (kind, index)))


def look(node: ast.expr, arguments: FrozenSet[str]) -> Optional[Look]:
    """What a node looks at, ``None`` where that is no simple way into one argument."""
    reader = _READERS.get(type(node))
    return reader(node, arguments) if reader else None


def _name(node: Any, arguments: FrozenSet[str]) -> Optional[Look]:
    return Look(node.id) if node.id in arguments else None


def _attribute(node: Any, arguments: FrozenSet[str]) -> Optional[Look]:
    inside = look(node.value, arguments)
    if inside is None:
        return None
    if node.attr == "shape":
        return inside.then("sides")
    if node.attr == "ndim":
        return inside.then("rank")
    return inside.then("dtype" if node.attr == "dtype" else "field", node.attr)


def _subscript(node: Any, arguments: FrozenSet[str]) -> Optional[Look]:
    inside = look(node.value, arguments)
    if inside is None:
        return None
    if inside.steps and inside.steps[-1] == ("sides", None):
        return _side(Look(inside.argument, inside.steps[:-1]), node.slice)
    index = _constant(node.slice)
    return None if index is None else inside.then("item", index)


def _side(inside: Look, index: ast.expr) -> Optional[Look]:
    if isinstance(index, ast.Slice):
        ends = [_constant(end) if end else None for end in (index.lower, index.upper)]
        plain = index.step is None and all(isinstance(end, (int, type(None))) for end in ends)
        return inside.then("sides", tuple(ends)) if plain else None
    at = _constant(index)
    return inside.then("side", at) if isinstance(at, int) else None


def _constant(node: Any) -> Any:
    """An index: a number, also a negative one, or a key."""
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        return None
    return value if isinstance(value, (int, str)) and not isinstance(value, bool) else None


def _call(node: Any, arguments: FrozenSet[str]) -> Optional[Look]:
    if isinstance(node.func, ast.Attribute):
        return None if node.keywords else _method(node, arguments)
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if len(node.args) != 1 or node.keywords:
        return None
    inside = look(node.args[0], arguments)
    if inside is None or name in _SEQUENCES:
        return inside
    if name in _NUMBERS:
        return inside.then("number")
    if name == "len":
        return _length(inside)
    return inside.then(_EXTREMES[name]) if name in ("max", "min") else None


def _length(inside: Look) -> Look:
    if inside.steps and inside.steps[-1] == ("sides", None):
        return Look(inside.argument, inside.steps[:-1]).then("rank")
    return inside.then("length")


def _method(node: Any, arguments: FrozenSet[str]) -> Optional[Look]:
    method = node.func.attr
    if _module_of(node.func.value, arguments):
        inside = look(node.args[0], arguments) if len(node.args) == 1 else None
        return _reduced(inside, method)
    inside = look(node.func.value, arguments)
    if inside is None:
        return None
    if method == "item" and not node.args:
        return inside
    if method == "size":
        return _size(inside, node.args)
    return _reduced(inside, method) if not node.args else None


def _module_of(node: ast.expr, arguments: FrozenSet[str]) -> bool:
    """``torch`` of ``torch.max(x)``: no argument of the function."""
    return isinstance(node, ast.Name) and node.id not in arguments


def _reduced(inside: Optional[Look], method: str) -> Optional[Look]:
    if inside is None:
        return None
    if method in _RANKS:
        return inside.then("rank")
    return inside.then(_EXTREMES[method]) if method in _EXTREMES else None


def _size(inside: Look, args: Any) -> Optional[Look]:
    if not args:
        return inside.then("sides")
    return _side(inside, args[0])


_READERS: Dict[type, Callable[[Any, FrozenSet[str]], Optional[Look]]] = {
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.Call: _call,
}
