"""Adding labels to a condition (Keeper, section 4.2).

The label stands in the condition itself, in what a loop around it goes
through, or in a constant, perhaps of another file.  Every form has its own
small rule (:mod:`analyzers.cloud.repairs.labelling.places`); where a form has none,
the code stays as it is.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from analyzers.cloud.editing.source import Edit, Source
from analyzers.cloud.editing.spelling import Case
from analyzers.cloud.repairs.labelling.constants import Project, constant_of
from analyzers.cloud.repairs.labelling.patterns import alternative, is_search
from analyzers.cloud.repairs.labelling.places import Place
from analyzers.guest.conditions import Decision


@dataclass(frozen=True, slots=True)
class Rewriting:
    """Changed lines of a file."""

    path: str
    edit: Edit


def rewrite(source: str, decision: Decision, original: str, added: Sequence[str]) -> Edit | None:
    """Return the lines in which ``decision`` takes the added labels as well.

    ``original`` is a label of the condition, in any case.  The new labels
    follow the case and the quotes of the code.  ``None``: the form of the
    condition is not understood, or it has the labels already.
    """
    found = rewrite_in(Project(lambda _: source), "", decision, original, added)
    return None if found is None else found.edit


def rewrite_in(
    project: Project,
    path: str,
    decision: Decision,
    original: str,
    added: Sequence[str],
    case: Case | None = None,
) -> Rewriting | None:
    """Do as :func:`rewrite` does, in whichever file of the project the label stands.

    ``path`` is the file of the decision.  A constant is changed only if each
    of its uses in the project asks whether something is in it.  ``case``
    overrules the case of the code.
    """
    try:
        text = Source(project.read(path))
    except (SyntaxError, ValueError, RecursionError):
        return None
    condition = text.asked(decision)
    if condition is None or not added:
        return None
    literals = _literals(condition, original) or _looped(text, condition, original)
    places = [Place(text, each, original, added, case=case) for each in literals]
    written = _edited(path, text, places) if places else None
    if written is not None:
        return written
    found = constant_of(project, path, text, condition, lambda tree: _literals(tree, original))
    if found is None:
        return None
    literal = _literals(found.held.value, original)[0]
    place = Place(found.text, literal, original, added, found.held, case)
    return _edited(found.path, found.text, [place])


def _edited(path: str, text: Source, places: Sequence[Place]) -> Rewriting | None:
    changes = [place.splices() for place in places]
    if not all(changes):
        return None
    splices = dict.fromkeys(splice for change in changes for splice in change)
    edit = text.edited(list(splices))
    return None if edit is None else Rewriting(path, edit)


def _literals(tree: ast.AST, label: str) -> list[ast.Constant]:
    """Return the label's literals: as spelled if any is, else in any case, else in patterns."""
    strings = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    patterns = [call.args[0] for call in ast.walk(tree) if is_search(call)]
    exact = [node for node in strings if node.value == label and node not in patterns]
    folded = [node for node in strings if str(node.value).casefold() == label.casefold()]
    within = [node for node in strings if node in patterns and alternative(str(node.value), label)]
    return exact or folded or within


def _looped(text: Source, condition: ast.AST, label: str) -> list[ast.Constant]:
    """Return the label's literals in what the loops around a condition go through."""
    names = {node.id for node in ast.walk(condition) if isinstance(node, ast.Name)}
    loops = [node for node in text.ancestors(condition) if isinstance(node, ast.For)]
    return [
        literal
        for loop in loops
        if isinstance(loop.target, ast.Name) and loop.target.id in names
        for literal in _literals(loop.iter, label)
    ]
