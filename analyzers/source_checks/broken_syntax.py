"""Errors of syntax that no Python takes, neither Python 2 nor one that is newer than this."""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass

_IN_EVERY_VERSION = re.compile(
    r"cannot assign to|Maybe you meant '=='|unmatched |unexpected indent|expected an indented block"
    r"|unindent does not match|was never closed|unexpected EOF"
)
_OF_A_VERSION = re.compile(
    r"^\s*(print|exec)\b\s*[^\s(=.,:\[]|^\s*(type|match|case)\s|\bf['\"]|\{\{|<>|^\s*except\s.*,",
    re.MULTILINE,
)
"""Syntax of some versions of Python only, or of templates that become Python."""


@dataclass(frozen=True)
class BrokenSyntax:
    """The line of an error of syntax, its code and what Python says."""

    line: int
    code: str
    message: str

    @property
    def key(self) -> str:
        """The identity over shifts of lines."""
        return f"{self.message}: {self.code}"


def broken_syntax(text: str) -> BrokenSyntax | None:
    """Return why no Python takes a text, or ``None``."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except TabError:
        return None
    except SyntaxError as error:
        lines = text.splitlines()
        line, message = error.lineno or 0, error.msg or ""
        known = _IN_EVERY_VERSION.search(message) is not None and not _OF_A_VERSION.search(text)
        if known and 0 < line <= len(lines):
            return BrokenSyntax(line, lines[line - 1].strip(), message)
    except (ValueError, RecursionError, MemoryError):
        return None
    return None
