"""Notes on findings that the text alone shows: why no run stands behind them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from analyzers.vocabulary import Finding, Skipped, TargetCounters, Written

NO_TARGET = "the function is no target: no call of a described ML API was found in it"
NO_TIME = "the time was spent before the function was run"


def with_witness_note(
    finding: Finding, counted: Mapping[str, TargetCounters], skipped: Iterable[Skipped]
) -> Finding:
    """Return a finding of the text with the reason why no run shows it; others as they are.

    Where a run shows the same, it has taken the finding's place.
    """
    if not isinstance(finding.criterion, Written):
        return finding
    counters = counted.get(finding.target) or counted.get(finding.symbol)
    if counters is None:
        reason = NO_TARGET
    elif counters.executions:
        reason = f"{counters.executions} runs of the function did not end here"
    else:
        reason = next((s.reason for s in skipped if s.target == finding.target), NO_TIME)
    return replace(finding, evidence={**finding.evidence, "not_run": reason})
