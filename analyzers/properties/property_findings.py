"""Findings about functions that fail with a valid input."""

from __future__ import annotations

import re
from collections.abc import Iterator

from analyzers.criteria import DEATH, crash_of
from analyzers.guest.annotations.annotation_reader import read
from analyzers.guest.annotations.constraints import AnnotationProblem
from analyzers.guest.inputs.exploration.postconditions import MODEL_WORDS
from analyzers.inference.function_contracts import FunctionContract
from analyzers.inference.inference_messages import (
    argument_recipes,
    given_clause,
    parameter_evidence,
)
from analyzers.inference.input_validity import STATED, is_stated
from analyzers.ports import Executor
from analyzers.properties.annotation_proposals import offered
from analyzers.properties.messages import happened, message, title
from analyzers.source_checks.changed_source import changed_lines
from analyzers.vocabulary import (
    Contract,
    Crashes,
    Criterion,
    Died,
    ExplorationResult,
    Failure,
    Finding,
    Json,
    JsonObject,
    Level,
    Raised,
    RunOutcome,
    Target,
    Violated,
    Violates,
    Written,
)

NAME = "properties"
CRASH, POSTCONDITION = "property/crash", "property/postcondition"


def failure_finding(
    failure: Failure,
    terms: FunctionContract,
    explored: ExplorationResult,
    target: Target,
    bench: Executor,
    *,
    returns_on_base: bool = False,
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
        message=message(
            failure, terms, explored, (f"{path}:{line}", code), returns_on_base=returns_on_base
        ),
        evidence={
            **told,
            **_evidence(failure, terms, explored),
            **({STATED: True} if is_stated(failure, terms) else {}),
            **_offer(terms, target, bench),
            **(_cause(failure, target, bench) if returns_on_base else {}),
        },
        probes=(failure.probe,),
        criterion=criterion,
        input_kind=kind,
    )


def _cause(failure: Failure, target: Target, bench: Executor) -> JsonObject:
    """Return the changed files that made an unchanged line raise what it does not on base."""
    if is_at_change(failure.run.ending, bench):
        return {}
    return {"cause": [path for path in target.files if _is_changed(path, bench)]}


def is_at_change(ending: RunOutcome, bench: Executor) -> bool:
    """Return whether a run raised on a line that the change touches."""
    if not isinstance(ending, Raised) or ending.path not in bench.paths():
        return False
    before = bench.base(ending.path)
    lines = changed_lines("" if before is None else before[1], bench.source(ending.path))[1]
    return ending.line in lines


def _is_changed(path: str, bench: Executor) -> bool:
    before = bench.base(path)
    return path in bench.paths() and (before is None or before[1] != bench.source(path))


def _offer(terms: FunctionContract, target: Target, bench: Executor) -> JsonObject:
    proposed = [] if terms.given else offered(terms, target, bench.source(target.path))
    return {"proposed": proposed} if proposed else {}


def _line(bench: Executor, path: str, line: int) -> str:
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


def _evidence(failure: Failure, terms: FunctionContract, explored: ExplorationResult) -> JsonObject:
    made: dict[str, Json] = dict(argument_recipes(failure.probe))
    return {
        "arguments": made,
        "annotations": {name: parameter_evidence(term) for name, term in terms.terms.items()},
        "matters": list(failure.matters),
        "seen": failure.seen,
        "executions": explored.executions,
        "passed": explored.passed,
        "refused": explored.refused,
    }


_WORDS = re.compile(rf"\b(?:agrees|{'|'.join(sorted(MODEL_WORDS))})\(")
"""Conditions about libraries and models, of which other rules tell."""


def fixed_finding(
    failure: Failure, contract: Contract, target: Target, text: str
) -> Finding | None:
    """Return the finding of an input that fails on base; ``None`` where no rule is about it.

    ``contract`` is what the input was drawn from, ``text`` the text on base of the
    file in which it fails.
    """
    ending = failure.run.ending
    crash = crash_of(ending)
    if isinstance(ending, Violated) and not _WORDS.search(ending.condition):
        rule, kind = POSTCONDITION, ending.condition
        criterion: Criterion = Violates(ending.condition)
        evidence: dict[str, Json] = {"postcondition": ending.condition, "detail": ending.detail}
    elif crash is not None:
        rule, kind, criterion = CRASH, crash[0], Crashes(*crash)
        evidence = _raised(failure, crash[0], target)
    else:
        return None
    path, line, function = place_of(failure, target)
    lines = text.splitlines()
    code = lines[line - 1].strip() if isinstance(ending, Raised) and line <= len(lines) else ""
    made: dict[str, Json] = dict(argument_recipes(failure.probe))
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
        message=given_clause(failure.probe) + happened(ending, f"{path}:{line}", code),
        evidence={**evidence, "arguments": made, "annotations": dict(contract.arguments)},
        probes=(failure.probe,),
        criterion=criterion,
        input_kind=kind,
    )


def _raised(failure: Failure, exception: str, target: Target) -> dict[str, Json]:
    ending = failure.run.ending
    path, line, _ = place_of(failure, target)
    said = " ".join(ending.message.split()) if isinstance(ending, Raised) else ""
    return {"exception": exception, "raised_at": f"{path}:{line}", "message": said}


def unreadable(target: Target, bench: Executor) -> Iterator[Finding]:
    """The annotations of a target, and of its class's constructor, that are wrong."""
    wanted = {target.function, f"{target.function.rpartition('.')[0]}.__init__"}
    lines = bench.source(target.path).splitlines()
    for problem in read(bench.source(target.path)).problems:
        if problem.function in wanted:
            yield _finding(problem, target, lines[problem.span.line - 1])


def _finding(problem: AnnotationProblem, target: Target, text: str) -> Finding:
    span = problem.span
    return _said(
        target,
        line=span.line,
        text=text.strip(),
        annotation=problem.annotation,
        problem=problem.problem,
        column=span.column,
        function=problem.function,
    )


def unmet(target: Target, bench: Executor, annotation: str, problem: str) -> Finding | None:
    """An annotation that no value meets, as drawing has shown; ``None`` if it is not there."""
    plain = "".join(annotation.split())
    for number, line in enumerate(bench.source(target.path).splitlines(), 1):
        if plain and plain in "".join(line.split()):
            return _said(
                target,
                line=number,
                text=line.strip(),
                annotation=annotation,
                problem=problem,
                column=line.find("@") + 1,
                function=target.function,
            )
    return None


def _said(
    target: Target,
    *,
    line: int,
    text: str,
    annotation: str,
    problem: str,
    column: int,
    function: str,
) -> Finding:
    return Finding(
        analyzer=NAME,
        rule="property/invalid-annotation",
        level=Level.WARNING,
        path=target.path,
        line=line,
        end_line=line,
        symbol=f"{target.path}::{function}",
        target=target.id,
        title=f"Invalid annotation: {problem}",
        message=(
            f"`{' '.join(annotation.split())}` cannot be used: {problem} "
            f"({target.path}:{line}:{column}). The function is not tested with it."
        ),
        evidence={"annotation": annotation, "problem": problem, "column": column},
        probes=(),
        criterion=Written(target.path, text),
        input_kind=annotation,
    )
