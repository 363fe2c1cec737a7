"""Answers on which base returns and head crashes, in code that the change touches.

Base has the very answers that head had, to the very same questions: it is the oracle, and no
further proof is needed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from analyzers.cloud import messages
from analyzers.cloud.answer_crashes import Crash, ExecutedProbe, crash_finding
from analyzers.cloud.examination import Examination
from analyzers.cloud.exception_handlers import is_handled
from analyzers.criteria import crash_of
from analyzers.source_checks.changed_source import changed_lines
from analyzers.source_checks.parsed_text import parsed
from analyzers.vocabulary import (
    Crashes,
    ErrorOrigin,
    Finding,
    Level,
    Raised,
    Returned,
    Run,
    Verdict,
)

MOST_COMPARED = 12


def regressions(look: Examination) -> Iterator[Verdict]:
    """Yield the crashes on answers that base handles, each once."""
    found: dict[Crash, ExecutedProbe] = {}
    for probe, run in [*look.executed, *look.plain]:
        crash = crash_of(run.ending)
        if crash is not None and crash not in found and _may_be_new(look, run):
            found[crash] = probe.answered(run.exchanges), run
    told = {finding.criterion for finding in look.findings}
    for crash, (probe, run) in list(found.items())[:MOST_COMPARED]:
        finding = crash_finding(look.target, probe, run)
        on_base = _on_base(look, finding, run)
        if finding.criterion in told or on_base is None or not _is_an_answers_doing(look, run):
            continue
        look.crashes.note(run)
        look.crashes.settle(crash)
        yield _regression(finding, on_base)


def judged_by_base(verdict: Verdict, look: Examination) -> Verdict:
    """Return a crash on an answer as a failure, where the change made it one."""
    is_crash = isinstance(verdict, Finding) and isinstance(verdict.criterion, Crashes)
    if not (is_crash and isinstance(verdict, Finding)) or verdict.level is not Level.WARNING:
        return verdict
    if not any(probe.script for probe in verdict.probes):
        return verdict
    run = look.bench.run(verdict.probes)[0]
    on_base = _on_base(look, verdict, run) if _may_be_new(look, run) else None
    return verdict if on_base is None else _regression(verdict, on_base)


def _regression(finding: Finding, on_base: Returned) -> Finding:
    return replace(
        finding,
        level=Level.FAILURE,
        message=f"{finding.message} {messages.base_returns(on_base.value)}",
        evidence={**finding.evidence, "base": on_base.value},
    )


def _on_base(look: Examination, finding: Finding, run: Run) -> Returned | None:
    """Return what base returned with the same answers to the same questions, if it did."""
    probes = [probe.answered(run.exchanges) for probe in finding.probes[:1]]
    before = look.bench.run_on_base(probes)
    if not before or not isinstance(before[0].ending, Returned):
        return None
    asked = [(each.api, each.digest, each.answer) for each in before[0].exchanges]
    known = [(each.api, each.digest, each.answer) for each in run.exchanges]
    return before[0].ending if asked[: len(known)] == known else None


def _may_be_new(look: Examination, run: Run) -> bool:
    """Return whether a run crashed after an answer, in code that differs from base's."""
    ending = run.ending
    if not isinstance(ending, Raised) or not run.exchanges or look.unjudged == messages.ASSUMED:
        return False
    before = look.bench.base(ending.path)
    text = look.bench.source(ending.path)
    changed = changed_lines("" if before is None else before[1], text)[1]
    if changed.isdisjoint(_lines_around(text, ending.line)):
        return False
    names = {each.rpartition(".")[2] for each in (ending.function, look.target.function)}
    return not any(is_handled(look.bench, name, ending.exception) for name in sorted(names))


def _lines_around(text: str, line: int) -> range:
    """Return the lines of the innermost function that a line is in, or the line alone."""
    tree = parsed(text)
    found = [
        range(node.lineno, (node.end_lineno or node.lineno) + 1)
        for node in ast.walk(tree or ast.Module([], []))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    around = [each for each in found if line in each]
    return min(around, key=len, default=range(line, line + 1))


def _is_an_answers_doing(look: Examination, run: Run) -> bool:
    """Return whether an answer is the cause, and no argument that was made up."""
    ending = run.ending
    known = isinstance(ending, Raised) and ending.origin is not ErrorOrigin.UNKNOWN
    avoided = any(isinstance(each.ending, Returned) for _, each in look.plain)
    return known or avoided or look.crashes.is_an_answers_doing(run)
