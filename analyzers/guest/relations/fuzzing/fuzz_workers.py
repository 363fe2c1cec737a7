"""Work of the fuzzing processes: the inputs of an API, and what each shows."""

from __future__ import annotations

import random
import warnings
import zlib
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, FrozenSet, Iterator, List, Optional, Sequence, Tuple

from ...inputs.recipes import BadRecipe, LiteralRecipe
from ..library_calls import call_source, copy_call, exception_outcome, live_call
from ..mutation.array_construction import arrays_of
from ..mutation.call_draft import changed, leaves
from ..mutation.call_mutants import mutants
from ..oracles.oracle_registry import CHEAP, due_oracles, judge_call
from ..process_pool import Begin, ItemReport, ProcessDied, ProcessPool
from ..relation_types import CRASH, CRASHED, CallSource, Disagreement, Library, LiveCall, Relation
from . import memory_bounds
from .fuzz_findings import FuzzFinding, internal_assertion, key, pack_finding

_FEW = 8


def writable_call(live: LiveCall, library: Library) -> Tuple[str, bool]:
    """Return the text of the call, and whether it is that of the call itself.

    Where that has none, it is of one with arrays of one number, which need not
    show what the call did; empty where something else in it has no text.
    """
    text = call_source(live, library)
    if text:
        return text, True
    plainer = call_source(_plainer(live, library, is_bold=False), library)
    return plainer or call_source(_plainer(live, library, is_bold=True), library), False


def _plainer(live: LiveCall, library: Library, is_bold: bool) -> LiveCall:
    """Return the call with constant arrays: those without text, or all but small ones."""
    arrays = arrays_of(library)
    changes = {
        place: _constant(value, library)
        for place, value in leaves(live)
        if library.is_array(value)
        and arrays.is_plain(value)
        and (is_bold or not _has_text(value, library))
    }
    return changed(live, changes)


def _has_text(value: Any, library: Library) -> bool:
    try:
        library.recipe_of(value)
    except BadRecipe:
        return False
    return True


def _constant(array: Any, library: Library) -> Any:
    import numpy as np

    dtype, shape, values = library.plain(array)
    if values.size <= _FEW:
        return array
    return arrays_of(library).made(dtype, np.full(shape, values.flat[0], values.dtype), array)


def end_disagreements(live: LiveCall, library: Library) -> List[Disagreement]:
    """Run it on copies: what its end disagrees with; the process may end with it.

    Results are dropped unread: printing them takes longer than most calls do.
    Warnings go where the process lets them.
    """
    own = _copied(live, library)
    try:
        library.seed()
        own.run()
    except Exception as error:
        outcome = exception_outcome(error)
        return [internal_assertion(live.api, outcome)] if outcome.status == CRASHED else []
    return []


def _copied(live: LiveCall, library: Library) -> LiveCall:
    """Return copies, or the call itself where something in it cannot be copied."""
    own: Any = None
    with suppress(Exception):
        own = copy_call(live, library)
    return own or live


def chosen_oracles(oracles: Optional[Sequence[str]]) -> Sequence[str]:
    """Return the oracles by name; by default the cheap ones and ``bounds``."""
    return (*CHEAP, memory_bounds.NAME) if oracles is None else oracles


def disagreements(
    live: LiveCall,
    library: Library,
    relations: Sequence[Relation],
    oracles: Optional[Sequence[str]],
) -> List[Disagreement]:
    """Run a call, and what the oracles compare it with; the process may die of it.

    ``oracles`` are those of :data:`ORACLES` and ``bounds``; by default
    the cheap ones and ``bounds``.  Where none are named, only how the call ends
    is looked at.
    """
    others = None if oracles is None else [name for name in oracles if name != memory_bounds.NAME]
    found = (
        end_disagreements(live, library)
        if others == []
        else judge_call(live, library, relations, others)[1]
    )
    is_asked = oracles is None or memory_bounds.NAME in oracles
    if is_asked and not any(each.rule == CRASH for each in found):
        found = [*found, *memory_bounds.judge(live, library)]
    return found


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
    """Amounts of inputs, time and memory.

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
        """Return how many inputs an API gets: calls of many arguments have more that can vary."""
        widest = max((_width(call) for call in subject.calls), default=1)
        return len(subject.known) + int(self.inputs * min(max(widest, 2), 9) / 3)


def _width(call: CallSource) -> int:
    return len(call.arguments) + len(call.keywords) + len(call.inputs or ())


def inputs(subject: FuzzSubject, library: Library, settings: FuzzSettings) -> Iterator[LiveCall]:
    """Yield known calls, then valid ones of as many forms as there are, then mutants.

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
    """Yield the calls, one of each form before a second of any."""
    forms: Dict[FrozenSet[str], List[CallSource]] = {}
    for call in calls:
        forms.setdefault(_form(call), []).append(call)
    groups = [list(reversed(group)) for group in forms.values()]
    while groups:
        for group in groups:
            yield group.pop()
        groups = [group for group in groups if group]


def _form(call: CallSource) -> FrozenSet[str]:
    """Return what tells kinds of calls apart: keywords, words, and how many arguments there are."""
    words = {f"{name}={item.source()}" for name, item in call.keywords if _is_word(item)}
    names = {name for name, _ in call.keywords}
    return frozenset({str(len(call.arguments)), *words, *names})


def _is_word(item: object) -> bool:
    return isinstance(item, LiteralRecipe) and isinstance(item.value, (str, bool))


Report = Callable[[Any], None]
Step = Tuple[int, int]
"""A subject by its number, and an input by its own."""

SourceText = Tuple[str, bool]
"""The text of a call, and whether it is exact."""

_SECONDS = 30.0


@dataclass
class FuzzWork:
    """Work of a pool: an item is a subject, its steps are inputs.

    An input is told by its number, and put into words only where it shows
    something: for those that ended the process, :func:`texts` does that later.
    """

    subjects: Sequence[FuzzSubject]
    library: Library
    settings: FuzzSettings

    def on(self, item: int, start: int, begin: Begin, report: Report) -> None:
        """Try inputs from ``start`` on, and report findings of new kinds; at last how many."""
        warnings.simplefilter("ignore")
        subject, oracles = self.subjects[item], chosen_oracles(self.settings.oracles)
        seen: Dict[Tuple[str, ...], int] = {}
        count = 0
        for step, live in enumerate(inputs(subject, self.library, self.settings)):
            if step < start:
                continue
            begin(step, "")
            count += 1
            for each in disagreements(
                live, self.library, subject.relations, due_oracles(step, oracles)
            ):
                if seen.setdefault(key(each), step) == step:
                    self._tell(live, each, report)
        report(count)

    def _tell(self, live: LiveCall, found: Any, report: Report) -> None:
        """Report a finding whose call has a text."""
        text, is_exact = writable_call(live, self.library)
        if text:
            report({**pack_finding(FuzzFinding(text, found)), "exact": is_exact})


def texts(
    steps: Sequence[Step], subjects: Sequence[FuzzSubject], library: Library, settings: FuzzSettings
) -> Dict[Step, SourceText]:
    """Return the calls that these inputs are, as :func:`writable_call` has them.

    They are made anew in another process, as inputs follow from the seed.
    """
    work = _TextWork(steps, subjects, library, settings)
    items = sorted({item for item, _ in steps})
    found: Dict[Step, SourceText] = {}
    pool = ProcessPool(
        lambda number, start, begin, report: work.on(items[number], start, begin, report),
        len(items),
        _SECONDS,
        settings.workers,
        settings.memory,
        batch=8,
    )
    for number, result in pool:
        if isinstance(result, ItemReport):
            step, text, is_exact = result.value
            found[items[number], step] = (text, is_exact)
    return found


@dataclass
class _TextWork:
    steps: Sequence[Step]
    subjects: Sequence[FuzzSubject]
    library: Library
    settings: FuzzSettings

    def on(self, item: int, start: int, begin: Begin, report: Report) -> None:
        """Report steps with their texts."""
        wanted = self._wanted(item, start)
        for step, live in enumerate(inputs(self.subjects[item], self.library, self.settings)):
            if not wanted:
                return
            begin(step, "")
            if step in wanted:
                wanted.remove(step)
                report([step, *writable_call(live, self.library)])

    def _wanted(self, item: int, start: int) -> List[int]:
        return [step for which, step in self.steps if which == item and step >= start]


_BEFORE = 12
"""How many of the calls before a death are tried with it, one by one."""


@dataclass(frozen=True)
class _Pair:
    """An input, and one that is run before it."""

    item: int
    before: int
    step: int


def memory_spoilers(
    steps: Sequence[Step], subjects: Sequence[FuzzSubject], library: Library, settings: FuzzSettings
) -> Dict[Step, int]:
    """Return for inputs that ended a process the latest one before that takes part in it.

    Of the few before each; what is found is to blame at least as much as the input.
    """
    pairs = [
        _Pair(item, before, step)
        for item, step in steps
        for before in range(max(0, step - _BEFORE), step)
    ]
    found: Dict[Step, int] = {}
    work = _ReplayWork(pairs, subjects, library, settings)
    pool = ProcessPool(
        work.on, len(pairs), settings.seconds, settings.workers, settings.memory, deaths=1
    )
    for number, result in pool:
        pair = pairs[number]
        if isinstance(result, ProcessDied) and result.step == pair.step:
            known = found.get((pair.item, pair.step), -1)
            found[pair.item, pair.step] = max(known, pair.before)
    return found


@dataclass
class _ReplayWork:
    """Work of a pool: an item is a pair."""

    pairs: List[_Pair]
    subjects: Sequence[FuzzSubject]
    library: Library
    settings: FuzzSettings

    def on(self, number: int, start: int, begin: Begin, _report: Report) -> None:
        """Run both; it may end at either."""
        if start:
            return
        warnings.simplefilter("ignore")
        pair = self.pairs[number]
        subject, wanted = self.subjects[pair.item], {pair.before, pair.step}
        for step, live in enumerate(inputs(subject, self.library, self.settings)):
            if step in wanted:
                begin(step, "")
                disagreements(live, self.library, subject.relations, self.settings.oracles)
            if step >= pair.step:
                return
