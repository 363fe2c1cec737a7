"""APIs fuzzed in processes that may die of it; what is found, confirmed and made small."""

from __future__ import annotations

from typing import Iterator, List, Sequence, Tuple

from ..libraries.library import Library
from ..running import Died, Hung, Pool
from .hunt import CHOICES, Ended, Fuzzed, Hunt
from .hunting import Hunting, texts
from .replaying import spoilers
from .shrinking import shrunk
from .subjects import Settings, Subject

_DEATHS = 12
"""After how many deaths an API is left alone."""

_TOGETHER, _BATCH = 64, 8
"""How many APIs are shrunk together, and how many one process is for."""


def fuzz(subjects: Sequence[Subject], library: Library, settings: Settings) -> Iterator[Fuzzed]:
    """Fuzz each API; each kind of disagreement is told once, by its smallest call.

    Every disagreement and death is run again in another process, twice, before
    it is told, and again for whatever shrinking takes away.
    """
    for first in range(0, len(subjects), _TOGETHER):
        some = subjects[first : first + _TOGETHER]
        hunts = _hunted(some, library, settings)
        relations = {subject.api: subject.relations for subject in some}
        for choice in range(CHOICES):
            findings = [finding for hunt in hunts for finding in hunt.open(choice)]
            confirmed = shrunk(findings, relations, library, settings)
            kept = dict(zip(findings, confirmed))
            for hunt in hunts:
                hunt.confirm(kept)
        _blamed(hunts, some, library, settings)
        for hunt in hunts:
            yield hunt.told()


def _blamed(
    hunts: Sequence[Hunt], subjects: Sequence[Subject], library: Library, settings: Settings
) -> None:
    """Note after which call those deaths come that are not repeated alone."""
    steps = [(item, step) for item, hunt in enumerate(hunts) for step in hunt.unrepeated]
    found = spoilers(steps, subjects, library, settings) if steps else {}
    before = [(item, spoiler) for (item, _), spoiler in found.items()]
    calls = texts(before, subjects, library, settings) if before else {}
    for (item, step), spoiler in found.items():
        text, _ = calls.get((item, spoiler), ("", False))
        hunts[item].blame(step, text or f"input {spoiler}")


def _hunted(subjects: Sequence[Subject], library: Library, settings: Settings) -> Sequence[Hunt]:
    hunts = [Hunt(subject.api) for subject in subjects]
    ended: List[Tuple[int, Ended]] = []
    pool = Pool(
        Hunting(subjects, library, settings).on,
        len(subjects),
        settings.seconds,
        settings.workers,
        settings.memory,
        batch=_BATCH,
        deaths=_DEATHS,
    )
    for item, result in pool:
        if isinstance(result, (Died, Hung)):
            ended.append((item, result))
        else:
            hunts[item].take(result)
    steps = [(item, result.step) for item, result in ended]
    calls = texts(steps, subjects, library, settings) if steps else {}
    for item, result in ended:
        hunts[item].end(result, *calls.get((item, result.step), ("", False)))
    return hunts
