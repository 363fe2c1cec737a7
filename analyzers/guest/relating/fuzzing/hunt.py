"""What is known of one API while it is fuzzed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union

from ..running import Died, Done, Failed, Hung, Result
from .findings import Finding, Row, asks_for_much, death, hang, unpacked

CHOICES = 3
"""How many calls of a kind are tried until one repeats what it showed."""

_LONGEST_NOTE = 500

Ended = Union[Died, Hung]
Key = Tuple[str, ...]


@dataclass(frozen=True)
class Fuzzed:
    """What came of an API: how many calls were judged, its divergences, and what is to be noted.

    ``rows`` are confirmed and as small as they were made; see :meth:`Finding.row`.
    """

    api: str
    executions: int
    rows: Tuple[Row, ...]
    notes: Tuple[str, ...] = ()


class Hunt:
    """Findings of one API by their kinds, until they are confirmed."""

    def __init__(self, api: str) -> None:
        self._api = api
        self._found: Dict[Key, List[Tuple[bool, int, Finding]]] = {}
        self._confirmed: Dict[Key, Finding] = {}
        self._ended: Dict[Key, int] = {}
        self._notes: List[str] = []
        self._executions = 0
        self._start = 0

    def take(self, result: Result) -> None:
        """The process reports something, or has failed."""
        if isinstance(result, Done):
            self._reported(result.value)
        elif isinstance(result, Failed):
            self._notes.append(result.text)

    def _reported(self, value: Any) -> None:
        if isinstance(value, int):
            self._executions += value
        else:
            self._keep(unpacked(value), is_exact=value["exact"])

    def end(self, result: Ended, call: str, is_exact: bool) -> None:
        """A call has ended the process; empty where it cannot be told."""
        self._executions += result.step + 1 - self._start
        self._start = result.step + 1
        if isinstance(result, Died):
            found = death(self._api, result.signal)
        else:
            found = hang(self._api, result.seconds)
        if call and isinstance(result, Hung) and asks_for_much(call):
            self._notes.append(f"it takes as long as it is asked to: {call}"[:_LONGEST_NOTE])
        elif call:
            finding = Finding(call, found)
            self._ended.setdefault(finding.key, result.step)
            self._keep(finding, is_exact)
        else:
            self._notes.append(f"no text: {found.outcome.text} at {result.step}")

    def _keep(self, finding: Finding, is_exact: bool) -> None:
        """Those of each kind whose text is exact, and short, come first."""
        calls = self._found.setdefault(finding.key, [])
        calls.append((not is_exact, len(finding.call), finding))
        calls.sort(key=lambda item: item[:2])
        del calls[CHOICES:]

    def open(self, choice: int) -> List[Finding]:
        """Of each kind that is not confirmed the call to try after so many others."""
        return [
            calls[choice][2]
            for kind, calls in self._found.items()
            if kind not in self._confirmed and choice < len(calls)
        ]

    def confirm(self, kept: Mapping[Finding, Optional[Finding]]) -> None:
        """What came of trying: the smallest call, ``None`` where it was not repeated."""
        for kind, calls in self._found.items():
            for _, _, finding in calls:
                made = kept.get(finding)
                if made is not None:
                    self._confirmed.setdefault(kind, made)

    @property
    def unrepeated(self) -> List[int]:
        """The first inputs of each death that no call repeats alone."""
        open_ends = [kind for kind in self._ended if kind not in self._confirmed]
        return [self._ended[kind] for kind in open_ends]

    def blame(self, step: int, before: str) -> None:
        """An input ends the process again after that call."""
        text = f"not repeated alone, input {step} ends the process after {before}"
        self._notes.append(text[:_LONGEST_NOTE])

    def told(self) -> Fuzzed:
        """What came of it; two that shrinking made the same are one."""
        rows: Dict[Key, Row] = {}
        notes = list(self._notes)
        for kind, calls in self._found.items():
            kept = self._confirmed.get(kind)
            if kept is None:
                outcome = calls[0][2].disagreement.outcome.text
                text = f"not repeated: {kind[1:4]} {outcome} {calls[0][2].call}"
                notes.append(text[:_LONGEST_NOTE])
            else:
                rows.setdefault((*kind[1:4], kept.call), kept.row())
        return Fuzzed(self._api, self._executions, tuple(rows.values()), tuple(notes))
