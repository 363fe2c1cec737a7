"""The verdict on a whole change."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from analyzers.vocabulary import (
    Broken,
    Conclusion,
    Finding,
    Level,
    Skipped,
    Status,
    Tested,
    Verdict,
)


def conclude(
    verdicts: Sequence[Verdict],
    *,
    tested: Sequence[Tested],
    gate: Conclusion = Conclusion.FAILURE,
    ignored: Collection[str] = (),
    partial: bool = False,
) -> Conclusion:
    """Return the verdict on the whole change (CONTRACT.md, section 1).

    ``tested`` has an entry for each target: success needs all of them tested.  A notice
    is no advice, and never changes the verdict.
    """
    standing = [
        verdict
        for verdict in verdicts
        if isinstance(verdict, Finding)
        and verdict.level is not Level.NOTICE
        and verdict.status is Status.NEW
        and verdict.fingerprint not in ignored
    ]
    if any(finding.level is Level.FAILURE for finding in standing):
        return gate
    if any(_ours(verdict) for verdict in verdicts):
        return Conclusion.ERROR
    if not tested:
        return Conclusion.NEUTRAL if verdicts else Conclusion.SKIPPED
    whole = not partial and all(each is Tested.YES for each in tested)
    return Conclusion.SUCCESS if whole and not standing else Conclusion.NEUTRAL


def _ours(verdict: Verdict) -> bool:
    return isinstance(verdict, Broken) or (isinstance(verdict, Skipped) and verdict.our_fault)
