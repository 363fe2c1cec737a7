"""What fuzzing found, each kind once."""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass, replace
from typing import Any, Dict, Mapping, Tuple

from ..oracles.oracle_registry import NOT_INTERNAL
from ..relation_types import (
    CRASH,
    CRASHED,
    EXCEPTION,
    HUNG,
    STATUS,
    SUCCESS,
    CallOutcome,
    Disagreement,
)

GOES_ON = "a result or an exception: the process goes on"
ENDS = "a result or an exception in time"
_EXPECTED = CallOutcome(SUCCESS, GOES_ON)
_IN_TIME = CallOutcome(SUCCESS, ENDS)
_SAYS_WHY = CallOutcome(EXCEPTION, "an exception that says what is wrong with the arguments")
_LARGE = re.compile(r"(?<![\d.])\d{8,}(?![\d.])")
_NUMBER = re.compile(r"-?\d[\w.+-]*|\[[^\]]*\]|\([^)]*\)|0x[0-9a-f]+")

Row = Dict[str, Any]


@dataclass(frozen=True)
class FuzzFinding:
    """A call, by its text, and what it disagrees with."""

    call: str
    disagreement: Disagreement

    @property
    def key(self) -> Tuple[str, ...]:
        """What is the same for findings of one kind, whatever their values."""
        return key(self.disagreement)

    @property
    def ends_process(self) -> bool:
        """Whether the call takes its process down, or never comes back."""
        return ends_process(self.disagreement)

    def smaller(self, call: str) -> FuzzFinding:
        """The same with another call."""
        return replace(self, call=call)

    def row(self) -> Row:
        """As a ``divergence`` of the study's report."""
        found = self.disagreement
        return {
            "kind": "divergence",
            "api": found.api,
            "rule": found.rule,
            "relation": found.relation,
            "related": found.related,
            "call": self.call,
            "outcome": found.outcome.text,
            "expected": found.expected.text,
        }


def key(found: Disagreement) -> Tuple[str, ...]:
    """API, rule, relation and kind of a disagreement.

    The kind is how both ended, and for values what is wrong about them: shape,
    dtype, how many there are, NaN, or the elements.
    """
    ends = (found.outcome.status, found.outcome.exception, found.expected.status)
    return (found.api, found.rule, found.relation, found.related, *ends, _kind(found))


def _kind(found: Disagreement) -> str:
    if found.outcome.status != SUCCESS:
        return str(found.outcome.signal) or _NUMBER.sub("#", found.outcome.text)[:60]
    for word in ("dtype is", "shape is", "items, expected"):
        if word in found.expected.text:
            return word
    both = [_class(found.outcome.text), _class(found.expected.text)]
    return " ".join(both)


def _class(text: str) -> str:
    return "not finite" if re.search(r"\b(nan|inf)\b", text) else "finite"


def ends_process(found: Disagreement) -> bool:
    """Whether the process died of it or hung."""
    return found.outcome.status == HUNG or (
        found.outcome.status == CRASHED and not found.outcome.exception
    )


def death_disagreement(api: str, number: int) -> Disagreement:
    """That a call took its process down: by a signal, or 0 where it left by itself."""
    text = signal.Signals(number).name if number else "it ended the process"
    return Disagreement(
        api, GOES_ON, STATUS, CRASH, CallOutcome(CRASHED, text, "", number), _EXPECTED
    )


def internal_assertion(api: str, outcome: CallOutcome) -> Disagreement:
    """That an assertion inside the library failed."""
    return Disagreement(api, NOT_INTERNAL, STATUS, CRASH, outcome, _SAYS_WHY)


def hang_disagreement(api: str, seconds: float) -> Disagreement:
    """That a call did not come back."""
    outcome = CallOutcome(HUNG, f"no result after {seconds:g} s")
    return Disagreement(api, ENDS, STATUS, STATUS, outcome, _IN_TIME)


def asks_for_much(call: str) -> bool:
    """Whether a call has a whole number so large that work in proportion to it takes long."""
    return _LARGE.search(call) is not None


def pack_finding(finding: FuzzFinding) -> Row:
    """A finding as plain data, for another process."""
    found = finding.disagreement
    return {
        **finding.row(),
        "outcome": _packed(found.outcome),
        "expected": _packed(found.expected),
    }


def _packed(outcome: CallOutcome) -> Row:
    return {name: getattr(outcome, name) for name in ("status", "text", "exception", "signal")}


def unpack_finding(row: Mapping[str, Any]) -> FuzzFinding:
    """The finding that plain data is."""
    texts = [row[name] for name in ("api", "related", "relation", "rule")]
    ends = [CallOutcome(**row[name]) for name in ("outcome", "expected")]
    return FuzzFinding(row["call"], Disagreement(*texts, *ends))
