"""Findings confirmed in fresh processes, and made as small as they stay what they are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Iterator, List, Mapping, Optional, Sequence, Set, Tuple

from ...inputs.recipes import BadRecipe
from ..library_calls import call_text, live_call, parse_call
from ..oracles.oracle_registry import ORACLES
from ..process_pool import Begin, ItemReport, ProcessDied, ProcessHung, ProcessPool, Result
from ..relation_types import HUNG, STATUS, Disagreement, Library, LiveCall, Relation
from . import memory_bounds
from .call_checks import disagreements, end_disagreements
from .fuzz_findings import (
    FuzzFinding,
    death_disagreement,
    ends_process,
    key,
    pack_finding,
    unpack_finding,
)
from .fuzz_inputs import FuzzSettings
from .simpler_calls import call_simplifications

_DEATHS, _HANGS = 120, 6
"""How many candidates may die of a death while it shrinks, and hang of a hang."""

Measure = Tuple[int, int]


@dataclass
class _Item:
    """A finding while it is made smaller; ``tried`` are texts that did not keep it."""

    finding: FuzzFinding
    relations: Tuple[Relation, ...]
    is_confirmed: bool = False
    tried: Set[str] = field(default_factory=set)


def shrink_findings(
    findings: Sequence[FuzzFinding],
    relations: Mapping[str, Sequence[Relation]],
    library: Library,
    settings: FuzzSettings,
) -> List[Optional[FuzzFinding]]:
    """Each finding with a smallest call that still shows it; ``None`` where it does not repeat.

    ``relations`` are those of each API.  Deaths and hangs are tried a candidate
    a process, a bounded number of times.
    """
    items = [_Item(each, tuple(relations.get(each.disagreement.api, ()))) for each in findings]
    hanging = [item for item in items if item.finding.disagreement.outcome.status == HUNG]
    others = [item for item in items if item not in hanging]
    for group, deaths in ((others, _DEATHS), (hanging, _HANGS)):
        _shrink(_ShrinkWork(group, library, settings), deaths)
    return [item.finding if item.is_confirmed else None for item in items]


def _shrink(shrinking: _ShrinkWork, deaths: int) -> None:
    settings = shrinking.settings
    pool = ProcessPool(
        shrinking.on,
        len(shrinking.items),
        settings.seconds,
        settings.workers,
        settings.memory,
        deaths=deaths,
    )
    for item, result in pool:
        shrinking.take(item, result)


@dataclass
class _ShrinkWork:
    """What the processes do, and what this one keeps of it for those that follow."""

    items: List[_Item]
    library: Library
    settings: FuzzSettings

    def on(self, number: int, start: int, begin: Begin, report: Callable[[Any], None]) -> None:
        """Confirm a finding at step 0, then go on to simpler calls from ``start``."""
        item = self.items[number]
        item.tried = set(item.tried)
        if start == 0:
            begin(0, item.finding.call)
            found = self._shown(item, item.finding.call)
            if found is None:
                return
            report(pack_finding(found))
            item.finding, start = found, 1
        candidates = self._simpler(item)
        for step in range(start, self.settings.rounds):
            text = next(candidates, None)
            if text is None:
                return
            begin(step, text)
            found = self._shown(item, text)
            if found is not None:
                report(pack_finding(found))
                item.finding = found
                candidates = self._simpler(item)

    def _simpler(self, item: _Item) -> Iterator[str]:
        """Simpler calls than the finding's that have not been tried."""
        most = measure(item.finding.call)
        try:
            given = live_call(parse_call(item.finding.call, self.library), self.library)
        except Exception:
            return
        for live in _without_errors(call_simplifications(given, self.library)):
            text = _text(live, self.library)
            if text is not None and text not in item.tried and measure(text) < most:
                item.tried.add(text)
                yield text

    def _shown(self, item: _Item, call: str) -> Optional[FuzzFinding]:
        """The finding that the call shows, twice, of the same kind.

        Where it is the end of the process, the call is run alone: what comes
        back has not died of it.
        """
        if item.finding.ends_process:
            end_disagreements(live_call(parse_call(call, self.library), self.library), self.library)
            return None
        oracles = self._oracles(item.finding.disagreement)
        found = None
        for _ in range(2):
            live = live_call(parse_call(call, self.library), self.library)
            found_now = disagreements(live, self.library, item.relations, oracles)
            same = [each for each in found_now if key(each) == item.finding.key]
            if not same:
                return None
            found = FuzzFinding(call, same[0])
        return found

    def _oracles(self, found: Disagreement) -> Optional[Sequence[str]]:
        """Those that can see it; none for what is only about how the call ends."""
        if found.relation in (*ORACLES, memory_bounds.NAME):
            return [found.relation]
        return [] if found.relation == STATUS else self.settings.oracles

    def take(self, number: int, result: Result) -> None:
        """A call showed it, or ended the process: then the next begin from there."""
        item = self.items[number]
        if isinstance(result, ItemReport):
            item.finding = unpack_finding(result.value)
            item.is_confirmed = True
        elif isinstance(result, (ProcessDied, ProcessHung)):
            item.tried.add(result.text)
            if _same_end(item.finding, result):
                item.finding = item.finding.smaller(result.text)
                item.is_confirmed = True


def _same_end(finding: FuzzFinding, result: Result) -> bool:
    if isinstance(result, ProcessHung):
        return finding.disagreement.outcome.status == HUNG
    if not isinstance(result, ProcessDied) or not ends_process(finding.disagreement):
        return False
    return key(death_disagreement(finding.disagreement.api, result.signal)) == finding.key


def _without_errors(candidates: Iterator[LiveCall]) -> Iterator[LiveCall]:
    """Until a candidate cannot be made."""
    try:
        yield from candidates
    except (ValueError, TypeError, RuntimeError, OverflowError, IndexError):
        return


def _text(live: LiveCall, library: Library) -> Optional[str]:
    try:
        return call_text(live, library).source()
    except BadRecipe:
        return None


def measure(call: str) -> Measure:
    """How much there is to read: arguments, characters, and what the characters are.

    A digit but 0 weighs more than 0, so that plainer numbers of one length are simpler.
    """
    weight = sum("0123456789".find(letter) + 1 for letter in call)
    return len(call), weight
