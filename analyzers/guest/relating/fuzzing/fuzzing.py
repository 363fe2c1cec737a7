"""APIs fuzzed in processes that may die of it; what is found, confirmed and made small."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from ...generation.recipes import BadRecipe
from ..calls import called
from ..libraries.library import Library
from ..nouns import Live
from ..oracles import judged
from ..running import Begin, Died, Done, Failed, Hung, Pool, Result
from .findings import Finding, Row, death, hang, key, packed, unpacked
from .shrinking import shrunk
from .subjects import Settings, Subject, inputs

_DEATHS = 12
"""After how many deaths an API is left alone."""

_LONGEST_NOTE = 500
_TOGETHER, _BATCH = 64, 8
"""How many APIs are shrunk together, and how many one process is for."""


@dataclass(frozen=True)
class Fuzzed:
    """What came of an API: how many calls were judged, its divergences, and what is to be noted.

    ``rows`` are confirmed and as small as they were made; see :meth:`Finding.row`.
    """

    api: str
    executions: int
    rows: Tuple[Row, ...]
    notes: Tuple[str, ...] = ()


def fuzz(subjects: Sequence[Subject], library: Library, settings: Settings) -> Iterator[Fuzzed]:
    """Fuzz each API; each kind of disagreement is told once, by its smallest call.

    Every disagreement and death is run again in another process, twice, before
    it is told, and again for whatever shrinking takes away.
    """
    for first in range(0, len(subjects), _TOGETHER):
        some = subjects[first : first + _TOGETHER]
        hunts = _hunted(some, library, settings)
        findings = [finding for hunt in hunts for finding in hunt.findings]
        relations = {subject.api: subject.relations for subject in some}
        confirmed = shrunk(findings, relations, library, settings)
        for hunt in hunts:
            yield hunt.told(dict(zip(findings, confirmed)))


def _hunted(subjects: Sequence[Subject], library: Library, settings: Settings) -> Sequence[_Hunt]:
    hunts = [_Hunt(subject.api) for subject in subjects]
    pool = Pool(
        _Work(subjects, library, settings).on,
        len(subjects),
        settings.seconds,
        settings.workers,
        settings.memory,
        batch=_BATCH,
        deaths=_DEATHS,
    )
    for item, result in pool:
        hunts[item].take(result)
    return hunts


@dataclass
class _Work:
    """What a process does with an API."""

    subjects: Sequence[Subject]
    library: Library
    settings: Settings

    def on(self, item: int, start: int, begin: Begin, report: Callable[[Any], None]) -> None:
        """Judge its inputs from ``start`` on, and report findings of new kinds."""
        subject = self.subjects[item]
        seen: Dict[Tuple[str, ...], int] = {}
        count = 0
        for step, live in enumerate(inputs(subject, self.library, self.settings)):
            text = None if step < start else _text(live, self.library)
            if text is None:
                continue
            begin(step, text)
            count += 1
            _, found = judged(live, self.library, subject.relations, self.settings.oracles)
            for each in found:
                if seen.setdefault(key(each), step) == step:
                    report(packed(Finding(text, each)))
        report(count)


def _text(live: Live, library: Library) -> Any:
    """The call as text, ``None`` where it has none: what cannot be told cannot be shown."""
    try:
        return called(live, library).source()
    except BadRecipe:
        return None


class _Hunt:
    """What is known so far of one API."""

    def __init__(self, api: str) -> None:
        self._api = api
        self._found: Dict[Tuple[str, ...], Finding] = {}
        self._notes: List[str] = []
        self._executions = 0

    def take(self, result: Result) -> None:
        """Something came of a step."""
        if isinstance(result, Done):
            self._reported(result.value)
        elif isinstance(result, Died):
            self._keep(Finding(result.text, death(self._api, result.signal)))
        elif isinstance(result, Hung):
            self._keep(Finding(result.text, hang(self._api, result.seconds)))
        elif isinstance(result, Failed):
            self._notes.append(result.text)

    def _reported(self, value: Any) -> None:
        if isinstance(value, int):
            self._executions += value
        else:
            self._keep(unpacked(value))

    def _keep(self, finding: Finding) -> None:
        """The shortest call of each kind."""
        known = self._found.setdefault(finding.key, finding)
        if len(finding.call) < len(known.call):
            self._found[finding.key] = finding

    @property
    def findings(self) -> List[Finding]:
        """One of each kind."""
        return [finding for finding in self._found.values() if finding.call]

    def told(self, confirmed: Mapping[Finding, Optional[Finding]]) -> Fuzzed:
        """What came of it; two that shrinking made the same are one."""
        rows: Dict[Tuple[str, ...], Row] = {}
        notes = list(self._notes)
        for finding in self.findings:
            kept = confirmed[finding]
            if kept is None:
                notes.append(f"not repeated: {finding.key[1:4]} {finding.call}"[:_LONGEST_NOTE])
            else:
                rows.setdefault((*finding.key[1:4], kept.call), kept.row())
        return Fuzzed(self._api, self._executions, tuple(rows.values()), tuple(notes))
