"""Findings about library calls that disagree with the calls related to them."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from analyzers.criteria import DEATH, crash_of
from analyzers.inference.function_contracts import FunctionContract
from analyzers.inference.inference_messages import argument_recipes, parameter_evidence
from analyzers.relations.library_names import parsed
from analyzers.relations.messages import message, title
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
    ReachedDivergence,
    Suggestion,
    Target,
    Violated,
    Violates,
)

TESTABLE = ("value", "reference", "float64", "strides", "decomposition")
"""The relations that a test can compare a call by, with torch alone."""


def agreement(condition: str) -> tuple[str, str, str] | None:
    """API, relation and related call of a postcondition ``agrees(…)``; ``None`` of another."""
    body = parsed(condition)
    if not isinstance(body, ast.Call) or not isinstance(body.func, ast.Name):
        return None
    if body.func.id != "agrees":
        return None
    parts = [each.value for each in body.args if isinstance(each, ast.Constant)]
    texts = [part for part in parts if isinstance(part, str)]
    return (texts[0], texts[1], texts[2]) if len(texts) == len(body.args) == 3 else None


def is_function(api: str) -> bool:
    """Return whether an API is a function or method of torch, whose calls a test can watch."""
    parts = api.split(".")
    return parts[0] == "torch" and parts[-1][:1].islower() and all(map(str.isidentifier, parts))


def no_reproducer(criterion: Criterion, api: str, relation: str) -> dict[str, Json]:
    """Return why no test can ask for an agreement, as evidence has it; empty where one can."""
    if not isinstance(criterion, Violates) or (relation in TESTABLE and is_function(api)):
        return {}
    what = f"what {relation} says" if is_function(api) else f"a call of {api}"
    return {"no_reproducer": f"{what} cannot be watched by a test that needs torch alone"}


NAME = "relations"
CRASH = "relation/crash"
_GRAVE = ("crash", "status", "value")


@dataclass(frozen=True, slots=True)
class ShownDivergence:
    """A divergence that a run of the target showed, and what it is recognised by."""

    reached: ReachedDivergence
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


def criterion_of(reached: ReachedDivergence) -> Criterion | None:
    """Return the criterion of a run that reaches a divergence; ``None`` where it shows nothing."""
    ending = reached.run.ending
    if isinstance(ending, Violated):
        return Violates(ending.condition)
    crash = crash_of(ending)
    return None if crash is None else Crashes(*crash)


def gravest(shown: list[ShownDivergence]) -> list[ShownDivergence]:
    """Of what was shown of a call the gravest: one cause, one finding."""
    kept: dict[tuple[str, str, int], ShownDivergence] = {}
    for each in sorted(shown, key=lambda each: (_GRAVE.index(each.rule), not each.known)):
        at = each.reached.at
        kept.setdefault((each.reached.divergence.api, at.path, at.line), each)
    return list(kept.values())


def found(
    shown: ShownDivergence, terms: FunctionContract, target: Target, suggestion: Suggestion | None
) -> Finding:
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


def _evidence(shown: ShownDivergence, terms: FunctionContract) -> JsonObject:
    divergence, at = shown.reached.divergence, shown.reached.at
    made: dict[str, Json] = dict(argument_recipes(shown.reached.probe))
    evidence: dict[str, Json] = {
        "api": divergence.api,
        "related": divergence.related,
        "relation": divergence.relation,
        "call": divergence.call,
        "library_version": shown.version,
        "outcome": divergence.outcome,
        "expected": divergence.expected,
        "arguments": made,
        "annotations": {name: parameter_evidence(term) for name, term in terms.terms.items()},
        "known": shown.known,
    }
    if divergence.note:
        evidence["note"] = divergence.note
    reason = no_reproducer(shown.criterion, divergence.api, divergence.relation)
    return evidence | _ended(shown, f"{at.path}:{at.line}") | reason


def _ended(shown: ShownDivergence, where: str) -> dict[str, Json]:
    ending = shown.reached.run.ending
    if isinstance(ending, Died):
        told = f"signal {ending.signal}"
        return {"exception": DEATH, "raised_at": where, "message": told}
    if isinstance(ending, Raised):
        said = " ".join(ending.message.split())
        raised = f"{ending.path}:{ending.line}"
        return {"exception": ending.exception, "raised_at": raised, "message": said}
    return {}
