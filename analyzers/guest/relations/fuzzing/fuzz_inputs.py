"""What is fuzzed, and how much of it; the inputs that come of both."""

from __future__ import annotations

import random
import zlib
from dataclasses import dataclass, field
from typing import Dict, FrozenSet, Iterator, List, Optional, Sequence, Tuple

from ...inputs.recipes import LiteralRecipe
from ..library_calls import live_call
from ..mutation.call_mutants import mutants
from ..relation_types import CallSource, Library, LiveCall, Relation

GIBIBYTE = 1 << 30
_VALID_SHARE = 3
"""One input of so many is a known or valid call, the others are mutants."""


@dataclass(frozen=True)
class FuzzSubject:
    """An API: its valid calls, what it should agree with, and calls known to disagree."""

    api: str
    calls: Tuple[CallSource, ...]
    relations: Tuple[Relation, ...] = ()
    known: Tuple[CallSource, ...] = ()


@dataclass(frozen=True)
class FuzzSettings:
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

    def amount(self, subject: FuzzSubject) -> int:
        """How many inputs an API gets: calls of many arguments have more that can vary."""
        widest = max((_width(call) for call in subject.calls), default=1)
        return len(subject.known) + int(self.inputs * min(max(widest, 2), 9) / 3)


def _width(call: CallSource) -> int:
    return len(call.arguments) + len(call.keywords) + len(call.inputs or ())


def inputs(subject: FuzzSubject, library: Library, settings: FuzzSettings) -> Iterator[LiveCall]:
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


def _made(call: CallSource, library: Library) -> List[LiveCall]:
    try:
        return [live_call(call, library)]
    except Exception:
        return []


def _diverse(calls: Sequence[CallSource]) -> Iterator[CallSource]:
    """The calls, one of each form before a second of any."""
    forms: Dict[FrozenSet[str], List[CallSource]] = {}
    for call in calls:
        forms.setdefault(_form(call), []).append(call)
    groups = [list(reversed(group)) for group in forms.values()]
    while groups:
        for group in groups:
            yield group.pop()
        groups = [group for group in groups if group]


def _form(call: CallSource) -> FrozenSet[str]:
    """What tells kinds of calls apart: keywords, words, and how many arguments there are."""
    words = {f"{name}={item.source()}" for name, item in call.keywords if _is_word(item)}
    names = {name for name, _ in call.keywords}
    return frozenset({str(len(call.arguments)), *words, *names})


def _is_word(item: object) -> bool:
    return isinstance(item, LiteralRecipe) and isinstance(item.value, (str, bool))
