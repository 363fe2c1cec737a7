"""What a run is doing, in words for the check at GitHub."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from analyzers.vocabulary import Finding, Target, Verdict

Tell = Callable[[str], None]


class Unfinished(KeyboardInterrupt):
    """An interruption that leaves a partial report; ``document`` makes it, with its files."""

    def __init__(self, document: Callable[[], Mapping[str, Any]]) -> None:
        super().__init__()
        self.document = document


class Teller:
    """Listens to a check and tells in one sentence where it is.

    The sentences name functions of the tested project: escape them.
    """

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._total = 0
        self._begun = 0
        self._findings = 0

    def detected(self, targets: Sequence[Target]) -> None:
        """Tell how many functions there are."""
        self._total = len(targets)
        if targets:
            self._tell(f"{_counted(self._total, 'function')} to test")

    def preparing(self, what: str) -> None:
        """Tell what takes time."""
        self._tell(what)

    def examining(self, target: Target) -> None:
        """Tell which function is tested, and what was found so far."""
        self._begun += 1
        found = f"; {_counted(self._findings, 'finding')} so far" if self._findings else ""
        self._tell(f"testing function {self._begun} of {self._total}: {target.id}{found}")

    def found(self, verdict: Verdict) -> None:
        """Count the findings."""
        self._findings += isinstance(verdict, Finding)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
