"""Annotations that cannot be read, or that no value meets: findings about the annotation."""

from __future__ import annotations

from collections.abc import Iterator

from analyzers.guest.annotations.nouns import Problem
from analyzers.guest.annotations.reading import read
from analyzers.ports import Bench
from analyzers.properties.findings import NAME
from analyzers.vocabulary import Finding, Level, Target, Written


def unreadable(target: Target, bench: Bench) -> Iterator[Finding]:
    """The annotations of a target, and of its class's constructor, that are wrong."""
    wanted = {target.function, f"{target.function.rpartition('.')[0]}.__init__"}
    lines = bench.source(target.path).splitlines()
    for problem in read(bench.source(target.path)).problems:
        if problem.function in wanted:
            yield _finding(problem, target, lines[problem.span.line - 1])


def _finding(problem: Problem, target: Target, text: str) -> Finding:
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


def unmet(target: Target, bench: Bench, annotation: str, problem: str) -> Finding | None:
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
