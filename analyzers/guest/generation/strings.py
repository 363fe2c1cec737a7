"""Strings: of an alphabet, or of a pattern."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ..annotations.nouns import Constraint
from ..annotations.rendering import render
from .recipes import Literal, Recipe
from .scope import Scope, Unmeetable

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

MOST_LENGTH = 16
"""How many characters a string has where nothing is said."""


def strings(constraint: Constraint, scope: Scope) -> SearchStrategy[Recipe]:  # noqa: ARG001
    """Strings of printable characters, or of the alphabet's, or that a whole pattern matches."""
    from hypothesis.strategies import text

    low = constraint.value("min_len", 0)
    high = constraint.value("max_len")
    most = max(low, MOST_LENGTH) if high is None else high
    pattern = constraint.value("pattern")
    if pattern is not None:
        return _matching(constraint, pattern).map(Literal)
    alphabet = constraint.value("alphabet")
    if alphabet is not None and not alphabet and low > 0:
        raise Unmeetable(render(constraint), "its alphabet is empty")
    letters = _letters() if alphabet is None else "".join(alphabet)
    return text(letters, min_size=low, max_size=most).map(Literal)


def _letters() -> Any:
    """Printable characters: others, surrogates above all, few files and terminals can hold."""
    from hypothesis.strategies import characters

    return characters(codec="utf-8", exclude_categories=("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"))


def _matching(constraint: Constraint, pattern: str) -> SearchStrategy[str]:
    from hypothesis.strategies import from_regex

    low, high = constraint.value("min_len", 0), constraint.value("max_len")
    alphabet = constraint.value("alphabet")
    try:
        found = from_regex(
            re.compile(pattern),
            fullmatch=True,
            **({} if alphabet is None else {"alphabet": "".join(alphabet)}),
        )
        found.validate()
    except Exception as error:
        raise Unmeetable(
            render(constraint), f"its pattern cannot be drawn from: {error}"
        ) from error
    if not low and high is None:
        return found
    return found.filter(lambda drawn: low <= len(drawn) and (high is None or len(drawn) <= high))
