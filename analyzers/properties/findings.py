"""What is said of a function that fails with a valid input."""

from __future__ import annotations

from analyzers.judging import DEATH
from analyzers.properties.inference.nouns import Source
from analyzers.properties.terms import CONSTRUCTOR, Term, Terms
from analyzers.vocabulary import (
    Crashes,
    Died,
    Explored,
    Failure,
    Finding,
    Json,
    JsonObject,
    Level,
    Literal,
    Made,
    Probe,
    Raised,
    Target,
    Violated,
    Violates,
)

NAME = "properties"
LONGEST_RECIPE = 300


def found(failure: Failure, terms: Terms, explored: Explored, target: Target) -> Finding:
    """The finding of a failure that is certainly the code's."""
    ending = failure.run.ending
    evidence = _evidence(failure, terms, explored)
    if isinstance(ending, Violated):
        return Finding(
            analyzer=NAME,
            rule="property/postcondition",
            level=Level.FAILURE,
            path=target.path,
            line=target.line,
            end_line=target.line,
            symbol=target.id,
            target=target.id,
            title=f"`{_plain(target)}` breaks its postcondition `{ending.condition}`",
            message=(
                f"{_given(failure.probe)}{ending.detail}. {_validity(failure, terms, explored)}"
            ),
            evidence={"postcondition": ending.condition, "detail": ending.detail, **evidence},
            probes=(failure.probe,),
            criterion=Violates(ending.condition),
            input_kind=ending.condition,
        )
    if isinstance(ending, Raised):
        path, line, function = ending.path, ending.line, ending.function
        exception, said = ending.exception, " ".join(ending.message.split())
    else:
        assert isinstance(ending, Died)
        path, line, function = target.path, target.line, target.function
        exception, said = DEATH, f"signal {ending.signal}"
    where = f"{path}:{line}"
    does = "takes the process down" if exception == DEATH else f"raises {exception}"
    criterion = Crashes(DEATH, "", "") if exception == DEATH else Crashes(exception, path, function)
    return Finding(
        analyzer=NAME,
        rule="property/crash",
        level=Level.FAILURE,
        path=path,
        line=line,
        end_line=line,
        symbol=f"{path}::{function}",
        target=target.id,
        title=f"`{_plain(target)}` {does} for a valid input",
        message=(
            f"{_given(failure.probe)}the code raises `{exception}`"
            f"{f': {said}' if said else ''} at {where}. {_validity(failure, terms, explored)}"
        ),
        evidence={"exception": exception, "raised_at": where, "message": said, **evidence},
        probes=(failure.probe,),
        criterion=criterion,
        input_kind=exception,
    )


def _plain(target: Target) -> str:
    return target.function.replace(".<locals>", "")


def _given(probe: Probe) -> str:
    parts = [f"`{name} = {recipe}`" for name, recipe in _arguments(probe).items()]
    return f"Given {', '.join(parts)}, " if parts else "Called without arguments, "


def _arguments(probe: Probe) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, argument in probe.arguments.items():
        if isinstance(argument, Made | Literal):
            text = argument.recipe if isinstance(argument, Made) else argument.source
            found[name] = text if len(text) <= LONGEST_RECIPE else text[:LONGEST_RECIPE] + "…"
    return found


def _validity(failure: Failure, terms: Terms, explored: Explored) -> str:
    """How many inputs fail so, which arguments matter, and who says that they are valid."""
    share = f"{failure.seen} of {explored.executions} valid inputs end so."
    if failure.matters:
        names = ", ".join(f"`{name}`" for name in failure.matters)
        share += f" What matters is {names}."
    if terms.given or not terms.terms:
        return share
    relevant = {
        name: term
        for name, term in terms.terms.items()
        if not failure.matters or term in terms.of(failure.matters)
    }
    said = "; ".join(f"`{_name(name)}`: {_says(term)}" for name, term in relevant.items())
    return f"{share} Valid, since {said}."


def _name(name: str) -> str:
    return name.removeprefix(CONSTRUCTOR)


def _says(term: Term) -> str:
    where = f", {term.where}" if term.where else ""
    return f"`{term.constraint}` ({term.source.value}{where})"


def _evidence(failure: Failure, terms: Terms, explored: Explored) -> JsonObject:
    arguments: dict[str, Json] = dict(_arguments(failure.probe))
    return {
        "arguments": arguments,
        "annotations": {name: _term(term) for name, term in terms.terms.items()},
        "matters": list(failure.matters),
        "seen": failure.seen,
        "executions": explored.executions,
        "passed": explored.passed,
    }


def _term(term: Term) -> JsonObject:
    return {
        "constraint": term.constraint,
        "given": term.source is Source.GIVEN,
        "source": term.source.value,
        "confidence": term.confidence.name.lower(),
        "where": term.where,
    }
