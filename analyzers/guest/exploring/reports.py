"""What exploring processes report to the one that directs them, a line of JSON each.

Tested code shares a process with what reports, and may write there itself.  So
each line is looked at: it may lie, but nothing comes of it that could not be read.
"""

from __future__ import annotations

import json
from typing import Any, Callable, Mapping

from ..running.lines import Frame, Garbled
from .outcomes import DIED, FAILED, NOT_RUN, REFUSED, RETURNED, TIMED_OUT, VIOLATED

_KINDS = frozenset((RETURNED, REFUSED, FAILED, VIOLATED, TIMED_OUT, NOT_RUN, DIED))
_TEXTS = ("exception", "message", "path", "function", "condition", "detail", "reason")
_WRONG = (ValueError, TypeError, KeyError, AttributeError, StopIteration, RecursionError)
_PARTS = {FAILED: 5, VIOLATED: 2, DIED: 2}


def read(line: bytes) -> Frame:
    """The report on a line; raises :class:`Garbled`."""
    try:
        frame = json.loads(line)
        kind = next(kind for kind in _CHECKS if kind in frame)
        _CHECKS[kind](frame)
    except _WRONG as error:
        raise Garbled(f"{type(error).__name__}: {error}"[:200]) from error
    return frame  # type: ignore[no-any-return]


def _expect(holds: object) -> None:
    if not holds:
        raise ValueError("not as reports are")


def _input(frame: Mapping[str, Any]) -> None:
    _arguments(frame["input"])
    _expect(frame["seed"] is None or type(frame["seed"]) is int)
    _outcome(frame)


def _outcome(frame: Mapping[str, Any]) -> None:
    outcome = frame["outcome"]
    kind, key, ending = outcome["kind"], outcome.get("key", []), outcome.get("ending")
    _expect(kind in _KINDS and type(key) is list and len(key) == _PARTS.get(kind, 0))
    _expect(all(type(each) in (str, int) for each in key))
    _expect(all(type(each) is int for each in outcome.get("hits", [])))
    if kind in (FAILED, VIOLATED, NOT_RUN):
        _expect(type(ending) is dict)
        _expect(all(type(ending[name]) is str for name in _TEXTS if name in ending))
    if kind == NOT_RUN:
        _expect("reason" in ending)


def _arguments(text: Any) -> None:
    arguments = json.loads(text)
    _expect(all(type(each) is dict and "kind" in each for each in arguments.values()))


def _smallest(frame: Mapping[str, Any]) -> None:
    _arguments(frame["smallest"])


def _health(frame: Mapping[str, Any]) -> None:
    health = frame["health"]
    counts = (frame["seed"], health["drawn"], health["rejected"], *health["by"].values())
    _expect(all(type(each) is int for each in counts))


def _unmet(frame: Mapping[str, Any]) -> None:
    _expect(all(type(frame["unmet"][name]) is str for name in ("annotation", "problem")))


def _obstacle(frame: Mapping[str, Any]) -> None:
    _expect(type(frame["obstacle"]) is str)


def _matters(frame: Mapping[str, Any]) -> None:
    _expect(type(frame["matters"]) is str)


_CHECKS: Mapping[str, Callable[[Mapping[str, Any]], None]] = {
    "input": _input,
    "outcome": _outcome,
    "smallest": _smallest,
    "health": _health,
    "unmet": _unmet,
    "obstacle": _obstacle,
    "matters": _matters,
}
