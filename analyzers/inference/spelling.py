"""Annotations as people write them: one style of quotes, lines that are not too long."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterator

WIDTH = 100
_MORE = "#    "


def spelled(text: str) -> str:
    """An annotation, or a part of one, with strings in double quotes where that is as short."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return text
    lines = text.splitlines(keepends=True)
    for token in reversed(tokens):
        if token.type == tokenize.STRING and token.start[0] == token.end[0]:
            line = lines[token.start[0] - 1]
            quoted = _double(token.string)
            lines[token.start[0] - 1] = line[: token.start[1]] + quoted + line[token.end[1] :]
    return "".join(lines)


def _double(string: str) -> str:
    inside = string[1:-1]
    plain = string.startswith("'") and not string.startswith("'''")
    return f'"{inside}"' if plain and not {'"', "\\"} & set(inside) else string


def comment_lines(annotation: str, indent: str = "") -> tuple[str, ...]:
    """``@arg(x): …`` as comment lines, broken after commas where it is too long."""
    whole = f"{indent}#{spelled(annotation)}"
    if len(whole) <= WIDTH:
        return (whole,)
    lines: list[str] = []
    for part in _parts(spelled(annotation)):
        if lines and len(lines[-1]) + len(part.rstrip()) <= WIDTH:
            lines[-1] += part
        else:
            lines.append(f"{indent}{_MORE if lines else '#'}{part}")
    return tuple(line.rstrip() for line in lines)


def _parts(text: str) -> Iterator[str]:
    """A text that is one line, cut behind the commas that stand in brackets."""
    depth = last = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        depth += token.string in "([{" if token.type == tokenize.OP else 0
        depth -= token.string in ")]}" if token.type == tokenize.OP else 0
        if depth and token.type == tokenize.OP and token.string == ",":
            end = token.end[1] + len(text[token.end[1] :]) - len(text[token.end[1] :].lstrip(" "))
            yield text[last:end]
            last = end
    yield text[last:]
