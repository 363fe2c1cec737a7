"""Another word in the place of one that a condition waits for."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from analyzers.cloud.editing.source import Source, Splice
from analyzers.cloud.editing.spelling import CASES, quoted
from analyzers.cloud.repairs.labelling.constants import Project, constant_of
from analyzers.guest.goals import decisions
from analyzers.vocabulary import Goal, Suggestion

Names = Callable[[str], str | None]


def corrections(goal: Goal, names: Names, project: Project) -> Iterator[Suggestion]:
    """Yield other words for those that a condition waits for, in the quotes that stood there.

    They stand in the condition, in what a loop around it goes through, or in
    a constant, perhaps of another file.  ``names`` tells the word for the
    place of another.  It is spelled in the case to which the condition brings
    its operands, then as it is, then in lower case.
    """
    text = project.read(goal.path)
    decision = next(
        d for d in decisions(text) if (d.function, d.ordinal) == (goal.function, goal.decision)
    )
    source = Source(text)
    condition = source.asked(decision)
    if condition is None:
        return
    path, source, found = _words(goal.path, source, condition, names, project)
    written: set[str] = set()
    for convert in (_case_of(condition), str, str.lower):
        edit = source.edited(
            [
                Splice(*source.span(node), quoted(convert(name), source.segment(node)))
                for node in found
                if (name := names(str(node.value))) is not None
            ]
        )
        if edit is not None and edit.replacement not in written:
            written.add(edit.replacement)
            yield Suggestion(path, edit.start_line, edit.end_line, edit.replacement)


def _words(
    path: str, text: Source, condition: ast.AST, names: Names, project: Project
) -> tuple[str, Source, list[ast.Constant]]:
    """Return the literals to replace, with the file in which they stand."""

    def named(tree: ast.AST) -> list[ast.Constant]:
        return [
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and names(node.value) is not None
        ]

    inside = named(condition) or _looped(text, condition, named)
    if inside:
        return path, text, inside
    found = constant_of(project, path, text, condition, named)
    return (path, text, []) if found is None else (found.path, found.text, named(found.held.value))


def _looped(
    text: Source, condition: ast.AST, named: Callable[[ast.AST], list[ast.Constant]]
) -> list[ast.Constant]:
    """Return the literals in what the loops around a condition go through."""
    names = {node.id for node in ast.walk(condition) if isinstance(node, ast.Name)}
    loops = [node for node in text.ancestors(condition) if isinstance(node, ast.For)]
    mine = [loop for loop in loops if isinstance(loop.target, ast.Name) and loop.target.id in names]
    return [literal for loop in mine for literal in named(loop.iter)]


def _case_of(condition: ast.AST) -> Callable[[str], str]:
    called = (
        node.func.attr
        for node in ast.walk(condition)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    )
    return next((CASES[method] for method in called if method in CASES), str)
