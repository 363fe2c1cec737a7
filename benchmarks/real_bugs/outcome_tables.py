"""Tables of what became of the bugs: by half, by kind, and one row a bug."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from benchmarks.real_bugs.bug_list import HALVES, KINDS, Bug
from benchmarks.real_bugs.pull_request_checks import OUTCOMES, CheckResult, Judged


@dataclass(frozen=True, slots=True)
class Row:
    """A bug, its newest result and what that says; both ``None`` where it was not checked."""

    bug: Bug
    result: CheckResult | None
    judged: Judged | None


def tables(rows: Sequence[Row]) -> str:
    """Return all tables as Markdown."""
    return "\n".join([*_sums(rows), "", *_single(rows)])


def _sums(rows: Sequence[Row]) -> Iterator[str]:
    outcomes = " | ".join(OUTCOMES)
    yield f"| half | kind | bugs | {outcomes} | false alarms | not checked | s, median |"
    yield "|---" * (len(OUTCOMES) + 6) + "|"
    for half in HALVES:
        own = [row for row in rows if row.bug.half == half]
        for kind in KINDS:
            of_kind = [row for row in own if row.bug.kind == kind]
            if of_kind:
                yield _sum(half, kind, of_kind)
        yield _sum(half, "all", own)


def _sum(half: str, kind: str, rows: Sequence[Row]) -> str:
    judged = [row.judged for row in rows if row.judged]
    times = Counter(each.outcome for each in judged)
    seconds = [row.result.seconds for row in rows if row.result]
    cells = [
        half, kind, len(rows), *(times[outcome] for outcome in OUTCOMES),
        sum(len(each.false_alarms) for each in judged), len(rows) - len(judged),
        round(median(seconds)) if seconds else "",
    ]  # fmt: skip
    return f"| {' | '.join(map(str, cells))} |"


def _single(rows: Sequence[Row]) -> Iterator[str]:
    yield "| bug | kind | outcome | verdict | executions | s | what was said, or why not |"
    yield "|---|---|---|---|---|---|---|"
    for row in rows:
        if row.result and row.judged:
            report = row.result.report
            executions = report.get("cost", {}).get("executions", 0)
            reason = " ".join(row.judged.reason.split()).replace("|", "\\|")
            yield (
                f"| {row.bug.id} | {row.bug.kind} | {row.judged.outcome} "
                f"| {report.get('verdict', 'none')} | {executions} | {row.result.seconds:.0f} "
                f"| {reason[:200]} |"
            )
