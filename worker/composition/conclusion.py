"""From a verdict to the conclusion of a check run."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from worker.store.records import Policy, RunState


class CheckConclusion(StrEnum):
    """What GitHub may be told; ``success``, ``skipped`` and ``neutral`` let a change pass."""

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
        case "success" | "skipped" as verdict if not incomplete(document):
            return CheckConclusion(verdict)
        case _:
            return _outage(policy)


def incomplete(document: Mapping[str, Any]) -> bool:
    """Return whether something that the change touches was left untested."""
    return bool(document.get("partial")) or ours(document)


def ours(document: Mapping[str, Any]) -> bool:
    """Return whether our own failures, or a machine's, kept something from being tested."""
    return bool(document["broken"]) or any(s.get("our_fault") for s in document["skipped"])


def tested_throughout(document: Mapping[str, Any]) -> bool:
    """Return whether every target was tested, as far as the report says (older ones do not)."""
    return not document.get("partial") and all(
        target.get("tested", "yes") == "yes" for target in document["targets"]
    )


def _outage(policy: Policy) -> CheckConclusion:
    return CheckConclusion.NEUTRAL if policy.fail_open else CheckConclusion.ACTION_REQUIRED
