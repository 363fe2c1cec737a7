"""Findings that a change has fixed: inputs that fail on base and return on head."""

from __future__ import annotations

import re

from analyzers.guest.exploring.model_words import MODEL_WORDS
from analyzers.inference.saying import arguments, given
from analyzers.judging import crash_of
from analyzers.properties.findings import CRASH, NAME, POSTCONDITION, place_of
from analyzers.properties.telling import happened, title
from analyzers.vocabulary import (
    Contract,
    Crashes,
    Criterion,
    Failure,
    Finding,
    Json,
    Level,
    Raised,
    Target,
    Violated,
    Violates,
)

_WORDS = re.compile(rf"\b(?:agrees|{'|'.join(sorted(MODEL_WORDS))})\(")
"""Conditions about libraries and models, of which other rules tell."""


def failed_before(
    failure: Failure, contract: Contract, target: Target, text: str
) -> Finding | None:
    """Return the finding of an input that fails on base; ``None`` where no rule is about it.

    ``contract`` is what the input was drawn from, ``text`` the text on base of the
    file in which it fails.
    """
    ending = failure.run.ending
    crash = crash_of(ending)
    if isinstance(ending, Violated) and not _WORDS.search(ending.condition):
        rule, kind = POSTCONDITION, ending.condition
        criterion: Criterion = Violates(ending.condition)
        evidence: dict[str, Json] = {"postcondition": ending.condition, "detail": ending.detail}
    elif crash is not None:
        rule, kind, criterion = CRASH, crash[0], Crashes(*crash)
        evidence = _raised(failure, crash[0], target)
    else:
        return None
    path, line, function = place_of(failure, target)
    lines = text.splitlines()
    code = lines[line - 1].strip() if isinstance(ending, Raised) and line <= len(lines) else ""
    made: dict[str, Json] = dict(arguments(failure.probe))
    return Finding(
        analyzer=NAME,
        rule=rule,
        level=Level.FAILURE,
        path=path,
        line=line,
        end_line=line,
        symbol=f"{path}::{function}",
        target=target.id,
        title=title(target, ending),
        message=given(failure.probe) + happened(ending, f"{path}:{line}", code),
        evidence={**evidence, "arguments": made, "annotations": dict(contract.arguments)},
        probes=(failure.probe,),
        criterion=criterion,
        input_kind=kind,
    )


def _raised(failure: Failure, exception: str, target: Target) -> dict[str, Json]:
    ending = failure.run.ending
    path, line, _ = place_of(failure, target)
    said = " ".join(ending.message.split()) if isinstance(ending, Raised) else ""
    return {"exception": exception, "raised_at": f"{path}:{line}", "message": said}
