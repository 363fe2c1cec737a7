"""What a file calls the names of torch."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Names:
    """The imports of a file: what its names stand for."""

    bound: Mapping[str, str]

    def public(self, expression: ast.expr) -> str:
        """The dotted name that an expression stands for; empty for what is no name."""
        parts: list[str] = []
        node = expression
        while isinstance(node, ast.Attribute):
            parts.insert(0, node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ""
        return ".".join([self.bound.get(node.id, node.id), *parts])

    def spelled(self, name: str) -> str | None:
        """How the file says a dotted name, without an import more; ``None`` where it cannot."""
        for own, full in sorted(self.bound.items(), key=lambda item: -len(item[1])):
            if name == full or name.startswith(f"{full}."):
                return own + name[len(full) :]
        return None


@lru_cache(maxsize=64)
def names_of(text: str) -> Names:
    """What the imports of a file bind; raises ``SyntaxError``."""
    bound: dict[str, str] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.partition(".")[0]
                bound[alias.asname or first] = alias.name if alias.asname else first
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                bound[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return Names(bound)
