"""How often engines failed, and whether that kept a run from testing."""

from __future__ import annotations

import threading
from collections import defaultdict

TOLERATED = 0.1
"""The share of an API's questions that may stay without an answer.

Fewer inputs widen an interval, they do not falsify it: CONTRACT.md's `error`
is for what could not be tested.
"""


class Troubles:
    """Questions of a run that an engine's failure left open; for several threads.

    One that was answered later, by a retry or when it was asked again, is not.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked: defaultdict[str, set[str]] = defaultdict(set)
        self._open: defaultdict[str, dict[str, str]] = defaultdict(dict)

    def answered(self, api: str, digest: str) -> None:
        """Note an answer, from an engine or a recording."""
        with self._lock:
            self._asked[api].add(digest)
            self._open[api].pop(digest, None)

    def failed(self, api: str, digest: str, reason: str) -> None:
        """Note that an engine failed."""
        with self._lock:
            self._asked[api].add(digest)
            self._open[api][digest] = reason

    @property
    def outages(self) -> tuple[str, ...]:
        """Why so many questions stayed open that the run is none, each reason once."""
        with self._lock:
            found = [
                reason
                for api, reasons in self._open.items()
                if len(reasons) > TOLERATED * len(self._asked[api])
                for reason in reasons.values()
            ]
        return tuple(dict.fromkeys(found))

    def describe(self) -> tuple[str, ...]:
        """A sentence for each API with open questions."""
        with self._lock:
            return tuple(
                f"{api}: {len(reasons)} of {len(self._asked[api])} questions got no answer"
                f" ({next(reversed(reasons.values()))})"
                for api, reasons in sorted(self._open.items())
                if reasons
            )
