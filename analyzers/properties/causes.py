"""A crash where a library no longer has a name: one cause, one finding."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from analyzers.vocabulary import Finding, Verdict

CRASH = "property/crash"


def cause_of(verdict: Verdict, gone: Sequence[Finding], source: str) -> Finding | None:
    """Of the names that libraries no longer have the one in whose statement a function crashes.

    ``source`` is the text of the file in which it does.
    """
    if not isinstance(verdict, Finding) or verdict.rule != CRASH:
        return None
    lines = _statement(source, verdict.line)
    return next((g for g in gone if g.path == verdict.path and g.line in lines), None)


def _statement(source: str, line: int) -> range:
    """The lines of the innermost statement around a line; of a compound one the line alone."""
    found = range(line, line + 1)
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError):
        return found
    for node in nodes:
        if isinstance(node, ast.stmt) and not hasattr(node, "body"):
            lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
            found = lines if line in lines else found
    return found


def caused(verdict: Verdict, cause: Finding | None) -> Verdict:
    """The crash with what is known of its cause."""
    if cause is None or not isinstance(verdict, Finding):
        return verdict
    return replace(
        verdict,
        message=f"{verdict.message} {cause.message}",
        evidence={**verdict.evidence, **cause.evidence},
        suggestion=cause.suggestion,
    )
