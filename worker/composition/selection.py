"""Which findings stand inline: few, and the surest first."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from analyzers.vocabulary import Level, Status
from worker.report import wording
from worker.report.stored import StoredFinding, StoredReport


def selected(
    findings: Sequence[StoredFinding], most: int, standing: Collection[str] = ()
) -> tuple[StoredFinding, ...]:
    """Return at most ``most`` of the findings, the surest first.

    Findings whose fingerprints are ``standing`` inline keep their place,
    even where there are more of them by now.
    """
    ranked = sorted(findings, key=lambda f: (f.fingerprint not in standing, *_rank(f)))
    kept = sum(finding.fingerprint in standing for finding in ranked)
    return tuple(ranked[: max(most, kept)])


def remarkable(report: StoredReport) -> tuple[StoredFinding, ...]:
    """Return the findings that may stand inline: new defects that nobody ignores."""
    return tuple(
        finding
        for finding in wording.ordered(report)
        if finding.status is Status.NEW
        and finding.level is not Level.NOTICE
        and finding.fingerprint not in report.ignored
    )


def uncertainty(finding: StoredFinding) -> float:
    """Return the width of the widest 95 % interval, 0 for what happens every time."""
    parts = (finding.evidence, *(finding.evidence.get(name) for name in ("positive", "negative")))
    found = (wording.interval_of(part) for part in parts if isinstance(part, Mapping))
    return max((pair[1] - pair[0] for pair in found if pair), default=0.0)


def _rank(finding: StoredFinding) -> tuple[bool, bool, float, str, int, str]:
    return (
        finding.level is not Level.FAILURE,
        wording.suggested(finding) is None,
        uncertainty(finding),
        finding.path,
        finding.line,
        finding.fingerprint,
    )
