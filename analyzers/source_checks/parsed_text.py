"""The syntax tree of a text, parsed once for all checks."""

from __future__ import annotations

import ast
import functools
import warnings

LONGEST = 1_000_000
"""Longer texts are generated: nobody wrote them."""


@functools.lru_cache(maxsize=64)
def parsed(text: str) -> ast.Module | None:
    """Return the tree of a text; ``None`` where this Python cannot parse it."""
    if len(text) > LONGEST:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
