"""The guard clause for a crash, as a patch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from analyzers.cloud.repairs.guarding.guards import Crash, guard
from analyzers.code_errors import RULE
from analyzers.judging import DEATH
from analyzers.ports import Bench
from analyzers.vocabulary import Crashes, Finding, Probe, Returned, Run, Suggestion, Verdict

_MOST_RESULTS = 50


def guarded(verdict: Verdict, executed: Sequence[tuple[Probe, Run]], bench: Bench) -> Verdict:
    """A crash with a guard clause, if the code tells one; any other verdict as it is.

    A guard would hide an error of the code's own.

    ``executed``: runs of the finding's target, whose results say what the
    function returns when it does not crash.
    """
    if not isinstance(verdict, Finding):
        return verdict
    raised = verdict.criterion
    if not isinstance(raised, Crashes) or raised.exception == DEATH or verdict.rule == RULE:
        return verdict
    endings = [run.ending for _, run in executed] if verdict.symbol == verdict.target else []
    returned = [ending.value for ending in endings if isinstance(ending, Returned)]
    crash = Crash(verdict.line, raised.exception, str(verdict.evidence.get("message", "")))
    edit = guard(bench.source(verdict.path), crash, returned[:_MOST_RESULTS])
    if edit is None:
        return verdict
    suggestion = Suggestion(verdict.path, edit.start_line, edit.end_line, edit.replacement)
    return replace(verdict, suggestion=suggestion)
