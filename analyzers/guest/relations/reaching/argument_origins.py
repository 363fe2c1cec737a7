"""Origins of a call's arguments: literals in the source, or parts of the target's arguments."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any, Iterator, Optional

from ...inputs.exploration.value_comparison import as_numpy, is_array
from ...runtime.call_outcomes import tree_of
from ..call_recording import RecordedCall
from ..mutation.call_draft import ArgumentPath, FixedPaths, arguments
from ..relation_types import LibraryApi, LiveCall
from ..synthesis.parameter_matching import TemplateInapplicable, bind_arguments

Traced = frozenset[ArgumentPath]


def fixed(seen: RecordedCall, traced: Traced, is_array: Any) -> FixedPaths:
    """Return the places of a call that no input of the target varies.

    These are literals in the call's source and arguments that the source does
    not give.  Where the call is not found there (a layer makes it), only arrays
    and what is ``traced`` to the target's own arguments may vary.
    """
    if seen.given is None:
        return frozenset()
    weights = (each for each in arguments(seen.given) if type(each[1]).__name__ == "Parameter")
    held = {place for place, _ in weights}
    node = _call(seen)
    free = _open(node, seen.given) if node is not None else None
    for place, value in arguments(seen.given):
        is_traced = any(each[: len(place)] == place for each in traced)
        is_open = is_array(value) if free is None else place in free
        if not is_open and not is_traced:
            held.add(place)
    return frozenset(held)


def _call(seen: RecordedCall) -> Optional[ast.Call]:
    """The one call of that name on the line; ``None`` where there is none, or there are more."""
    name = seen.api.rpartition(".")[2]
    nodes = [
        node
        for node in ast.walk(tree_of(seen.path))
        if isinstance(node, ast.Call)
        and name in (getattr(node.func, "attr", ""), getattr(node.func, "id", ""))
        and node.lineno <= seen.line <= (node.end_lineno or node.lineno)
    ]
    return nodes[0] if len(nodes) == 1 else None


def _open(node: ast.Call, live: LiveCall) -> Optional[set[ArgumentPath]]:
    """Return the places whose source is no literal; ``None`` where they cannot be told."""
    if any(isinstance(each, ast.Starred) for each in node.args) or any(
        each.arg is None for each in node.keywords
    ):
        return None
    shift = int(isinstance(node.func, ast.Attribute) and live.api.startswith("torch.Tensor."))
    found: set[ArgumentPath] = {("arguments", 0)} if shift else set()
    found.update(
        ("keywords", str(each.arg)) for each in node.keywords if not _is_literal(each.value)
    )
    for number, each in enumerate(node.args, shift):
        if not _is_literal(each) and number < len(live.arguments):
            found.add(("arguments", number))
        elif not _is_literal(each):  # a wrapper gave it on by name
            found.update(("keywords", name) for name in live.keywords)
    return found


def _is_literal(node: ast.expr) -> bool:
    """Return whether an expression is constant: literals and names of modules' parts."""
    if isinstance(node, ast.UnaryOp):
        return _is_literal(node.operand)
    if isinstance(node, (ast.Tuple, ast.List)):
        return all(map(_is_literal, node.elts))
    if isinstance(node, ast.Attribute):
        return isinstance(node.value, ast.Name) and node.value.id in ("torch", "np", "numpy")
    return isinstance(node, ast.Constant)


Path = tuple[Any, ...]
"""A parameter of the target, and indices and keys into its value."""
Slot = tuple[Any, ...]
"""A parameter of the library's function (or the number of an argument), and indices into it."""
_DEEPEST = 4
_MOST_ELEMENTS = 4096


def slots(live: LiveCall, api: Optional[LibraryApi]) -> dict[Slot, Any]:
    """Return what a call gives, however it gives it: lists and tuples are taken apart."""
    try:
        given: Mapping[str, Any] = {} if api is None else bind_arguments(api, live)
    except TemplateInapplicable:
        given = {}
    if not given:
        numbered = {f"#{number}": value for number, value in enumerate(live.arguments)}
        given = {**numbered, **live.keywords}
    return dict(_parts(given))


def origins(given: Mapping[Slot, Any], values: Mapping[str, Any]) -> dict[Slot, Path]:
    """Return, by slots of a call, the parts of the target's arguments that they are or share."""
    parts = list(_parts(values))
    found: dict[Slot, Path] = {}
    for slot, value in given.items():
        for alike in (_is_same, _is_equal):
            path = next((path for path, part in parts if alike(value, part)), None)
            if path is not None:
                found[slot] = path
                break
    return found


def part(values: Mapping[str, Any], path: Path) -> Any:
    """Return the part of the target's arguments at a path."""
    found: Any = values
    for step in path:
        found = found[step]
    return found


def _parts(values: Mapping[Any, Any], depth: int = 0) -> Iterator[tuple[Path, Any]]:
    for name, value in values.items():
        inside: Any = None
        if type(value) in (list, tuple):
            inside = dict(enumerate(value))
        elif type(value) is dict:
            inside = value
        if inside is None or depth >= _DEEPEST:
            yield (name,), value
        else:
            for path, part in _parts(inside, depth + 1):
                yield (name, *path), part


def _is_same(value: Any, part: Any) -> bool:
    """Return whether two are one object, or arrays on the same storage with as many elements."""
    if not (is_array(value) and is_array(part)):
        return False
    if value is part:
        return True
    try:
        first, second = ((each.data_ptr(), each.numel()) for each in (value, part))
    except (AttributeError, RuntimeError):
        return False
    return bool(first[1]) and first == second


def _is_equal(value: Any, part: Any) -> bool:
    if not (is_array(value) and is_array(part)):
        plain = type(value) is type(part) and type(value) in (int, float)
        return plain and repr(value) == repr(part)
    if tuple(value.shape) != tuple(part.shape):
        return False
    if str(value.dtype).rpartition(".")[2] != str(part.dtype).rpartition(".")[2]:
        return False
    first, second = as_numpy(value), as_numpy(part)
    if first is None or second is None or first.size > _MOST_ELEMENTS:
        return False
    return repr(first.tolist()) == repr(second.tolist())
