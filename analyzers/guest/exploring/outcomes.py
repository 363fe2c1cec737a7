"""What running an input comes to, and which failures are the same one."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Tuple

from .. import deaths
from ..endings import limited

RETURNED, REFUSED, FAILED, VIOLATED = "returned", "refused", "failed", "violated"
TIMED_OUT, NOT_RUN, DIED = "timed-out", "not-run", "died"
Key = Tuple[Any, ...]

_GUARDS = re.compile(
    r"(^|\.)(ValidationError|BeartypeCallHintParamViolation|BeartypeDoorHintViolation|ArgumentError)$"
)
_CHECKS = re.compile(r"^(jaxtyping|typeguard|beartype)\b.*(TypeCheckError|Violation)$")
_OF_RESULT = re.compile(r"return value|return hint|yielded", re.IGNORECASE)


@dataclass(frozen=True)
class Outcome:
    """How one input ended.  Failures with one ``key`` are the same failure.

    ``hits`` are the points that no input before has reached.
    """

    kind: str
    key: Key = ()
    ending: Optional[Mapping[str, Any]] = None
    hits: Tuple[int, ...] = field(default=(), compare=False)

    @property
    def is_failure(self) -> bool:
        """Whether it speaks against the code."""
        return self.kind in (FAILED, VIOLATED, DIED)

    def as_json(self) -> Dict[str, Any]:
        """As it goes from process to process."""
        found: Dict[str, Any] = {"kind": self.kind}
        if self.key:
            found["key"] = list(self.key)
        if self.ending is not None:
            found["ending"] = self.ending
        if self.hits:
            found["hits"] = list(self.hits)
        return found


def read(found: Mapping[str, Any]) -> Outcome:
    """The outcome that :meth:`Outcome.as_json` wrote."""
    hits: List[int] = found.get("hits", [])
    return Outcome(found["kind"], tuple(found.get("key", ())), found.get("ending"), tuple(hits))


def judged(ending: Mapping[str, Any], hits: Tuple[int, ...] = ()) -> Outcome:
    """The outcome of an ending of the protocol.

    An exception on purpose is a refusal of the input, and so is that of a
    library which checks arguments for the code.  What the environment lacks
    says nothing about the code.
    """
    kind = ending["kind"]
    if kind == "returned":
        return Outcome(RETURNED, hits=hits)
    if kind == "violated":
        return Outcome(VIOLATED, (VIOLATED, ending["condition"]), ending, hits)
    if kind == "timed-out":
        return Outcome(TIMED_OUT, hits=hits)
    if kind == "not-run":
        word = REFUSED if _is_refusal_of_guard(ending["reason"]) else NOT_RUN
        return Outcome(word, ending=ending, hits=hits)
    return _raised(ending, hits)


def _raised(ending: Mapping[str, Any], hits: Tuple[int, ...]) -> Outcome:
    if ending["refusal"] or is_guard(ending["exception"], ending["message"]):
        return Outcome(REFUSED, hits=hits)
    if ending["standin"]:
        reason = f"{ending['exception']}: {ending['message']}"
        return Outcome(NOT_RUN, ending={"kind": "not-run", "reason": reason}, hits=hits)
    line = 0 if ending["exception"] == "RecursionError" else ending["line"]
    key = (FAILED, ending["exception"], ending["path"], ending["function"], line)
    return Outcome(FAILED, key, ending, hits)


def died(number: int) -> Outcome:
    """The outcome of an input under which the process ended by a signal, or by leaving (0)."""
    if number == 0:
        return Outcome(REFUSED)
    if deaths.is_crash(number):
        return Outcome(DIED, (DIED, number))
    return Outcome(NOT_RUN, ending=limited(deaths.reason(number)))


def is_guard(exception: str, message: str) -> bool:
    """Whether an exception is that of a library that checks arguments: pydantic, jaxtyping."""
    if _GUARDS.search(exception):
        return True
    return bool(_CHECKS.search(exception)) and not _OF_RESULT.search(message)


def _is_refusal_of_guard(reason: str) -> bool:
    """Whether a call could not be made for a decorator that checks its arguments."""
    said = re.match(r"the call could not be made: ([\w.]+): (.*)", reason, re.DOTALL)
    return said is not None and is_guard(said[1], said[2])
