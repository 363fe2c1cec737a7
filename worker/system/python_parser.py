"""``ast.parse`` as the host needs it: of newer Pythons too, bounded, and safe in threads.

All that reads code asks ``ast.parse``, pyflakes and the half shared with the guest included.
"""

from __future__ import annotations

import ast
import functools
import re
import sys
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

DISTURBED = sys.version_info < (3, 11, 8)
"""Whether the depth of a tree that is being built is counted in a field that threads share.

CPython issue 106905: a collection of garbage in between lets another thread build a tree, and
``SystemError: AST constructor recursion depth mismatch`` is raised. Mended in 3.11.8 and 3.12.
"""
DEEPEST = 600
"""Levels of a tree that may be walked: six calls a level at most."""
_RECURSION = 4_000
_NEWER = re.compile(
    r"^\s*type\s+\w+|\b(?:def|class)\s+\w+\s*\[|\bexcept\b[^:\n]*,|\b(?:[rR]?[fFtT]|[fFtT][rR])['\"]",
    re.MULTILINE,
)
"""What only newer Pythons parse has one of these in it."""
_OPERATORS = re.compile(
    r"^[ \t]*(?:[-+*/|&%.]|and |or |else |if )|[-+*/|&%][ \t]*\\?$", re.MULTILINE
)
_LONG_LINE = re.compile(r"[^\n]{800}")
_MANY = 250


def parse_newer_pythons() -> None:
    """Let ``ast.parse`` read code of newer Pythons from now on, one thread at a time if needed.

    Of trees deeper than ``DEEPEST`` it raises ``RecursionError``.
    """
    if hasattr(ast.parse, "__wrapped__"):
        return
    sys.setrecursionlimit(max(sys.getrecursionlimit(), _RECURSION))
    ast.parse = _reading(ast.parse, threading.RLock() if DISTURBED else nullcontext())


def _reading(parse: Callable[..., Any], lock: AbstractContextManager[Any]) -> Callable[..., Any]:
    @functools.wraps(parse)
    def read(source: Any, *arguments: Any, **options: Any) -> Any:
        with lock:
            try:
                tree = parse(source, *arguments, **options)
            except SyntaxError:
                tree = _newer(source, *arguments, **options)
                if tree is None:
                    raise
        if _may_be_deep(source) and (levels := depth(tree)) > DEEPEST:
            raise RecursionError(f"{levels} levels of code are nested, more than {DEEPEST}")
        return tree

    return read


def _newer(source: Any, filename: str = "", mode: str = "exec", **options: Any) -> Any:
    """Return the tree of a text of a newer Python, if it is one."""
    del filename
    if not isinstance(source, str) or options or mode not in ("exec", "eval"):
        return None
    if _NEWER.search(source) is None:
        return None
    # libcst, which most changes do without
    from worker.system.newer_syntax import NoNewerSyntaxError, parsed_as_older  # noqa: PLC0415

    try:
        return parsed_as_older(source, mode)
    except (NoNewerSyntaxError, SyntaxError):
        return None


def _may_be_deep(source: Any) -> bool:
    """Return whether a text has as much of what nests without brackets or indentation."""
    return isinstance(source, str) and (
        source.count("elif") > _MANY
        or _LONG_LINE.search(source) is not None
        or sum(1 for _ in _OPERATORS.finditer(source)) > _MANY
    )


def depth(tree: ast.AST) -> int:
    """Return how many nodes of a tree stand inside one another."""
    levels, nodes = 0, [tree]
    while nodes:
        levels += 1
        nodes = [child for node in nodes for child in ast.iter_child_nodes(node)]
    return levels
