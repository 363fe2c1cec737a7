"""What is fuzzed, and how much of it; the inputs that come of both."""

from __future__ import annotations

import random
import zlib
from dataclasses import dataclass, field
from typing import Dict, FrozenSet, Iterator, List, Optional, Sequence, Tuple

from ...generation.recipes import Literal
from ..calls import made
from ..libraries.library import Library
from ..mutating import mutants
from ..nouns import Call, Live, Relation

GIBIBYTE = 1 << 30
_VALID_SHARE = 3
"""One input of so many is a known or valid call, the others are mutants."""


@dataclass(frozen=True)
class Subject:
    """An API: its valid calls, what it should agree with, and calls known to disagree."""

    api: str
    calls: Tuple[Call, ...]
    relations: Tuple[Relation, ...] = ()
    known: Tuple[Call, ...] = ()


@dataclass(frozen=True)
class Settings:
    """How much is tried.

    ``inputs`` for an API with few arguments, up to three times as many for
    others; ``seconds`` for one call with all that it is compared with;
    ``oracles`` by name, the cheap ones by default.
    """

    inputs: int = 60
    seconds: float = 5.0
    seed: int = 0
    workers: int = 2
    memory: int = GIBIBYTE
    oracles: Optional[Tuple[str, ...]] = None
    rounds: int = field(default=300)

    def amount(self, subject: Subject) -> int:
        """How many inputs an API gets: calls of many arguments have more that can vary."""
        widest = max((_width(call) for call in subject.calls), default=1)
        return len(subject.known) + int(self.inputs * min(max(widest, 2), 9) / 3)


def _width(call: Call) -> int:
    return len(call.arguments) + len(call.keywords) + len(call.inputs or ())


def inputs(subject: Subject, library: Library, settings: Settings) -> Iterator[Live]:
    """Known calls, then valid ones of as many forms as there are, then mutants.

    The same ones each time, whatever else is fuzzed.
    """
    amount = settings.amount(subject)
    known = [live for call in subject.known for live in _made(call, library)]
    ordered = [live for call in _diverse(subject.calls) for live in _made(call, library)]
    valid = ordered[: max(amount // _VALID_SHARE, 1)]
    yield from known
    yield from valid
    rng = random.Random(zlib.crc32(f"{settings.seed} {subject.api}".encode()))
    left = amount - len(known) - len(valid)
    for _, live in zip(range(left), mutants([*ordered, *known], library, rng)):
        yield live


def _made(call: Call, library: Library) -> List[Live]:
    try:
        return [made(call, library)]
    except Exception:
        return []


def _diverse(calls: Sequence[Call]) -> Iterator[Call]:
    """The calls, one of each form before a second of any."""
    forms: Dict[FrozenSet[str], List[Call]] = {}
    for call in calls:
        forms.setdefault(_form(call), []).append(call)
    groups = [list(reversed(group)) for group in forms.values()]
    while groups:
        for group in groups:
            yield group.pop()
        groups = [group for group in groups if group]


def _form(call: Call) -> FrozenSet[str]:
    """What tells kinds of calls apart: keywords, words, and how many arguments there are."""
    words = {f"{name}={item.source()}" for name, item in call.keywords if _is_word(item)}
    names = {name for name, _ in call.keywords}
    return frozenset({str(len(call.arguments)), *words, *names})


def _is_word(item: object) -> bool:
    return isinstance(item, Literal) and isinstance(item.value, (str, bool))
