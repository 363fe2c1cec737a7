"""Programs without what they draw: plots need a display or seconds, and show nothing here."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from analyzers.drivers.usage_programs import Driver

LIBRARIES = frozenset({"matplotlib", "pylab", "seaborn", "plotly"})
_DRAWS = re.compile(
    rf"\bimport\b.*\b(?:{'|'.join(LIBRARIES)})\b|\bfrom\s+(?:{'|'.join(LIBRARIES)})\b"
)


def without_plots(driver: Driver) -> Driver:
    """Return a driver that imports no library of plots and makes no use of one.

    What it computes to be drawn is computed still.
    """
    if _DRAWS.search(driver.source) is None:
        return driver
    body = ast.parse(driver.source).body
    closing = _Closed()
    first = closing.closed(body[: driver.fixed])
    rest = closing.closed(body[driver.fixed :])
    source = ast.unparse(ast.fix_missing_locations(ast.Module([*first, *rest], [])))
    return replace(driver, source=source, fixed=len(first))


class _Closed(ast.NodeTransformer):
    """Takes away statements that read ``names``, which it learns from imports and assignments."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def closed(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Return what is left of statements."""
        found: list[ast.stmt] = []
        for each in body:
            left = self.visit(each)
            found += left if isinstance(left, list) else filter(None, [left])
        return found

    def visit_Import(self, node: ast.Import) -> ast.stmt | None:
        drawing = [e for e in node.names if e.name.partition(".")[0] in LIBRARIES]
        self.names |= {e.asname or e.name.partition(".")[0] for e in drawing}
        left = [each for each in node.names if each not in drawing]
        return ast.Import(left) if left else None

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.stmt | None:
        if node.level or (node.module or "").partition(".")[0] not in LIBRARIES:
            return node
        self.names |= {each.asname or each.name for each in node.names}
        return None

    def generic_visit(self, node: ast.AST) -> ast.AST | list[ast.stmt] | None:  # type: ignore[override]
        if not isinstance(node, ast.stmt):
            return node
        head, inner = _parts(node)
        if not self._draws(head):
            for name, body in inner.items():
                left = self.closed(body)
                setattr(node, name, left or ([ast.Pass()] if name == "body" else []))
            return node
        if isinstance(node, ast.With):
            return self.closed(node.body)
        self.names.update(name for each in head for name in _stored(each))
        kept = [ast.Expr(each) for each in _computed(node) if not self._draws([each])]
        return list(kept)

    def _draws(self, nodes: Sequence[ast.AST]) -> bool:
        used = (n for each in nodes for n in ast.walk(each))
        return any(isinstance(n, ast.Name) and n.id in self.names for n in used)


def _parts(node: ast.stmt) -> tuple[list[ast.AST], dict[str, list[ast.stmt]]]:
    """Return what a statement reads by itself, and the statements within it."""
    inner: dict[str, list[ast.stmt]] = {}
    for name, value in ast.iter_fields(node):
        if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
            inner[name] = value
    outside = (ast.stmt, ast.ExceptHandler, ast.match_case)
    return [e for e in ast.iter_child_nodes(node) if not isinstance(e, outside)], inner


def _stored(head: ast.AST) -> Iterator[str]:
    for node in ast.walk(head):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _computed(node: ast.stmt) -> list[ast.Call]:
    """Return the calls that a call is given."""
    value = node.value if isinstance(node, ast.Expr) else None
    given = [*value.args, *(e.value for e in value.keywords)] if isinstance(value, ast.Call) else []
    return [each for each in given if isinstance(each, ast.Call)]
