"""Conditions that refuse the arguments with which a library call goes wrong.

Few forms, each of which holds of no other values than it says: the smallest
number of an integer dtype, no elements, NaN, and negative numbers.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from analyzers.relations.sites import Site

_DTYPE = re.compile(r"\b(u?int(?:8|16|32|64)|bool|b?float\d+|complex\d+)\b")
_SMALLEST = {f"int{bits}": -(1 << (bits - 1)) for bits in (8, 16, 32, 64)}


@dataclass(frozen=True, slots=True)
class Guard:
    """A condition on an argument, and what is said where it holds."""

    condition: str
    says: str


def guard_of(site: Site, call: str) -> Guard | None:
    """The guard that refuses the arguments of ``call``, the failing one, at a site."""
    torch = site.spelled("torch")
    for form in (_smallest, _empty, _undefined, _negative):
        for name, value in _named(site, call):
            guard = form(name, value, torch)
            if guard is not None:
                return guard
    return None


def _named(site: Site, call: str) -> Iterator[tuple[str, ast.expr]]:
    """The arguments that are names at the site, with the value of each in the failing call."""
    try:
        failing = ast.parse(call, mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        return
    if not isinstance(failing, ast.Call) or len(failing.args) != len(site.positional):
        return
    values = {each.arg: each.value for each in failing.keywords if each.arg}
    pairs = [*zip(site.positional, failing.args, strict=True)]
    pairs += [(node, values[name]) for name, node in site.keywords.items() if name in values]
    inner = _bound_inside(site.statement)
    for node, value in pairs:
        if _is_name(node) and not _first(node) & inner:
            yield site.segment(node), value


def _is_name(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def _first(node: ast.expr) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _bound_inside(statement: ast.stmt) -> set[str]:
    """Names that the statement's own expressions bind: they are not there before it."""
    value = getattr(statement, "value", None)
    nodes = list(ast.walk(value)) if isinstance(value, ast.AST) else []
    stored = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return stored | {each.arg for each in nodes if isinstance(each, ast.arg)}


def _smallest(name: str, value: ast.expr, torch: str | None) -> Guard | None:
    number = _number(value)
    if number is not None:
        if number != _SMALLEST["int64"]:
            return None
        return Guard(f"{name} == {number}", f"{name} is the smallest int64")
    dtype = _dtype(value)
    if torch is None or dtype not in _SMALLEST or _SMALLEST[dtype] not in set(_numbers(value)):
        return None
    smallest = f"({name} == {torch}.iinfo({torch}.{dtype}).min).any()"
    says = f"{name} holds the smallest {dtype}"
    return Guard(f"{name}.dtype == {torch}.{dtype} and {smallest}", says)


def _empty(name: str, value: ast.expr, torch: str | None) -> Guard | None:
    if torch is None or not isinstance(value, ast.Call) or not value.args:
        return None
    first = value.args[0]
    elements = list(first.elts) if isinstance(first, ast.List | ast.Tuple) else [first]
    is_list = isinstance(first, ast.List)
    none = not elements if is_list else any(_number(each) == 0 for each in elements)
    return Guard(f"{name}.numel() == 0", f"{name} is empty") if none else None


def _undefined(name: str, value: ast.expr, torch: str | None) -> Guard | None:
    words = {n.id for n in ast.walk(value) if isinstance(n, ast.Name)}
    words |= {n.attr for n in ast.walk(value) if isinstance(n, ast.Attribute)}
    words |= {str(n.value) for n in ast.walk(value) if isinstance(n, ast.Constant)}
    if torch is None or "nan" not in words or not isinstance(value, ast.Call):
        return None
    return Guard(f"{torch}.isnan({name}).any()", f"{name} holds NaN")


def _negative(name: str, value: ast.expr, torch: str | None) -> Guard | None:
    del torch
    number = _number(value)
    if number is None or number >= 0:
        return None
    return Guard(f"{name} < 0", f"{name} is negative")


def _number(node: ast.expr) -> int | float | None:
    """The number that a literal is, with its sign."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _number(node.operand)
        return None if inner is None else -inner
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _numbers(node: ast.expr) -> Iterator[int | float]:
    for each in ast.walk(node):
        number = _number(each) if isinstance(each, ast.expr) else None
        if number is not None:
            yield number


def _dtype(node: ast.expr) -> str:
    """The dtype that the recipe of a tensor names; integers alone are int64."""
    found = _DTYPE.search(ast.unparse(node))
    if found is not None:
        return found[1]
    whole = all(type(number) is int for number in _numbers(node))
    return "int64" if whole and isinstance(node, ast.Call) else ""
