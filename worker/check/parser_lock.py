"""A lock around ``ast.parse`` for Pythons on which two threads disturb each other in it."""

from __future__ import annotations

import ast
import functools
import sys
import threading
from typing import Any

DISTURBED = sys.version_info < (3, 11, 8)
"""Whether the depth of a tree that is being built is counted in a field that threads share.

CPython issue 106905: a collection of garbage in between lets another thread build a tree, and
``SystemError: AST constructor recursion depth mismatch`` is raised. Mended in 3.11.8 and 3.12.
"""


def parse_one_at_a_time() -> None:
    """Let one thread at a time parse from now on, where this Python needs it."""
    if not DISTURBED or hasattr(ast.parse, "__wrapped__"):
        return
    parse, lock = ast.parse, threading.RLock()

    @functools.wraps(parse)
    def locked(*arguments: Any, **options: Any) -> Any:
        with lock:
            return parse(*arguments, **options)

    ast.parse = locked
