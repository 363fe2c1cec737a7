"""Inputs, and who says that they are valid, in sentences and in evidence."""

from __future__ import annotations

from analyzers.inference.evidence import extreme, missing_state, weakest
from analyzers.inference.nouns import Source
from analyzers.inference.spelling import spelled
from analyzers.inference.terms import CONSTRUCTOR, Term, Terms
from analyzers.vocabulary import Failure, JsonObject, Literal, Made, Probe

LONGEST_RECIPE = 300


def arguments(probe: Probe) -> dict[str, str]:
    """The arguments of a probe by place, as the recipes that make them."""
    found: dict[str, str] = {}
    for name, argument in probe.arguments.items():
        if isinstance(argument, Made | Literal):
            text = argument.recipe if isinstance(argument, Made) else argument.source
            found[name] = text if len(text) <= LONGEST_RECIPE else text[:LONGEST_RECIPE] + "…"
    return found


def given(probe: Probe) -> str:
    """What a call is given, as the beginning of a sentence."""
    parts = [f"`{name} = {recipe}`" for name, recipe in arguments(probe).items()]
    return f"Given {listed(parts)}, " if parts else "Called without arguments, "


def listed(parts: list[str]) -> str:
    """``a, b and c``."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else "".join(parts)


def validity(failure: Failure, terms: Terms) -> str:
    """Who says that the input is valid."""
    if not terms.terms:
        return ""
    relevant = {
        name: term
        for name, term in terms.terms.items()
        if not failure.matters or term in terms.of(failure.matters)
    }
    if all(term.source is Source.GIVEN for term in relevant.values()):
        return "The annotations of the function allow this input."
    said = "; ".join(f"`{_name(name)}`: {_says(term)}" for name, term in relevant.items())
    return f"That this input is valid is inferred: {said}."


def _name(name: str) -> str:
    return name.removeprefix(CONSTRUCTOR)


def _says(term: Term) -> str:
    where = f", {term.where}" if term.where else ""
    return f"`{spelled(term.constraint)}` ({term.source.value}{where})"


def doubt(failure: Failure, terms: Terms) -> str:
    """Why a failure may be the input's fault."""
    unset = missing_state(failure.run.ending, terms)
    if unset is not None:
        return f"`{unset}` of the instance is set elsewhere, which may have to come before"
    if terms.variadic is not None:
        return f"callers may have to give `{terms.variadic}`; an annotation would tell"
    tiny = extreme(failure, terms)
    if tiny is not None:
        return f"only for so small a number as `{tiny}`; an annotation would tell"
    term = weakest(failure, terms)
    if term is None:
        return "that is no crash"
    said = f"({spelled(term.constraint)}: {term.source.value})"
    return f"that the input is valid is only inferred {said}; an annotation would tell"


def said(term: Term) -> JsonObject:
    """A term as evidence has it."""
    return {
        "constraint": spelled(term.constraint),
        "given": term.source is Source.GIVEN,
        "source": term.source.value,
        "confidence": term.confidence.name.lower(),
        "where": term.where,
    }
