"""A report's document as it counts today: with what people ignore and accepted.

Documents are stored as they were made; what is ignored changes afterwards.
All here is plain JSON, so that the web app can use it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from enum import StrEnum
from typing import Any

from worker.store.records import IgnoreKind, IgnoreRecord, Policy, RunState


class CheckConclusion(StrEnum):
    """The conclusions for GitHub; ``success``, ``skipped`` and ``neutral`` let a change pass."""

    ACTION_REQUIRED = "action_required"
    CANCELLED = "cancelled"
    FAILURE = "failure"
    NEUTRAL = "neutral"
    SKIPPED = "skipped"
    SUCCESS = "success"


def conclusion_of(
    state: RunState, document: Mapping[str, Any] | None, policy: Policy
) -> CheckConclusion:
    """Conclude a run that is over, by its document as it stands today.

    An outage never passes, unless the repository asked for that.  Raises
    ``ValueError`` for a run that is not over.
    """
    if state is RunState.CANCELLED:
        return CheckConclusion.CANCELLED
    if not state.over:
        raise ValueError(f"a run that is {state.value} has no conclusion")
    if state is RunState.FAILED or document is None:
        return _outage(policy)
    match document["verdict"]:
        case "failure":
            return CheckConclusion(policy.gate)
        case "neutral":
            return CheckConclusion.NEUTRAL
        case "success" | "skipped" as verdict if not is_incomplete(document):
            return CheckConclusion(verdict)
        case _:
            return _outage(policy)


def is_incomplete(document: Mapping[str, Any]) -> bool:
    """Return whether something that the change touches was left untested."""
    return bool(document.get("partial")) or has_own_failures(document)


def has_own_failures(document: Mapping[str, Any]) -> bool:
    """Return whether our own failures, or a machine's, kept something from being tested."""
    return bool(document["broken"]) or any(s.get("our_fault") for s in document["skipped"])


def tested_throughout(document: Mapping[str, Any]) -> bool:
    """Return whether every target was tested, as far as the report says (older ones do not)."""
    return not document.get("partial") and all(
        target.get("tested", "yes") == "yes" for target in document["targets"]
    )


def _outage(policy: Policy) -> CheckConclusion:
    return CheckConclusion.NEUTRAL if policy.fail_open else CheckConclusion.ACTION_REQUIRED


Document = Mapping[str, Any]


def with_current_ignores(
    document: Document, ignores: Sequence[IgnoreRecord], today: date, gate: str = "failure"
) -> dict[str, Any]:
    """Return the document with today's ignores and baseline, and its verdict by them.

    Findings of the baseline count as existing.  Ignores past their date
    count no more, those of the repository's configuration either.  ``gate``
    is the verdict of a failure that counts again.
    """
    standing = {i.fingerprint: i for i in ignores if i.until is None or i.until >= today}
    findings = [_amended(f, standing.get(f["fingerprint"]), today) for f in document["findings"]]
    changed = {**document, "findings": findings}
    verdict = _verdict(document, changed, gate)
    passes = verdict in {"success", "skipped"}
    return {**changed, "verdict": "error" if passes and is_incomplete(document) else verdict}


def affects_verdict(finding: Mapping[str, Any]) -> bool:
    """Return whether a finding weighs on the verdict: new, not ignored, and more than told."""
    return (
        finding["status"] == "new" and finding["level"] != "notice" and not finding.get("ignored")
    )


def fails(finding: Mapping[str, Any]) -> bool:
    """Return whether a finding alone makes the verdict a failure."""
    return affects_verdict(finding) and finding["level"] == "failure"


def unneeded(
    document: Document, ignores: Sequence[IgnoreRecord], today: date
) -> tuple[IgnoreRecord, ...]:
    """Return the ignores whose target was tested and whose finding did not come."""
    there = {f["fingerprint"] for f in document["findings"] if f["status"] != "fixed"}
    return tuple(
        ignore
        for ignore in ignores
        if ignore.kind is IgnoreKind.IGNORED
        and (ignore.until is None or ignore.until >= today)
        and ignore.fingerprint not in there
        and ignore.target is not None
        and was_tested(document, ignore.target)
    )


def was_tested(document: Document, target: str) -> bool:
    """Return whether nothing kept a target from being tested from end to end."""
    left = {item["target"] for item in (*document["skipped"], *document["broken"])}
    tested = {t["id"] for t in document["targets"] if t.get("tested", "yes") == "yes"}
    executed = {t["id"] for t in document["targets"] if t["executions"]}
    path = target.partition("::")[0]
    return (
        target in tested & executed
        and not ({target, path, ""} & left)
        and not document.get("partial")
    )


def is_gone(document: Document, fingerprint: str, target: str | None) -> bool:
    """Return whether a finding that once stood is known to stand no more.

    Not known where its ``target`` (``None``: nobody remembers) could have
    shown it and was kept from being tested.
    """
    if any(f["fingerprint"] == fingerprint for f in document["findings"] if f["status"] != "fixed"):
        return False
    ours = [*document["broken"], *(s for s in document["skipped"] if s.get("our_fault"))]
    if document.get("partial") or any(item["target"] in {"", target} for item in ours):
        return False
    if target is None:
        return not ours
    skipped = {item["target"] for item in document["skipped"]}
    executed = {t["id"] for t in document["targets"] if t["executions"]}
    return target in executed or not skipped & {target, target.partition("::")[0]}


def _amended(
    finding: Mapping[str, Any], ignore: IgnoreRecord | None, today: date
) -> dict[str, Any]:
    found = {name: value for name, value in finding.items() if name != "ignored"}
    if ignore is None:
        own = finding.get("ignored")
        return {**found, "ignored": own} if own and not _is_past(own, today) else found
    if ignore.kind is IgnoreKind.BASELINE:
        return {**found, "status": "existing"} if found["status"] == "new" else found
    until = None if ignore.until is None else ignore.until.isoformat()
    return {**found, "ignored": {"reason": ignore.reason or "no reason given", "until": until}}


def _is_past(ignored: Mapping[str, Any], today: date) -> bool:
    try:
        return ignored["until"] is not None and date.fromisoformat(ignored["until"]) < today
    except ValueError:
        return True


def _verdict(before: Document, after: Document, gate: str) -> str:
    """The verdict of the changed findings, by what the first one says of all else."""
    verdict: str = before["verdict"]
    failed = any(map(fails, before["findings"]))
    if any(map(fails, after["findings"])):
        return verdict if failed else gate
    if has_own_failures(before) if failed else verdict == "error":
        return "error"
    if any(map(affects_verdict, after["findings"])):
        return "neutral"
    if any(map(affects_verdict, before["findings"])):
        return "success" if tested_throughout(before) else "neutral"
    return verdict
