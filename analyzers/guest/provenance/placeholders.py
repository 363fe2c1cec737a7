"""Functions that stand for what others define: abstract methods, overloads, empty bodies."""

from __future__ import annotations

import ast
from typing import Optional, Union

_UNREAL = frozenset({"abstractmethod", "overload"})


def is_placeholder(node: Union[ast.FunctionDef, ast.AsyncFunctionDef]) -> bool:
    """Return whether a function does nothing: abstract, an overload, or without statements."""
    unreal = any(last_name(each) in _UNREAL for each in node.decorator_list)
    return unreal or all(map(_does_nothing, node.body))


def last_name(node: Optional[ast.expr]) -> str:
    """Return the last name of an expression or of what it calls (``c`` of ``a.b.c()``), or none."""
    if isinstance(node, ast.Call):
        return last_name(node.func)
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _does_nothing(node: ast.stmt) -> bool:
    if isinstance(node, ast.Raise):
        return last_name(node.exc) == "NotImplementedError"
    constant = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return constant or isinstance(node, ast.Pass)
