"""``# assayer: ignore[rule] reason`` comments in the tested code."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TypeAlias

from analyzers.rules import RULES

_MARK = re.compile(r"#\s*assayer\s*:\s*(?P<order>.*)", re.IGNORECASE)
_ORDER = re.compile(r"ignore\[(?P<rule>[a-z]+/[a-z]+(?:-[a-z]+)*)\]\s+(?P<reason>\S.*)")
_FORM = "write `# assayer: ignore[rule] reason`, such as `ignore[cloud/crash] reason`"


@dataclass(frozen=True, slots=True)
class InlineIgnore:
    """A comment that silences one rule on its line."""

    path: str
    line: int
    rule: str
    reason: str


@dataclass(frozen=True, slots=True)
class MalformedIgnore:
    """A comment that looks like one and silences nothing."""

    path: str
    line: int
    problem: str

    def __str__(self) -> str:
        """``path:line: problem``."""
        return f"{self.path}:{self.line}: {self.problem}"


InlineComment: TypeAlias = InlineIgnore | MalformedIgnore


def inline_comments(text: str, path: str) -> Iterator[InlineComment]:
    """Yield every comment of a Python text that is addressed to Assayer, as far as it tokenizes."""
    if "assayer" not in text.lower():
        return
    for line, comment in _comments(text):
        mark = _MARK.search(comment)
        if mark is not None:
            yield _read(mark["order"].strip(), path, line)


def inline_ignores(text: str, path: str) -> tuple[InlineIgnore, ...]:
    """Return the well-formed comments of a Python text."""
    return tuple(c for c in inline_comments(text, path) if isinstance(c, InlineIgnore))


def malformed_ignores(text: str, path: str) -> tuple[MalformedIgnore, ...]:
    """Return the malformed comments of a Python text: errors of its author."""
    return tuple(c for c in inline_comments(text, path) if isinstance(c, MalformedIgnore))


def unknown_rule(rule: str) -> str:
    """Return what to say of a rule that there is not."""
    close = get_close_matches(rule, RULES, n=1)
    hint = f"did you mean `{close[0]}`?" if close else f"known are: {', '.join(RULES)}"
    return f"there is no rule `{rule}`; {hint}"


def _comments(text: str) -> Iterator[tuple[int, str]]:
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string
    except (tokenize.TokenError, SyntaxError):
        return


def _read(order: str, path: str, line: int) -> InlineComment:
    found = _ORDER.fullmatch(order)
    if found is not None and found["rule"] not in RULES:
        return MalformedIgnore(path, line, unknown_rule(found["rule"]))
    if found is not None:
        return InlineIgnore(path, line, found["rule"], found["reason"])
    if not order.startswith("ignore"):
        problem = f"the only order is `ignore`; {_FORM}"
    elif "[" not in order:
        problem = f"it must name the rule; {_FORM}"
    elif order.endswith("]"):
        problem = f"it must give a reason; {_FORM}"
    else:
        problem = f"it cannot be read; {_FORM}"
    return MalformedIgnore(path, line, problem)
