"""Which functions a text defines."""

from __future__ import annotations

import ast
from collections.abc import Mapping


def has_function(source: str, qualified: str) -> bool:
    """Whether a text defines a function or class; never, where it cannot be parsed."""
    if qualified in {"<module>", "__main__"}:
        return bool(source)
    try:
        tree: ast.AST = ast.parse(source)
    except (SyntaxError, ValueError):
        return False
    for name in qualified.split("."):
        if name == "<locals>":
            continue
        inner = _definitions(tree).get(name)
        if inner is None:
            return False
        tree = inner
    return True


def _definitions(tree: ast.AST) -> Mapping[str, ast.AST]:
    found: dict[str, ast.AST] = {}
    stack = list(ast.iter_child_nodes(tree))
    while stack:
        node = stack.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found[node.name] = node
        else:
            stack += ast.iter_child_nodes(node)
    return found
