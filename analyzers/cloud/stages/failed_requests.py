"""Requests that fail: what the code does then, where it does not let the SDK's error through.

A service may refuse any request, or not answer in time.  Most code passes the SDK's error on, which
is no defect.  A handler of that error, and what comes behind it, runs only then: its own errors are
reported, and compared with base.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzers.cloud.answer_crashes import ExecutedProbe
from analyzers.cloud.declared_shapes import failures_of
from analyzers.cloud.examination import Examination
from analyzers.cloud.stages.shaped_answers import ControlCall, controls_of, is_caught, shape_finding
from analyzers.criteria import crash_of
from analyzers.vocabulary import Raised, Returned, Verdict

MOST_CONTROLS = 2


def failed_requests(look: Examination) -> Iterator[Verdict]:
    """Yield the errors of code that handles the failure of a request."""
    failures = {api.name: failures_of(api) for api in look.asked}
    if not any(failures.values()) or look.bench.remaining() <= 0:
        return
    told = {str(finding.evidence.get("raised_at")) for finding in look.findings}
    for control in _controls(look, {name for name, found in failures.items() if found}):
        shapes = failures[control.exchange.api]
        probes = [control.shaped(shape.name) for shape in shapes]
        executed = list(zip(probes, look.bench.run(probes), strict=True))
        look.failed += executed
        for shape, (probe, run) in zip(shapes, executed, strict=True):
            ending = run.ending
            if not isinstance(ending, Raised) or not control.took(run) or crash_of(ending) is None:
                continue
            if look.is_own_error(run):  # code/error reads it in the text
                continue
            where = f"{ending.path}:{ending.line}"
            if where in told or not shape.is_cause_of(ending) or is_caught(look, ending):
                continue
            told.add(where)
            look.crashes.note(run)
            yield shape_finding(look, shape, probe.answered(run.exchanges), run)


def _controls(look: Examination, names: set[str]) -> list[ControlCall]:
    """Return calls that an answer goes through, those first that lead furthest."""
    replayed = ((witness.probe, run) for witness, run in look.replayed)
    executed: list[ExecutedProbe] = [*look.plain, *replayed, *look.executed]
    through = [(probe, run) for probe, run in executed if isinstance(run.ending, Returned)]
    through.sort(key=lambda pair: -len(pair[1].hits))
    found = (control for pair in through for control in controls_of(*pair, names))
    first: dict[str, ControlCall] = {}
    for control in found:
        first.setdefault(control.exchange.api, control)
    return list(first.values())[:MOST_CONTROLS]
