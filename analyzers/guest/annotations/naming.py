"""Names in annotations that mean nothing where the function is defined."""

from __future__ import annotations

import ast
import builtins
import difflib
from typing import FrozenSet, Iterator, Optional, Sequence, Tuple

from .nouns import Annotations, Argument, Constraint, Expression, Span

RESULT_WORDS = frozenset({"result", "old", "finite", "unchanged", "repeatable", "matches"})
"""What only postconditions know: the result, an argument as it was, and words about them."""
SPECIAL = frozenset({"inf", "nan", "self", "cls"})

Misnamed = Tuple[str, str, Optional[Span]]
"""An annotation, what is wrong with it, and where it stands."""


class Names:
    """The names at the top level of a file."""

    def __init__(self, tree: ast.Module) -> None:
        self.functions: FrozenSet[str] = frozenset(
            node.name for node in tree.body if isinstance(node, ast.FunctionDef)
        )
        bound = {name for node in ast.walk(tree) for name in _bound(node)}
        self.open = "*" in bound
        self.known = frozenset(bound) | frozenset(dir(builtins)) | SPECIAL

    def unknown(self, source: str, more: Sequence[str] = ()) -> Optional[str]:
        """The first name of an expression that nothing is bound to."""
        if self.open:
            return None
        tree = ast.parse(source, mode="eval")
        own = {arg.arg for node in ast.walk(tree) for arg in _arguments(node)}
        own |= {
            node.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and node.id not in own | self.known | set(more):
                return node.id
        return None


def _bound(node: ast.AST) -> Iterator[str]:
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id


def _arguments(node: ast.AST) -> Sequence[ast.arg]:
    if isinstance(node, ast.Lambda):
        args = node.args
        return [*args.posonlyargs, *args.args, *args.kwonlyargs]
    return ()


def misnamed(
    said: Annotations, parameters: Sequence[str], names: Names, marked: FrozenSet[str]
) -> Iterator[Misnamed]:
    """What the annotations of a function name in vain; ``marked`` are the file's generators."""
    for arg in said.args:
        for problem in _in_constraint(arg.constraint, names, marked):
            yield arg.text, problem, arg.span
    for clauses, more in ((said.requires, frozenset()), (said.ensures, RESULT_WORDS)):
        for clause in clauses:
            known = [*parameters, *more]
            unknown = names.unknown(clause.source, known)
            if unknown is not None:
                yield clause.source, _unbound(unknown, known), clause.span


def _in_constraint(constraint: Constraint, names: Names, marked: FrozenSet[str]) -> Iterator[str]:
    for name, given in constraint.arguments:
        if name == "generator" and isinstance(given, Expression):
            yield from _in_generator(given.source, names, marked)
        else:
            yield from _in_argument(given, names, marked)


def _in_argument(given: Argument, names: Names, marked: FrozenSet[str]) -> Iterator[str]:
    if isinstance(given, Constraint):
        yield from _in_constraint(given, names, marked)
    elif isinstance(given, tuple):
        for item in given:
            yield from _in_argument(item, names, marked)
    elif not given.literal:
        unknown = names.unknown(given.source)
        if unknown is not None:
            yield _unbound(unknown, ())


def _in_generator(source: str, names: Names, marked: FrozenSet[str]) -> Iterator[str]:
    unknown = names.unknown(source)
    if unknown is not None:
        yield _unbound(unknown, sorted(marked))
    elif source in names.functions - marked:
        yield f"{source} is no generator: mark it with #@generator"


def _unbound(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    return f"there is no {name!r} here{hint}"
