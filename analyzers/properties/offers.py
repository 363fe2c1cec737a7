"""Inferred terms under which something was caught, as annotations to put above the functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from analyzers.guest.annotations.nouns import Annotations
from analyzers.guest.annotations.reading import Definition, definitions, read
from analyzers.inference.nouns import Confidence, Source
from analyzers.inference.spelling import comment_lines
from analyzers.inference.subject import parsed
from analyzers.inference.terms import CONSTRUCTOR, Term, Terms
from analyzers.vocabulary import Contract, Json, JsonObject, Target


def offered(terms: Terms, target: Target, source: str) -> list[Json]:
    """The annotations that would say what was inferred: ``path``, ``line``, ``lines`` a function.

    ``lines`` belong right before ``line``, that of the ``def`` or of its
    first decorator.  What is only guessed is left out.
    """
    tree = parsed(source)
    if tree is None or "<locals>" in target.function:
        return []
    nodes = dict(definitions(tree))
    said = read(source).functions
    found: list[Json] = []
    for name, contract, prefix in _functions(terms, target):
        node, own = nodes.get(name), said.get(name, Annotations())
        lines = [] if node is None else list(_lines(node, contract, own, _own(terms, prefix)))
        if node is not None and lines:
            place: JsonObject = {"path": target.path, "line": first_line(node), "lines": lines}
            found.append(place)
    return found


def first_line(node: Definition) -> int:
    """The line of a definition's first decorator, or of its ``def``."""
    return min([node.lineno, *(each.lineno for each in node.decorator_list)])


def _functions(terms: Terms, target: Target) -> Iterator[tuple[str, Contract, str]]:
    yield target.function, terms.contract, ""
    if terms.contract.constructor is not None:
        owner = target.function.rpartition(".")[0]
        yield f"{owner}.__init__", terms.contract.constructor, CONSTRUCTOR


def _own(terms: Terms, prefix: str) -> Mapping[str, Term]:
    """The terms of the function, or of its constructor, by parameter."""
    named = {name.removeprefix(CONSTRUCTOR): (name, term) for name, term in terms.terms.items()}
    return {
        plain: term
        for plain, (name, term) in named.items()
        if name.startswith(CONSTRUCTOR) == bool(prefix)
    }


def _lines(
    node: Definition, contract: Contract, said: Annotations, terms: Mapping[str, Term]
) -> Iterator[str]:
    indent = " " * node.col_offset
    parameters = {each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg)}
    inferred = [
        (name, term)
        for name, term in terms.items()
        if name in parameters
        and term.source is not Source.GIVEN
        and term.confidence >= Confidence.LIKELY
    ]
    for name, term in inferred:
        yield from comment_lines(f"@arg({name}): {term.constraint}", indent)
    written = {clause.source for clause in said.requires}
    if inferred:
        for condition in contract.requires:
            if condition not in written:
                yield from comment_lines(f"@require({condition})", indent)
