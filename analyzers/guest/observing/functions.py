"""Which code is that of a function with a given name."""

from __future__ import annotations

import ast
from typing import Dict, Sequence, Tuple

from ..annotations.reading import definitions
from ..execution import Prepared

Place = Tuple[str, int]


def numbered(prepared: Prepared, functions: Sequence[str]) -> Dict[Place, str]:
    """Qualified names by plain name and line; a decorated function may begin at either line."""
    wanted = set(functions)
    found: Dict[Place, str] = {}
    for name, node in definitions(ast.parse(prepared.sources[prepared.path])):
        if name in wanted:
            for line in (node.lineno, *(each.lineno for each in node.decorator_list)):
                found[node.name, line] = name
    return found
