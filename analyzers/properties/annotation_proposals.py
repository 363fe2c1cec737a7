"""Annotations for functions that have none, as lines to put above them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from analyzers.guest.annotations.annotation_reader import Definition, definitions, read
from analyzers.guest.annotations.constraints import Annotations
from analyzers.guest.annotations.syntax import render
from analyzers.inference.facts import (
    Confidence,
    ConstraintSource,
    InferredConstraint,
    InferredRequirement,
    parse_module,
)
from analyzers.inference.function_contracts import (
    CONSTRUCTOR,
    FunctionContract,
    ParameterContract,
    infer_contract,
    with_usual_strides,
)
from analyzers.inference.function_lookup import find_function
from analyzers.inference.inference_messages import format_comment_lines
from analyzers.vocabulary import Contract, Json, JsonObject, ObservedCall, Target


def offered(terms: FunctionContract, target: Target, source: str) -> list[Json]:
    """The annotations that would say what was inferred: ``path``, ``line``, ``lines`` a function.

    ``lines`` belong right before ``line``, that of the ``def`` or of its
    first decorator.  What is only guessed is left out.
    """
    tree = parse_module(source)
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


def _functions(terms: FunctionContract, target: Target) -> Iterator[tuple[str, Contract, str]]:
    yield target.function, terms.contract, ""
    if terms.contract.constructor is not None:
        owner = target.function.rpartition(".")[0]
        yield f"{owner}.__init__", terms.contract.constructor, CONSTRUCTOR


def _own(terms: FunctionContract, prefix: str) -> Mapping[str, ParameterContract]:
    """The terms of the function, or of its constructor, by parameter."""
    named = {name.removeprefix(CONSTRUCTOR): (name, term) for name, term in terms.terms.items()}
    return {
        plain: term
        for plain, (name, term) in named.items()
        if name.startswith(CONSTRUCTOR) == bool(prefix)
    }


def _lines(
    node: Definition, contract: Contract, said: Annotations, terms: Mapping[str, ParameterContract]
) -> Iterator[str]:
    indent = " " * node.col_offset
    parameters = {each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg)}
    inferred = [
        (name, term)
        for name, term in terms.items()
        if name in parameters
        and term.source is not ConstraintSource.GIVEN
        and term.confidence >= Confidence.LIKELY
    ]
    for name, term in inferred:
        yield from format_comment_lines(f"@arg({name}): {term.constraint}", indent)
    written = {clause.source for clause in said.requires}
    bare = parameters - {name for name, _ in inferred} - said.constraints.keys()
    for condition in contract.requires:
        if inferred and condition not in written and not names_in(condition) & bare:
            yield from format_comment_lines(f"@require({condition})", indent)


def names_in(condition: str) -> set[str]:
    """Return the names that a condition reads."""
    tree = ast.parse(condition, mode="eval")
    return {each.id for each in ast.walk(tree) if isinstance(each, ast.Name)}


LONGEST = 600
"""Characters of an annotation that is still read."""
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_TEST = re.compile(r"test_.*|.*_test|conftest|tests?")


@dataclass(frozen=True, slots=True)
class Proposal:
    """Lines to insert before line ``before`` of a file, about one function.

    ``sources`` say how sure each annotation is and why; ``guessed`` the same
    of what was left out, since it is only guessed.
    """

    function: str
    before: int
    lines: tuple[str, ...]
    sources: tuple[str, ...]
    guessed: tuple[str, ...] = ()


def is_test(path: str) -> bool:
    """Return whether a file holds tests, whose functions nobody else calls."""
    place = PurePosixPath(path)
    folders = {"test", "tests", "testing"} & set(place.parts[:-1])
    return bool(folders) or _TEST.fullmatch(place.stem) is not None


def proposals(
    path: str,
    texts: Mapping[str, str],
    calls: Sequence[ObservedCall] = (),
    least: Confidence = Confidence.LIKELY,
) -> Iterator[Proposal]:
    """Yield what can be inferred of a file's functions and is not said there yet.

    Nested functions and those with annotations of their own for every
    argument are left out, and what is less sure than ``least``.  ``calls``
    were recorded.  Raises ``SyntaxError`` where the file is no Python.
    """
    annotated = read(texts[path])
    known = dict(definitions(ast.parse(texts[path])))
    for name, node in sorted(known.items(), key=lambda item: item[1].lineno):
        said = annotated.functions.get(name, Annotations())
        if "<locals>" in name or said.exclude or said.generator:
            continue
        facts = _Facts.of(path, name, texts, said, calls)
        proposal = _proposal(facts, node, (name, frozenset(said.constraints)), least)
        if proposal is not None and _is_read_again(proposal, texts[path]):
            yield proposal


@dataclass(frozen=True, slots=True)
class _Facts:
    """The inferred constraints of a function that its annotations do not state."""

    arguments: tuple[InferredConstraint, ...] = ()
    requires: tuple[InferredRequirement, ...] = ()

    @classmethod
    def of(
        cls,
        path: str,
        name: str,
        texts: Mapping[str, str],
        said: Annotations,
        calls: Sequence[ObservedCall],
    ) -> _Facts:
        subject = find_function(path, name, texts)
        if subject is None:
            return cls()
        known = infer_contract(subject, [call for call in calls if call.function == name])
        given = said.constraints
        arguments = (fact for name, fact in known.arguments.items() if name not in given)
        return cls(tuple(arguments), () if said.requires else known.requires)


def _proposal(
    facts: _Facts, node: Definition, given: tuple[str, frozenset[str]], least: Confidence
) -> Proposal | None:
    """Return what to write above a function, ``given`` by name with what is annotated there.

    A condition on a parameter that no annotation speaks of would be tested of nothing.
    """
    name, annotated = given
    args = [fact for fact in facts.arguments if fact.confidence >= least]
    parameters = {each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg)}
    bare = parameters - annotated - {each.parameter for each in args}
    requires = [
        each
        for each in facts.requires
        if each.confidence >= max(least, Confidence.LIKELY) and not names_in(each.condition) & bare
    ]
    texts: dict[str, InferredConstraint | InferredRequirement] = {}
    texts |= {
        f"@arg({each.parameter}): {render(with_usual_strides(each.constraint))}": each
        for each in args
    }
    texts |= {f"@require({each.condition})": each for each in requires} if args else {}
    short = {text: fact for text, fact in texts.items() if len(text) <= LONGEST}
    guessed = tuple(_source(each) for each in facts.arguments if each.confidence < least)
    indent = " " * node.col_offset
    lines = tuple(line for text in short for line in format_comment_lines(text, indent))
    if not lines and not guessed:
        return None
    return Proposal(name, first_line(node), lines, tuple(map(_source, short.values())), guessed)


def _source(fact: InferredConstraint | InferredRequirement) -> str:
    subject = fact.parameter if isinstance(fact, InferredConstraint) else fact.condition
    where = f", {fact.where}" if fact.where else ""
    return f"{subject}: {fact.source.value}{where} ({fact.confidence.name.lower()})"


def _is_read_again(proposal: Proposal, text: str) -> bool:
    problems = len(read(applied(text, [proposal])).problems)
    return problems <= len(read(text).problems)


def lines_of(text: str) -> list[str]:
    """The lines that Python counts in a text, with their ends."""
    return _LINE.findall(text)


def applied(text: str, proposals: Sequence[Proposal]) -> str:
    """The text with the proposed lines in it, line ends kept."""
    lines = lines_of(text)
    end = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    for proposal in sorted(proposals, key=lambda each: each.before, reverse=True):
        lines[proposal.before - 1 : proposal.before - 1] = [line + end for line in proposal.lines]
    return "".join(lines)
