"""What a process of a pool does: work on its items, and say what comes of them."""

from __future__ import annotations

import json
import traceback
from dataclasses import dataclass
from typing import Any, Callable, Tuple

from ...running.flight import Flight
from ...running.lines import Frame, Garbled
from ...running.workers import Report
from .limits import limit

Begin = Callable[[int, str], None]
Work = Callable[[int, int, Begin, Callable[[Any], None]], None]
_LONGEST_FAILURE = 2_000
_KINDS = (("value", object), ("over", bool), ("again", int), ("failed", str))


class Anew(Exception):  # noqa: N818 - a fact about the process
    """This process is of no more use: let another one go on with the next step."""


@dataclass
class Child:
    """Works on ``items``, on the first from the step ``start`` on."""

    work: Work
    items: Tuple[int, ...]
    start: int
    memory: int

    def run(self, report: Report, flight: Flight) -> None:
        """Report ``value``s, then that an item is ``over``; or why this process stops."""
        limit(self.memory)
        for item in self.items:
            frame = self._worked(item, report, flight)
            flight.end()
            report(frame)
            if "over" not in frame:
                return
            self.start = 0

    def _worked(self, item: int, report: Report, flight: Flight) -> Frame:
        step = -1

        def begin(number: int, text: str) -> None:
            nonlocal step
            step = number
            flight.begin(text.encode("utf-8", "replace"), number)

        flight.begin(b"", self.start)
        try:
            self.work(item, self.start, begin, lambda value: report({"item": item, "value": value}))
        except Anew:
            return {"item": item, "again": step}
        except BaseException:
            text = traceback.format_exc()[-_LONGEST_FAILURE:]
            return {"item": item, "failed": text, "step": step}
        return {"item": item, "over": True}


def read(line: bytes) -> Frame:
    """The report on a line; raises :class:`Garbled`."""
    try:
        frame = json.loads(line)
        numbers = (frame["item"], frame.get("step", 0))
        known = any(isinstance(frame[name], kind) for name, kind in _KINDS if name in frame)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise Garbled(f"{type(error).__name__}: {error}"[:200]) from error
    if not known or any(type(number) is not int for number in numbers):
        raise Garbled("not as reports are")
    return frame  # type: ignore[no-any-return]
