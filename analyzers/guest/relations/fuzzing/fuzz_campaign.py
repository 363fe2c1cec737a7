"""Fuzzing campaigns over the APIs of a library."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator, Mapping, Optional, Sequence, Union

from ..process_pool import ItemFailed, ItemReport, ProcessDied, ProcessHung, ProcessPool, Result
from ..relation_types import Library
from .finding_shrinking import shrink_findings
from .fuzz_findings import (
    FuzzFinding,
    Row,
    asks_for_much,
    death_disagreement,
    hang_disagreement,
    unpack_finding,
)
from .fuzz_workers import FuzzSettings, FuzzSubject, FuzzWork, memory_spoilers, texts

CHOICES = 3
"""How many calls of a kind are tried until one repeats what it showed."""

_LONGEST_NOTE = 500

ProcessEnd = Union[ProcessDied, ProcessHung]
Key = tuple[str, ...]


@dataclass(frozen=True)
class FuzzedApi:
    """Result for an API: how many calls were judged, confirmed minimal ``rows``, and notes."""

    api: str
    executions: int
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()


class ApiFuzzing:
    """Findings of one API by their kinds, until they are confirmed."""

    def __init__(self, api: str) -> None:
        self._api = api
        self._found: dict[Key, list[tuple[bool, int, FuzzFinding]]] = {}
        self._confirmed: dict[Key, FuzzFinding] = {}
        self._ended: dict[Key, int] = {}
        self._notes: list[str] = []
        self._executions = 0
        self._start = 0

    def take(self, result: Result) -> None:
        """Take a report or a failure of the process."""
        if isinstance(result, ItemFailed):
            self._notes.append(result.text)
        elif isinstance(result, ItemReport) and isinstance(result.value, int):
            self._executions += result.value
        elif isinstance(result, ItemReport):
            self._keep(unpack_finding(result.value), is_exact=result.value["exact"])

    def end(self, result: ProcessEnd, call: str, is_exact: bool) -> None:
        """Take the end of the process at a call; empty where it has no text."""
        self._executions += result.step + 1 - self._start
        self._start = result.step + 1
        if isinstance(result, ProcessDied):
            found = death_disagreement(self._api, result.signal)
        else:
            found = hang_disagreement(self._api, result.seconds)
        if call and isinstance(result, ProcessHung) and asks_for_much(call):
            self._notes.append(f"it takes as long as it is asked to: {call}"[:_LONGEST_NOTE])
        elif call:
            finding = FuzzFinding(call, found)
            self._ended.setdefault(finding.key, result.step)
            self._keep(finding, is_exact)
        else:
            self._notes.append(f"no text: {found.outcome.text} at {result.step}")

    def _keep(self, finding: FuzzFinding, is_exact: bool) -> None:
        """Keep some findings of each kind: those whose text is exact, and short, first."""
        calls = self._found.setdefault(finding.key, [])
        calls.append((not is_exact, len(finding.call), finding))
        calls.sort(key=lambda item: item[:2])
        del calls[CHOICES:]

    def open(self, choice: int) -> list[FuzzFinding]:
        """Return of each kind that is not confirmed the call to try after so many others."""
        return [
            calls[choice][2]
            for kind, calls in self._found.items()
            if kind not in self._confirmed and choice < len(calls)
        ]

    def confirm(self, kept: Mapping[FuzzFinding, Optional[FuzzFinding]]) -> None:
        """Take the smallest call of each finding, ``None`` where it was not repeated."""
        for kind, calls in self._found.items():
            for _, _, finding in calls:
                made = kept.get(finding)
                if made is not None:
                    self._confirmed.setdefault(kind, made)

    @property
    def unrepeated(self) -> list[int]:
        """The first inputs of each death that no call repeats alone."""
        return [step for kind, step in self._ended.items() if kind not in self._confirmed]

    def blame(self, step: int, before: str) -> None:
        """Note that an input ends the process again after that call."""
        text = f"not repeated alone, input {step} ends the process after {before}"
        self._notes.append(text[:_LONGEST_NOTE])

    def told(self) -> FuzzedApi:
        """Return what came of it; two that shrinking made the same are one."""
        rows: dict[Key, Row] = {}
        notes = list(self._notes)
        for kind, calls in self._found.items():
            kept = self._confirmed.get(kind)
            if kept is None:
                outcome = calls[0][2].disagreement.outcome.text
                text = f"not repeated: {kind[1:4]} {outcome} {calls[0][2].call}"
                notes.append(text[:_LONGEST_NOTE])
            else:
                rows.setdefault((*kind[1:4], kept.call), kept.row())
        return FuzzedApi(self._api, self._executions, tuple(rows.values()), tuple(notes))


_DEATHS = 12
"""After how many deaths an API is left alone."""

_TOGETHER, _BATCH = 64, 8
"""How many APIs are shrunk together, and how many one process is for."""


def fuzz(
    subjects: Sequence[FuzzSubject], library: Library, settings: FuzzSettings
) -> Iterator[FuzzedApi]:
    """Fuzz each API; yield each kind of disagreement once, confirmed twice in other processes."""
    for first in range(0, len(subjects), _TOGETHER):
        some = subjects[first : first + _TOGETHER]
        hunts = _hunted(some, library, settings)
        relations = {subject.api: subject.relations for subject in some}
        for choice in range(CHOICES):
            findings = [finding for hunt in hunts for finding in hunt.open(choice)]
            confirmed = shrink_findings(findings, relations, library, settings)
            kept = dict(zip(findings, confirmed))
            for hunt in hunts:
                hunt.confirm(kept)
        _blamed(hunts, some, library, settings)
        for hunt in hunts:
            yield hunt.told()


def _blamed(
    hunts: Sequence[ApiFuzzing],
    subjects: Sequence[FuzzSubject],
    library: Library,
    settings: FuzzSettings,
) -> None:
    """Note after which call those deaths come that are not repeated alone."""
    steps = [(item, step) for item, hunt in enumerate(hunts) for step in hunt.unrepeated]
    found = memory_spoilers(steps, subjects, library, settings) if steps else {}
    before = [(item, spoiler) for (item, _), spoiler in found.items()]
    calls = texts(before, subjects, library, settings) if before else {}
    for (item, step), spoiler in found.items():
        text, _ = calls.get((item, spoiler), ("", False))
        hunts[item].blame(step, text or f"input {spoiler}")


def _hunted(
    subjects: Sequence[FuzzSubject], library: Library, settings: FuzzSettings
) -> Sequence[ApiFuzzing]:
    hunts = [ApiFuzzing(subject.api) for subject in subjects]
    ended: list[tuple[int, ProcessEnd]] = []
    pool = ProcessPool(
        FuzzWork(subjects, library, settings).on,
        len(subjects),
        settings.seconds,
        settings.workers,
        settings.memory,
        batch=_BATCH,
        deaths=_DEATHS,
    )
    for item, result in pool:
        if isinstance(result, (ProcessDied, ProcessHung)):
            ended.append((item, result))
        else:
            hunts[item].take(result)
    steps = [(item, result.step) for item, result in ended]
    calls = texts(steps, subjects, library, settings) if steps else {}
    for item, result in ended:
        hunts[item].end(result, *calls.get((item, result.step), ("", False)))
    return hunts
