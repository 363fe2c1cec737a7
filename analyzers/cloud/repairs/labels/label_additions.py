"""Labels added to a constant collection that a condition uses by name."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from analyzers.cloud.repairs.labels.label_literals import (
    LabelLiteral,
    NamedCollection,
    alternative,
    is_search,
)
from analyzers.cloud.source_edits import Case, LineEdit, SourceText
from analyzers.guest.instrumentation.decisions import Decision

Function = ast.FunctionDef | ast.AsyncFunctionDef
Scope = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef
Find = Callable[[ast.AST], Sequence[ast.Constant]]


@dataclass(frozen=True)
class ProjectFiles:
    """The files in which a constant may stand: how one is read, and which there are."""

    read: Callable[[str], str]
    paths: Sequence[str] = ()

    def mentioning(self, name: str, path: str) -> Iterator[tuple[str, SourceText]]:
        """Yield the other files that can be parsed and have the name in them."""
        word = re.compile(rf"\b{re.escape(name)}\b")
        for other in self.paths:
            text = self.read(other) if other != path and other.endswith(".py") else ""
            if word.search(text):
                try:
                    yield other, SourceText(text)
                except (SyntaxError, ValueError, RecursionError):
                    continue


@dataclass(frozen=True)
class FoundConstant:
    """A constant in one of the files."""

    path: str
    text: SourceText
    held: NamedCollection


def constant_of(
    project: ProjectFiles, path: str, text: SourceText, condition: ast.AST, literals: Find
) -> FoundConstant | None:
    """Return the one constant that a condition uses and whose value has the literals."""
    for use in _uses_in(text, condition):
        name = _identifier(use)
        for where, source, scope in _scopes(project, path, text, use, name):
            bindings = [node for node in ast.walk(scope) if _is_binding(node, name)]
            if not bindings:
                continue
            value = _value(source, bindings[0]) if len(bindings) == 1 else None
            if value is not None and len(literals(value)) == 1:
                uses = _uses(project, where, source, scope, name)
                if uses is not None:
                    return FoundConstant(where, source, NamedCollection(value, (text, use), uses))
            break
    return None


def _uses_in(text: SourceText, condition: ast.AST) -> Iterator[ast.expr]:
    """Yield the names and fields of a condition; for a loop variable, those of its iterable."""
    loops = [node for node in text.ancestors(condition) if isinstance(node, ast.For)]
    for node in ast.walk(condition):
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
            yield node
        if isinstance(node, ast.Name):
            for loop in loops:
                if isinstance(loop.target, ast.Name) and loop.target.id == node.id:
                    yield from _names_in(loop.iter)


def _names_in(node: ast.AST) -> Iterator[ast.expr]:
    for each in ast.walk(node):
        if isinstance(each, ast.Name | ast.Attribute):
            yield each


def _scopes(
    project: ProjectFiles, path: str, text: SourceText, use: ast.expr, name: str
) -> Iterator[tuple[str, SourceText, Scope]]:
    """Yield where a name may be bound: its function, its file, the other files."""
    if isinstance(use, ast.Name):
        for node in text.ancestors(use):
            if isinstance(node, Function):
                yield path, text, node
    assert isinstance(text.tree, ast.Module)
    yield path, text, text.tree
    others = [
        (other, source, source.tree)
        for other, source in project.mentioning(name, path)
        if any(_is_binding(node, name) for node in ast.walk(source.tree))
    ]
    if len(others) == 1:
        yield others[0]


def _uses(
    project: ProjectFiles, path: str, text: SourceText, scope: Scope, name: str
) -> tuple[tuple[SourceText, ast.AST], ...] | None:
    inside = isinstance(scope, Function)
    texts = [text] if inside else [text, *(s for _, s in project.mentioning(name, path))]
    found: list[tuple[SourceText, ast.AST]] = []
    for source in texts:
        tree = scope if inside else source.tree
        if any(_renames(node, name) for node in ast.walk(tree)):
            return None
        loads = [
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.Name | ast.Attribute)
            and _identifier(node) == name
            and isinstance(node.ctx, ast.Load)
        ]
        found += [(source, node) for node in loads]
    return tuple(found)


def _renames(node: ast.AST, name: str) -> bool:
    """Return whether an import or export may hide uses of a name."""
    if isinstance(node, ast.ImportFrom):
        return any(each.name == name and each.asname not in (None, name) for each in node.names)
    return isinstance(node, ast.Global | ast.Nonlocal) and name in node.names


def _identifier(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def _is_binding(node: ast.AST, name: str) -> bool:
    named = isinstance(node, ast.Name | ast.Attribute) and _identifier(node) == name
    if named and isinstance(getattr(node, "ctx", None), ast.Store | ast.Del):
        return True
    return isinstance(node, ast.arg) and node.arg == name


def _value(text: SourceText, binding: ast.AST) -> ast.expr | None:
    parent = text.parents[binding]
    if isinstance(parent, ast.Assign) and parent.targets == [binding]:
        return parent.value
    return parent.value if isinstance(parent, ast.AnnAssign) else None


@dataclass(frozen=True, slots=True)
class FileRewrite:
    """Changed lines of a file."""

    path: str
    edit: LineEdit


def rewrite(
    source: str, decision: Decision, original: str, added: Sequence[str]
) -> LineEdit | None:
    """Return the lines in which ``decision`` takes the added labels as well.

    ``original`` is a label of the condition, in any case.  The new labels
    follow the case and the quotes of the code.  ``None``: the form of the
    condition is not understood, or it has the labels already.
    """
    found = rewrite_in(ProjectFiles(lambda _: source), "", decision, original, added)
    return None if found is None else found.edit


def rewrite_in(
    project: ProjectFiles,
    path: str,
    decision: Decision,
    original: str,
    added: Sequence[str],
    case: Case | None = None,
) -> FileRewrite | None:
    """Do as :func:`rewrite` does, in whichever file of the project the label stands.

    ``path`` is the file of the decision.  A constant is changed only if each
    of its uses in the project asks whether something is in it.  ``case``
    overrules the case of the code.
    """
    try:
        text = SourceText(project.read(path))
    except (SyntaxError, ValueError, RecursionError):
        return None
    condition = text.asked(decision)
    if condition is None or not added:
        return None
    literals = _literals(condition, original) or _looped(text, condition, original)
    places = [LabelLiteral(text, each, original, added, case=case) for each in literals]
    written = _edited(path, text, places) if places else None
    if written is not None:
        return written
    found = constant_of(project, path, text, condition, lambda tree: _literals(tree, original))
    if found is None:
        return None
    literal = _literals(found.held.value, original)[0]
    place = LabelLiteral(found.text, literal, original, added, found.held, case)
    return _edited(found.path, found.text, [place])


def _edited(path: str, text: SourceText, places: Sequence[LabelLiteral]) -> FileRewrite | None:
    changes = [place.splices() for place in places]
    if not all(changes):
        return None
    splices = dict.fromkeys(splice for change in changes for splice in change)
    edit = text.edited(list(splices))
    return None if edit is None else FileRewrite(path, edit)


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


def _looped(text: SourceText, condition: ast.AST, label: str) -> list[ast.Constant]:
    """Return the label's literals in what the loops around a condition go through."""
    names = {node.id for node in ast.walk(condition) if isinstance(node, ast.Name)}
    loops = [node for node in text.ancestors(condition) if isinstance(node, ast.For)]
    return [
        literal
        for loop in loops
        if isinstance(loop.target, ast.Name) and loop.target.id in names
        for literal in _literals(loop.iter, label)
    ]
