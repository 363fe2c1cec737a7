"""Annotations for functions that have none, as lines to put above them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from analyzers.guest.annotations.nouns import Annotations
from analyzers.guest.annotations.reading import definitions, read
from analyzers.guest.annotations.rendering import render
from analyzers.properties.inference.inferring import inferred
from analyzers.properties.inference.nouns import Confidence, Inferred, Required
from analyzers.properties.inference.subject import subject_of


@dataclass(frozen=True, slots=True)
class Proposal:
    """Lines to insert before line ``before`` of a file, about one function.

    ``sources`` say of each line how sure it is and why.
    """

    function: str
    before: int
    lines: tuple[str, ...]
    sources: tuple[str, ...]


def proposals(path: str, texts: Mapping[str, str]) -> Iterator[Proposal]:
    """What can be inferred of a file's functions and is not said there yet.

    Nested functions and those with annotations of their own for every
    argument are left out.  Raises ``SyntaxError`` where the file is no Python.
    """
    said = read(texts[path]).functions
    for name, node in sorted(definitions(ast.parse(texts[path])), key=lambda item: item[1].lineno):
        if "<locals>" not in name:
            proposal = _proposal(path, name, node, said.get(name, Annotations()), texts)
            if proposal is not None:
                yield proposal


def _proposal(
    path: str,
    name: str,
    node: ast.FunctionDef | ast.AsyncFunctionDef,
    said: Annotations,
    texts: Mapping[str, str],
) -> Proposal | None:
    subject = subject_of(path, name, texts)
    if subject is None or said.exclude or said.generator:
        return None
    known = inferred(subject)
    given = said.constraints
    args = [fact for name, fact in known.arguments.items() if name not in given]
    requires = (
        []
        if said.requires
        else [each for each in known.requires if each.confidence >= Confidence.LIKELY]
    )
    if not args:
        return None
    first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
    indent = " " * node.col_offset
    written = [f"#@arg({fact.parameter}): {render(fact.constraint)}" for fact in args]
    written += [f"#@require({each.condition})" for each in requires]
    return Proposal(
        name,
        first,
        tuple(indent + line for line in written),
        tuple(_source(fact) for fact in (*args, *requires)),
    )


def _source(fact: Inferred | Required) -> str:
    subject = fact.parameter if isinstance(fact, Inferred) else fact.condition
    where = f", {fact.where}" if fact.where else ""
    return f"{subject}: {fact.source.value}{where} ({fact.confidence.name.lower()})"


def applied(text: str, proposals: list[Proposal]) -> str:
    """The text with the proposed lines in it, line ends kept."""
    lines = text.splitlines(keepends=True)
    end = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    for proposal in sorted(proposals, key=lambda each: each.before, reverse=True):
        lines[proposal.before - 1 : proposal.before - 1] = [line + end for line in proposal.lines]
    return "".join(lines)
