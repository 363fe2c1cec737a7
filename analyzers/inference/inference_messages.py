"""Inputs, and who says that they are valid, in sentences and in evidence."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterator

from analyzers.inference.facts import ConstraintSource
from analyzers.inference.function_contracts import CONSTRUCTOR, FunctionContract, ParameterContract
from analyzers.inference.input_validity import (
    extreme_argument,
    missing_state,
    mixed_arguments,
    number_between,
    weakest_parameter,
)
from analyzers.vocabulary import Failure, JsonObject, LiteralArgument, Probe, RecipeArgument

WIDTH = 100
_MORE = "#    "


def format_annotation(text: str) -> str:
    """An annotation, or a part of one, with strings in double quotes where that is as short."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return text
    lines = text.splitlines(keepends=True)
    for token in reversed(tokens):
        if token.type == tokenize.STRING and token.start[0] == token.end[0]:
            line = lines[token.start[0] - 1]
            inside = token.string[1:-1]
            plain = token.string.startswith("'") and not token.string.startswith("'''")
            quoted = f'"{inside}"' if plain and not {'"', "\\"} & set(inside) else token.string
            lines[token.start[0] - 1] = line[: token.start[1]] + quoted + line[token.end[1] :]
    return "".join(lines)


def format_comment_lines(annotation: str, indent: str = "") -> tuple[str, ...]:
    """``@arg(x): …`` as comment lines, broken after commas where it is too long."""
    whole = f"{indent}#{format_annotation(annotation)}"
    if len(whole) <= WIDTH:
        return (whole,)
    lines: list[str] = []
    for part in _parts(format_annotation(annotation)):
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


LONGEST_RECIPE = 300


def whole_recipes(probe: Probe) -> dict[str, str]:
    """Return the arguments of a probe by place, as the recipes that make them."""
    return {
        name: argument.recipe if isinstance(argument, RecipeArgument) else argument.source
        for name, argument in probe.arguments.items()
        if isinstance(argument, RecipeArgument | LiteralArgument)
    }


def argument_recipes(probe: Probe) -> dict[str, str]:
    """Return the recipes of a probe as they are shown: long ones are cut."""
    return {
        name: text if len(text) <= LONGEST_RECIPE else text[:LONGEST_RECIPE] + "…"
        for name, text in whole_recipes(probe).items()
    }


def given_clause(probe: Probe) -> str:
    """Return what a call is given, as the beginning of a sentence."""
    if probe.program is not None:
        said = probe.program.variation
        varied = f" {said}" if said.startswith("with") else f" with {said}" if said else ""
        return f"In the project's own example at {probe.program.place}{varied}, "
    parts = [f"`{name} = {recipe}`" for name, recipe in argument_recipes(probe).items()]
    return f"Given {join_words(parts)}, " if parts else "Called without arguments, "


def join_words(parts: list[str]) -> str:
    """``a, b and c``."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else "".join(parts)


def validity_sentence(failure: Failure, terms: FunctionContract) -> str:
    """Return who says that the input is valid."""
    if not terms.terms:
        return ""
    relevant = {
        name: term
        for name, term in terms.terms.items()
        if not failure.matters or term in terms.of(failure.matters)
    }
    if all(term.source is ConstraintSource.GIVEN for term in relevant.values()):
        return "The annotations of the function allow this input."
    said = "; ".join(
        f"`{name.removeprefix(CONSTRUCTOR)}`: {_source_phrase(term)}"
        for name, term in relevant.items()
    )
    return f"That this input is valid is inferred: {said}."


def _source_phrase(term: ParameterContract) -> str:
    where = f", {term.where}" if term.where else ""
    return f"`{format_annotation(term.constraint)}` ({term.source.value}{where})"


def doubt_sentence(failure: Failure, terms: FunctionContract) -> str:
    """Return why a failure may be the input's fault."""
    unset = missing_state(failure.run.ending, terms)
    if unset is not None:
        return f"`{unset}` of the instance is set elsewhere, which may have to come before"
    if terms.variadic is not None:
        return f"callers may have to give `{terms.variadic}`; an annotation would tell"
    tiny = extreme_argument(failure, terms)
    if tiny is not None:
        return f"only for so small a number as `{tiny}`; an annotation would tell"
    between, mixed = number_between(failure, terms), mixed_arguments(failure, terms)
    unseen = between and f"`{between}`, only numbers around it"
    unseen = unseen or (mixed and f"`{mixed}` together")
    if unseen:
        return f"no call seen gives {unseen}; an annotation would tell"
    term = weakest_parameter(failure, terms)
    if term is None:
        return "that is no crash"
    said = f"({format_annotation(term.constraint)}: {term.source.value})"
    return f"that the input is valid is only inferred {said}; an annotation would tell"


def parameter_evidence(term: ParameterContract) -> JsonObject:
    """A term as evidence has it."""
    return {
        "constraint": format_annotation(term.constraint),
        "given": term.source is ConstraintSource.GIVEN,
        "source": term.source.value,
        "confidence": term.confidence.name.lower(),
        "where": term.where,
    }
