"""A crash where a library no longer has a name: one cause, one finding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from analyzers.vocabulary import Finding, Verdict

CRASH = "property/crash"


def cause_of(verdict: Verdict, gone: Sequence[Finding]) -> Finding | None:
    """Of the names that libraries no longer have the one on whose line a function crashes."""
    if not isinstance(verdict, Finding) or verdict.rule != CRASH:
        return None
    place = verdict.path, verdict.line
    return next((each for each in gone if (each.path, each.line) == place), None)


def caused(verdict: Verdict, cause: Finding | None) -> Verdict:
    """The crash with what is known of its cause."""
    if cause is None or not isinstance(verdict, Finding):
        return verdict
    return replace(
        verdict,
        message=f"{verdict.message} {cause.message}",
        evidence={**verdict.evidence, **cause.evidence},
        suggestion=cause.suggestion,
    )
