"""New literals in the manner of the code around them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence

Case = Callable[[str], str]
CASES: dict[str, Case] = {
    "lower": str.lower,
    "casefold": str.casefold,
    "upper": str.upper,
    "title": str.title,
    "capitalize": str.capitalize,
}
"""The methods by which code brings both sides to one case."""


def cased(
    labels: Iterable[str], like: str, comparison: ast.AST, case: Case | None = None
) -> tuple[str, ...]:
    """Return the labels in the case that ``comparison`` brings its operands to.

    Where it calls for none, in that of the literal ``like`` if this is all
    lower or all upper case, else as the API spells them.  ``case`` overrules
    both.
    """
    methods = [
        CASES[node.func.attr]
        for node in ast.walk(comparison)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in CASES
    ]
    convert = case or (methods[0] if methods else _case_of(like))
    return tuple(dict.fromkeys(convert(label) for label in labels))


def _case_of(literal: str) -> Callable[[str], str]:
    if literal.islower():
        return str.lower
    return str.upper if literal.isupper() else str


def quoted(label: str, like: str) -> str:
    """Return a label as a literal, in the quotes of the literal text ``like``."""
    quote = next((character for character in like if character in "'\""), '"')
    plain = label.isprintable() and quote not in label and "\\" not in label
    return f"{quote}{label}{quote}" if plain else repr(label)


def fresh_name(tree: ast.AST) -> str:
    """Return a name for a loop variable that the code does not use."""
    taken = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    taken |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    names = ("word", "label", "name", "term", "wanted")
    return next((name for name in names if name not in taken), "wanted_label")


def wrapped(items: Sequence[str], room: int, indent: str, width: int) -> str:
    """Return ``(a, b)``: on one line of ``room`` characters, or on lines of its own.

    The lines are indented by four more than ``indent`` and, where the items
    allow it, at most ``width`` long.
    """
    short = f"({', '.join(items)})"
    if len(short) <= room:
        return short
    inner = indent + "    "
    lines = [inner]
    for item in items:
        if lines[-1] != inner and len(lines[-1]) + len(item) + 2 > width:
            lines.append(inner)
        lines[-1] += f"{item}," if lines[-1] == inner else f" {item},"
    return "\n".join(["(", *lines, f"{indent})"])
