"""Where something is made with a value that its author does not write down there."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

Function = ast.FunctionDef | ast.AsyncFunctionDef
_PARTS = (ast.UnaryOp, ast.BinOp, ast.IfExp, ast.BoolOp)
_SELF = frozenset({"self", "cls"})


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of ``owner`` (a class, or a function), by its name and its place.

    ``position`` is its place among those that need no keyword, ``None`` for one that does.
    """

    owner: str
    name: str
    position: int | None = None


@dataclass(frozen=True, slots=True)
class Given:
    """A call that gives a parameter a value from elsewhere.

    ``value`` is the source of the value, ``of`` the parameter of the function around the
    call that the value is, unless something from elsewhere calls this function.
    """

    line: int
    says: str
    value: ast.expr
    of: Parameter | None = None


def given(tree: ast.Module, wanted: Parameter) -> Iterator[Given]:
    """The calls in a file that give a parameter a value from elsewhere."""
    constants = _constants(tree)
    for node, around, owner in _calls(tree, None, ""):
        if last(node.func) != wanted.owner:
            continue
        value, says = _value(node, wanted)
        if value is None or _is_closed(value, constants):
            continue
        yield Given(node.lineno, says, value, _parameter(value, around, owner, tree))


def last(node: ast.AST) -> str:
    """What a value is called at its end: ``eps`` of ``a.eps``, ``c["eps"]``, ``c.get("eps")``."""
    if isinstance(node, ast.Attribute):
        return node.attr
    key = node.slice if isinstance(node, ast.Subscript) else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
        key = node.args[0] if node.func.attr == "get" else None
    if isinstance(key, ast.Constant):
        return str(key.value)
    return getattr(node, "id", "")


def position(function: Function, name: str) -> int | None:
    """The place of a parameter among those of a function that need no keyword."""
    plain = [*function.args.posonlyargs, *function.args.args]
    names = [each.arg for each in plain if each.arg not in _SELF]
    return names.index(name) if name in names else None


Around = tuple[ast.Call, Function | None, str]


def _calls(node: ast.AST, around: Function | None, owner: str) -> Iterator[Around]:
    """The calls in a tree, each with the function around it and what is called to run that."""
    for inside in ast.iter_child_nodes(node):
        if isinstance(inside, ast.Call):
            yield inside, around, owner
        if isinstance(inside, ast.ClassDef):
            yield from _calls(inside, None, inside.name)
        elif isinstance(inside, Function):
            name = owner if inside.name == "__init__" else inside.name
            yield from _calls(inside, inside, name)
        else:
            yield from _calls(inside, around, owner)


def _value(call: ast.Call, wanted: Parameter) -> tuple[ast.expr | None, str]:
    """What a call gives a parameter, and how it says so."""
    for each in call.keywords:
        if each.arg in {None, wanted.name}:
            stars = "**" if each.arg is None else f"{each.arg}="
            return each.value, f"{wanted.owner}({stars}{ast.unparse(each.value)})"
    place = wanted.position
    hidden = any(isinstance(each, ast.Starred) for each in call.args)
    if place is None or hidden or place >= len(call.args):
        return None, ""
    return call.args[place], ast.unparse(call)


def _constants(tree: ast.Module) -> frozenset[str]:
    """Names that a file assigns once, a constant."""
    assigned: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree):
        targets = node.targets if isinstance(node, ast.Assign) else []
        for target in targets:
            if isinstance(target, ast.Name) and isinstance(node, ast.Assign):
                assigned.setdefault(target.id, []).append(node.value)
    return frozenset(
        name
        for name, values in assigned.items()
        if len(values) == 1 and _is_closed(values[0], frozenset())
    )


def _is_closed(value: ast.expr, constants: frozenset[str]) -> bool:
    """Whether a value is written down: a constant, or what is computed from such."""
    if isinstance(value, ast.Name):
        return value.id in constants
    if isinstance(value, _PARTS):
        parts = [each for each in ast.iter_child_nodes(value) if isinstance(each, ast.expr)]
        if isinstance(value, ast.IfExp):
            parts = [value.body, value.orelse]
        return all(_is_closed(each, constants) for each in parts)
    if isinstance(value, ast.Dict):
        return all(_is_closed(each, constants) for each in value.values)
    return isinstance(value, ast.Constant)


def _parameter(
    value: ast.expr, around: Function | None, owner: str, tree: ast.Module
) -> Parameter | None:
    if around is None or not isinstance(value, ast.Name) or _is_entered(around, tree):
        return None
    own = around.args
    names = {each.arg for each in (*own.posonlyargs, *own.args, *own.kwonlyargs)}
    if value.id not in names:
        return None
    return Parameter(owner, value.id, position(around, value.id))


def _is_entered(function: Function, tree: ast.Module) -> bool:
    """Whether a command line or a framework may call a function: ``fire.Fire(main)``."""
    if function.decorator_list:
        return True
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    handed = (each for call in calls for each in call.args)
    return any(isinstance(each, ast.Name) and each.id == function.name for each in handed)
