"""What a model's constructor and its call are told of for one and the same reason."""

from __future__ import annotations

from analyzers.assembly.brittle import expected
from analyzers.assembly.findings import STATE
from analyzers.vocabulary import Crashes, Finding, Violates

_CONSTRUCTOR = "__init__"
_CALLS = frozenset({"forward", "__call__"})
_CRASH = "property/crash"


def same_cause(of_call: Finding, of_constructor: Finding) -> bool:
    """Whether a finding of a model's call tells what one of its constructor does.

    Either a crash in a layer that another layer's parameter does not fit, with the same
    exception and for the same size; or the same course of training, or of repetition.
    """
    one, _, called = of_call.target.rpartition(".")
    other, _, made = of_constructor.target.rpartition(".")
    if (one, made) != (other, _CONSTRUCTOR) or called not in _CALLS:
        return False
    if of_constructor.rule != STATE:
        return False
    if of_call.rule == _CRASH:
        return _is_crash_of(of_call, of_constructor)
    return of_call.rule == STATE and _word(of_call) == _word(of_constructor) != ""


def _is_crash_of(crash: Finding, state: Finding) -> bool:
    exception, _, words = str(state.evidence.get("consequence", "")).partition(": ")
    size = expected(words)
    same = isinstance(crash.criterion, Crashes) and crash.criterion.exception == exception
    return same and size is not None and size == expected(str(crash.evidence.get("message", "")))


def _word(finding: Finding) -> str:
    """The word of a condition: ``trains`` of ``trains(5)``; empty of another."""
    criterion = finding.criterion
    word = criterion.condition.partition("(")[0] if isinstance(criterion, Violates) else ""
    return word if word in {"trains", "settles"} else ""
