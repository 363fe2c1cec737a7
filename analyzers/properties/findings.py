"""What is said of a function that fails with a valid input."""

from __future__ import annotations

from analyzers.inference.saying import arguments, said
from analyzers.inference.terms import Terms
from analyzers.judging import DEATH
from analyzers.ports import Bench
from analyzers.properties.offers import offered
from analyzers.properties.telling import message, title
from analyzers.vocabulary import (
    Crashes,
    Criterion,
    Died,
    Explored,
    Failure,
    Finding,
    Json,
    JsonObject,
    Level,
    Raised,
    Target,
    Violated,
    Violates,
)

NAME = "properties"
CRASH, POSTCONDITION = "property/crash", "property/postcondition"


def found(
    failure: Failure, terms: Terms, explored: Explored, target: Target, bench: Bench
) -> Finding:
    """The finding of a failure that is certainly the code's.

    Where not all is said by a person, ``proposed`` in its evidence are the
    annotations that it was found by.
    """
    ending = failure.run.ending
    path, line, function = place_of(failure, target)
    rule = POSTCONDITION if isinstance(ending, Violated) else CRASH
    told, criterion, kind = _criterion(failure, target)
    code = _line(bench, path, line) if isinstance(ending, Raised) else ""
    return Finding(
        analyzer=NAME,
        rule=rule,
        level=Level.FAILURE,
        path=path,
        line=line,
        end_line=line,
        symbol=f"{path}::{function}",
        target=target.id,
        title=title(target, ending),
        message=message(failure, terms, explored, f"{path}:{line}", code),
        evidence={
            **told,
            **_evidence(failure, terms, explored),
            **_offer(terms, target, bench),
        },
        probes=(failure.probe,),
        criterion=criterion,
        input_kind=kind,
    )


def _offer(terms: Terms, target: Target, bench: Bench) -> JsonObject:
    proposed = [] if terms.given else offered(terms, target, bench.source(target.path))
    return {"proposed": proposed} if proposed else {}


def _line(bench: Bench, path: str, line: int) -> str:
    """A line of head as it stands there; empty where it is not there."""
    lines = bench.source(path).splitlines() if path in bench.paths() else []
    return lines[line - 1].strip() if 0 < line <= len(lines) else ""


def place_of(failure: Failure, target: Target) -> tuple[str, int, str]:
    """Return path, line and function of a failure: where it raised, else the target."""
    ending = failure.run.ending
    if isinstance(ending, Raised):
        return ending.path, ending.line, ending.function
    return target.path, target.line, target.function


def _criterion(failure: Failure, target: Target) -> tuple[JsonObject, Criterion, str]:
    """What a failure is recognised by: in the evidence, to the judge, in the fingerprint."""
    ending = failure.run.ending
    if isinstance(ending, Violated):
        told: JsonObject = {"postcondition": ending.condition, "detail": ending.detail}
        return told, Violates(ending.condition), ending.condition
    path, line, function = place_of(failure, target)
    where = f"{path}:{line}"
    if isinstance(ending, Raised):
        words = " ".join(ending.message.split())
        told = {"exception": ending.exception, "raised_at": where, "message": words}
        return told, Crashes(ending.exception, path, function), ending.exception
    assert isinstance(ending, Died)
    told = {"exception": DEATH, "raised_at": where, "message": f"signal {ending.signal}"}
    return told, Crashes(DEATH, "", ""), DEATH


def _evidence(failure: Failure, terms: Terms, explored: Explored) -> JsonObject:
    made: dict[str, Json] = dict(arguments(failure.probe))
    return {
        "arguments": made,
        "annotations": {name: said(term) for name, term in terms.terms.items()},
        "matters": list(failure.matters),
        "seen": failure.seen,
        "executions": explored.executions,
        "passed": explored.passed,
        "refused": explored.refused,
    }
