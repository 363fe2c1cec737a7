"""Files are parsed once for all tests that look at their syntax."""

import ast
from functools import cache


@cache
def tree(source: str) -> ast.Module:
    return ast.parse(source)
