"""Outcomes of running an input, and the identity of failures."""

from __future__ import annotations

import gc
import re
from dataclasses import dataclass, field
from typing import Any, Dict, FrozenSet, List, Mapping, Optional, Sequence, Tuple

from ...protocol import api_calls
from ...runtime import exit_reasons
from ...runtime.call_outcomes import limited
from ...runtime.execution import Arguments, PreparedTarget, execute
from ..recipes import Recipe

RETURNED, REFUSED, FAILED, VIOLATED = "returned", "refused", "failed", "violated"
TIMED_OUT, NOT_RUN, DIED = "timed-out", "not-run", "died"
Key = Tuple[Any, ...]

_GUARDS = re.compile(
    r"(^|\.)(ValidationError|BeartypeCallHintParamViolation|BeartypeDoorHintViolation|ArgumentError)$"
)
_CHECKS = re.compile(r"^(jaxtyping|typeguard|beartype)\b.*(TypeCheckError|Violation)$")
_OF_RESULT = re.compile(r"return value|return hint|yielded", re.IGNORECASE)


@dataclass(frozen=True)
class InputOutcome:
    """The outcome of one input.  Failures with one ``key`` are the same failure."""

    kind: str
    key: Key = ()
    ending: Optional[Mapping[str, Any]] = None
    hits: Tuple[int, ...] = field(default=(), compare=False)

    @property
    def is_failure(self) -> bool:
        """Return whether it speaks against the code."""
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


def read_outcome(found: Mapping[str, Any]) -> InputOutcome:
    """The outcome that :meth:`Outcome.as_json` wrote."""
    hits: List[int] = found.get("hits", [])
    return InputOutcome(
        found["kind"], tuple(found.get("key", ())), found.get("ending"), tuple(hits)
    )


def outcome_of(ending: Mapping[str, Any], hits: Tuple[int, ...] = ()) -> InputOutcome:
    """Return the outcome of a protocol ending; a library's check of arguments is a refusal, too."""
    kind = ending["kind"]
    if kind == "returned":
        return InputOutcome(RETURNED, hits=hits)
    if kind == "violated":
        return InputOutcome(VIOLATED, (VIOLATED, ending["condition"]), ending, hits)
    if kind == "timed-out":
        return InputOutcome(TIMED_OUT, hits=hits)
    if kind == "not-run":
        word = REFUSED if _is_refusal_of_guard(ending["reason"]) else NOT_RUN
        return InputOutcome(word, ending=ending, hits=hits)
    return _raised(ending, hits)


def _raised(ending: Mapping[str, Any], hits: Tuple[int, ...]) -> InputOutcome:
    if ending["refusal"] or is_guard(ending["exception"], ending["message"]):
        return InputOutcome(REFUSED, hits=hits)
    if ending["standin"]:
        reason = f"{ending['exception']}: {ending['message']}"
        return InputOutcome(NOT_RUN, ending={"kind": "not-run", "reason": reason}, hits=hits)
    line = 0 if ending["exception"] == "RecursionError" else ending["line"]
    key = (FAILED, ending["exception"], ending["path"], ending["function"], line)
    return InputOutcome(FAILED, key, ending, hits)


def outcome_of_death(number: int) -> InputOutcome:
    """The outcome of an input under which the process ended by a signal, or by leaving (0)."""
    if number == 0:
        return InputOutcome(REFUSED)
    if exit_reasons.is_crash(number):
        return InputOutcome(DIED, (DIED, number))
    return InputOutcome(NOT_RUN, ending=limited(exit_reasons.reason(number)))


def is_guard(exception: str, message: str) -> bool:
    """Return whether an exception comes from a validation library: pydantic, jaxtyping."""
    if _GUARDS.search(exception):
        return True
    return bool(_CHECKS.search(exception)) and not _OF_RESULT.search(message)


def _is_refusal_of_guard(reason: str) -> bool:
    said = re.match(r"the call could not be made: ([\w.]+): (.*)", reason, re.DOTALL)
    return said is not None and is_guard(said[1], said[2])


_COLLECT_EVERY = 200
Inputs = Mapping[str, Recipe]


class InputRunner:
    """Runs inputs of one target, each with values of its own."""

    def __init__(self, prepared: PreparedTarget, seconds: float, ensures: Sequence[str]) -> None:
        self._prepared = prepared
        self._seconds = seconds
        self._ensures = ensures
        self._seen: FrozenSet[int] = frozenset()
        self._runs = 0

    def run(self, arguments: Arguments) -> InputOutcome:
        """Run one input; ``hits`` of the outcome are the points reached for the first time."""
        self._runs += 1
        if self._runs % _COLLECT_EVERY == 0:
            gc.collect()
        result = execute(
            self._prepared,
            arguments,
            api_calls.EmptyAnswers(),
            self._seconds,
            self._ensures,
            describe=_returned,
        )
        new: Tuple[int, ...] = ()
        if not result.hits <= self._seen:
            new = tuple(sorted(result.hits - self._seen))
            self._seen |= result.hits
        return outcome_of(result.ending, new)


def _returned(value: Any) -> Dict[str, Any]:
    del value
    return {"kind": "returned"}


def as_arguments(inputs: Inputs) -> Dict[str, Dict[str, Any]]:
    """Recipes as arguments that are run here: nothing is written and read again."""
    return {place: {"kind": "made", "recipe": recipe} for place, recipe in inputs.items()}


def as_protocol(inputs: Inputs) -> Dict[str, Dict[str, Any]]:
    """Recipes as the arguments of the protocol."""
    return {place: {"kind": "made", "recipe": recipe.source()} for place, recipe in inputs.items()}
