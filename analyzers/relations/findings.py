"""What is said of a library call that does not behave as the calls it should agree with."""

from __future__ import annotations

from dataclasses import dataclass

from analyzers.inference.saying import arguments, said
from analyzers.inference.terms import Terms
from analyzers.judging import DEATH, crash_of
from analyzers.relations.agreements import no_reproducer
from analyzers.relations.telling import message, title
from analyzers.vocabulary import (
    Crashes,
    Criterion,
    Died,
    Failure,
    Finding,
    Json,
    JsonObject,
    Level,
    Raised,
    Reached,
    Suggestion,
    Target,
    Violated,
    Violates,
)

NAME = "relations"
CRASH = "relation/crash"
_GRAVE = ("crash", "status", "value")


@dataclass(frozen=True, slots=True)
class Shown:
    """A divergence that a run of the target showed, and what it is recognised by."""

    reached: Reached
    criterion: Criterion
    version: str
    known: bool = False

    @property
    def rule(self) -> str:
        """``value``, ``status`` or ``crash``."""
        return "crash" if isinstance(self.criterion, Crashes) else self.reached.divergence.rule

    @property
    def failure(self) -> Failure:
        """The run as one that failed."""
        return Failure(self.reached.probe, self.reached.run)


def criterion_of(reached: Reached) -> Criterion | None:
    """What a run that leads to a divergence is recognised by; ``None`` where it shows nothing."""
    ending = reached.run.ending
    if isinstance(ending, Violated):
        return Violates(ending.condition)
    crash = crash_of(ending)
    return None if crash is None else Crashes(*crash)


def gravest(shown: list[Shown]) -> list[Shown]:
    """Of what was shown of a call the gravest: one cause, one finding."""
    kept: dict[tuple[str, str, int], Shown] = {}
    for each in sorted(shown, key=lambda each: (_GRAVE.index(each.rule), not each.known)):
        at = each.reached.at
        kept.setdefault((each.reached.divergence.api, at.path, at.line), each)
    return list(kept.values())


def found(shown: Shown, terms: Terms, target: Target, suggestion: Suggestion | None) -> Finding:
    """The finding of a divergence that a valid input leads to."""
    reached, at = shown.reached, shown.reached.at
    return Finding(
        analyzer=NAME,
        rule=f"relation/{shown.rule}",
        level=Level.FAILURE if shown.rule == "crash" else Level.WARNING,
        path=at.path,
        line=at.line,
        end_line=at.line,
        symbol=f"{at.path}::{at.function}",
        target=target.id,
        title=title(reached),
        message=message(reached, shown.failure, terms, shown.version),
        evidence=_evidence(shown, terms),
        probes=(reached.probe,),
        criterion=shown.criterion,
        input_kind=reached.divergence.api,
        suggestion=suggestion,
    )


def _evidence(shown: Shown, terms: Terms) -> JsonObject:
    divergence, at = shown.reached.divergence, shown.reached.at
    made: dict[str, Json] = dict(arguments(shown.reached.probe))
    evidence: dict[str, Json] = {
        "api": divergence.api,
        "related": divergence.related,
        "relation": divergence.relation,
        "call": divergence.call,
        "library_version": shown.version,
        "outcome": divergence.outcome,
        "expected": divergence.expected,
        "arguments": made,
        "annotations": {name: said(term) for name, term in terms.terms.items()},
        "known": shown.known,
    }
    if divergence.note:
        evidence["note"] = divergence.note
    reason = no_reproducer(shown.criterion, divergence.api, divergence.relation)
    return evidence | _ended(shown, f"{at.path}:{at.line}") | reason


def _ended(shown: Shown, where: str) -> dict[str, Json]:
    ending = shown.reached.run.ending
    if isinstance(ending, Died):
        told = f"signal {ending.signal}"
        return {"exception": DEATH, "raised_at": where, "message": told}
    if isinstance(ending, Raised):
        said = " ".join(ending.message.split())
        raised = f"{ending.path}:{ending.line}"
        return {"exception": ending.exception, "raised_at": raised, "message": said}
    return {}
