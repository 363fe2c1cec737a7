"""Findings confirmed in fresh processes, and made as small as they stay what they are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Iterator, List, Mapping, Optional, Sequence, Set, Tuple

from ...generation.recipes import BadRecipe
from ..calls import called, made, read
from ..libraries.library import Library
from ..nouns import HUNG, STATUS, Disagreement, Live, Relation
from ..oracles import ORACLES
from ..running import Begin, Died, Done, Hung, Pool, Result
from . import bounds
from .findings import Finding, death, ends_process, key, packed, unpacked
from .simpler import simpler
from .statuses import ended
from .subjects import Settings
from .trying import disagreements

_DEATHS, _HANGS = 120, 6
"""How many candidates may die of a death while it shrinks, and hang of a hang."""

Measure = Tuple[int, int]


@dataclass
class _Item:
    """A finding while it is made smaller; ``tried`` are texts that did not keep it."""

    finding: Finding
    relations: Tuple[Relation, ...]
    is_confirmed: bool = False
    tried: Set[str] = field(default_factory=set)


def shrunk(
    findings: Sequence[Finding],
    relations: Mapping[str, Sequence[Relation]],
    library: Library,
    settings: Settings,
) -> List[Optional[Finding]]:
    """Each finding with a smallest call that still shows it; ``None`` where it does not repeat.

    ``relations`` are those of each API.  Deaths and hangs are tried a candidate
    a process, a bounded number of times.
    """
    items = [_Item(each, tuple(relations.get(each.disagreement.api, ()))) for each in findings]
    hanging = [item for item in items if item.finding.disagreement.outcome.status == HUNG]
    others = [item for item in items if item not in hanging]
    for group, deaths in ((others, _DEATHS), (hanging, _HANGS)):
        _shrink(_Shrinking(group, library, settings), deaths)
    return [item.finding if item.is_confirmed else None for item in items]


def _shrink(shrinking: _Shrinking, deaths: int) -> None:
    settings = shrinking.settings
    pool = Pool(
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
class _Shrinking:
    """What the processes do, and what this one keeps of it for those that follow."""

    items: List[_Item]
    library: Library
    settings: Settings

    def on(self, number: int, start: int, begin: Begin, report: Callable[[Any], None]) -> None:
        """Confirm a finding at step 0, then go on to simpler calls from ``start``."""
        item = self.items[number]
        item.tried = set(item.tried)
        if start == 0:
            begin(0, item.finding.call)
            found = self._shown(item, item.finding.call)
            if found is None:
                return
            report(packed(found))
            item.finding, start = found, 1
        candidates = self._simpler(item)
        for step in range(start, self.settings.rounds):
            text = next(candidates, None)
            if text is None:
                return
            begin(step, text)
            found = self._shown(item, text)
            if found is not None:
                report(packed(found))
                item.finding = found
                candidates = self._simpler(item)

    def _simpler(self, item: _Item) -> Iterator[str]:
        """Simpler calls than the finding's that have not been tried."""
        most = measure(item.finding.call)
        try:
            given = made(read(item.finding.call, self.library), self.library)
        except Exception:
            return
        for live in _without_errors(simpler(given, self.library)):
            text = _text(live, self.library)
            if text is not None and text not in item.tried and measure(text) < most:
                item.tried.add(text)
                yield text

    def _shown(self, item: _Item, call: str) -> Optional[Finding]:
        """The finding that the call shows, twice, of the same kind.

        Where it is the end of the process, the call is run alone: what comes
        back has not died of it.
        """
        if item.finding.ends_process:
            ended(made(read(call, self.library), self.library), self.library)
            return None
        oracles = self._oracles(item.finding.disagreement)
        found = None
        for _ in range(2):
            live = made(read(call, self.library), self.library)
            found_now = disagreements(live, self.library, item.relations, oracles)
            same = [each for each in found_now if key(each) == item.finding.key]
            if not same:
                return None
            found = Finding(call, same[0])
        return found

    def _oracles(self, found: Disagreement) -> Optional[Sequence[str]]:
        """Those that can see it; none for what is only about how the call ends."""
        if found.relation in (*ORACLES, bounds.NAME):
            return [found.relation]
        return [] if found.relation == STATUS else self.settings.oracles

    def take(self, number: int, result: Result) -> None:
        """A call showed it, or ended the process: then the next begin from there."""
        item = self.items[number]
        if isinstance(result, Done):
            item.finding = unpacked(result.value)
            item.is_confirmed = True
        elif isinstance(result, (Died, Hung)):
            item.tried.add(result.text)
            if _same_end(item.finding, result):
                item.finding = item.finding.smaller(result.text)
                item.is_confirmed = True


def _same_end(finding: Finding, result: Result) -> bool:
    if isinstance(result, Hung):
        return finding.disagreement.outcome.status == HUNG
    if not isinstance(result, Died) or not ends_process(finding.disagreement):
        return False
    return key(death(finding.disagreement.api, result.signal)) == finding.key


def _without_errors(candidates: Iterator[Live]) -> Iterator[Live]:
    """Until a candidate cannot be made."""
    try:
        yield from candidates
    except (ValueError, TypeError, RuntimeError, OverflowError, IndexError):
        return


def _text(live: Live, library: Library) -> Optional[str]:
    try:
        return called(live, library).source()
    except BadRecipe:
        return None


def measure(call: str) -> Measure:
    """How much there is to read: arguments, characters, and what the characters are.

    A digit but 0 weighs more than 0, so that plainer numbers of one length are simpler.
    """
    weight = sum("0123456789".find(letter) + 1 for letter in call)
    return len(call), weight
