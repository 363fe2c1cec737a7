"""Names of code outside functions, and whether Python 3 can parse a text."""

from __future__ import annotations

import ast
import re
import warnings

MODULE = "<module>"
MAIN = "__main__"
TOO_DEEP = "its code is nested too deep to be read"
_PYTHON_2 = re.compile(
    r"^\s*print\s+[^\s(=.,:\[]|^\s*except\s+[\w.]+\s*,\s*\w+\s*:|^\s*exec\s+['\"\w]"
    r"|\bur['\"]|\braise\s+\w+\s*,|<>|\b0\d+\b(?!\.)|^\s*print\s*>>",
    re.MULTILINE,
)


class UnparsableError(Exception):
    """A file that is not Python 3; the message says why, with the line."""


def check_parsable(source: str) -> None:
    """Raise :class:`UnparsableError` where Python 3 cannot parse a text."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(source)
    except SyntaxError as error:
        where = f"line {error.lineno}" if error.lineno else "unknown line"
        looks = " (it looks like Python 2)" if _PYTHON_2.search(source) else ""
        raise UnparsableError(f"Python 3 cannot parse it: {where}: {error.msg}{looks}") from error
    except (ValueError, RecursionError, MemoryError) as error:
        deep = isinstance(error, RecursionError | MemoryError)
        reason = f"{TOO_DEEP if deep else 'Python 3 cannot parse it'}: {error}".removesuffix(": ")
        raise UnparsableError(reason) from error
