"""Work of the fuzzing processes: the inputs of an API, and what each shows."""

from __future__ import annotations

import random
import warnings
import zlib
from contextlib import suppress
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Callable, Iterator, Optional, Sequence

from ...inputs.recipes import BadRecipe, LiteralRecipe
from ..library_calls import call_source, copy_call, exception_outcome, made_calls
from ..mutation.call_draft import changed, leaves
from ..mutation.call_mutants import mutants
from ..oracles.oracle_registry import CHEAP, due_oracles, judge_call
from ..process_pool import Begin, ItemReport, ProcessDied, ProcessPool
from ..relation_types import CRASH, CRASHED, CallSource, Disagreement, Library, LiveCall, Relation
from . import memory_bounds
from .fuzz_findings import FuzzFinding, internal_assertion, key, pack_finding

_FEW = 8


def writable_call(live: LiveCall, library: Library) -> tuple[str, bool]:
    """Return a call's text, and whether it is its own or of one with arrays of one number."""
    text = call_source(live, library)
    if text:
        return text, True
    plainer = call_source(_plainer(live, library, is_bold=False), library)
    return plainer or call_source(_plainer(live, library, is_bold=True), library), False


def _plainer(live: LiveCall, library: Library, is_bold: bool) -> LiveCall:
    """Return the call with constant arrays: those without text, or all but small ones."""
    import numpy as np

    arrays, changes = library.arrays, {}
    for place, value in leaves(live):
        if library.is_array(value) and arrays.is_plain(value):
            dtype, shape, values = library.plain(value)
            if values.size > _FEW and (is_bold or not _has_text(value, library)):
                constant = np.full(shape, values.flat[0], values.dtype)
                changes[place] = arrays.made(dtype, constant, value)
    return changed(live, changes)


def _has_text(value: Any, library: Library) -> bool:
    try:
        library.recipe_of(value)
    except BadRecipe:
        return False
    return True


def end_disagreements(live: LiveCall, library: Library) -> list[Disagreement]:
    """Run a call on copies and return what its end disagrees with; the process may die of it."""
    own = live
    with suppress(Exception):
        own = copy_call(live, library)
    try:
        library.seed()
        own.run()
    except Exception as error:
        outcome = exception_outcome(error)
        return [internal_assertion(live.api, outcome)] if outcome.status == CRASHED else []
    return []


def chosen_oracles(oracles: Optional[Sequence[str]]) -> Sequence[str]:
    """Return the oracles by name; by default the cheap ones and ``bounds``."""
    return (*CHEAP, memory_bounds.NAME) if oracles is None else oracles


def disagreements(
    live: LiveCall,
    library: Library,
    relations: Sequence[Relation],
    oracles: Optional[Sequence[str]],
) -> list[Disagreement]:
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
    calls: tuple[CallSource, ...]
    relations: tuple[Relation, ...] = ()
    known: tuple[CallSource, ...] = ()


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
    oracles: Optional[tuple[str, ...]] = None
    rounds: int = 300

    def amount(self, subject: FuzzSubject) -> int:
        """Return how many inputs an API gets: calls of many arguments have more that can vary."""
        sizes = [len((*c.arguments, *c.keywords, *(c.inputs or ()))) for c in subject.calls]
        return len(subject.known) + int(self.inputs * min(max([2, *sizes]), 9) / 3)


def inputs(subject: FuzzSubject, library: Library, settings: FuzzSettings) -> Iterator[LiveCall]:
    """Yield known calls, valid ones of as many forms as there are, then mutants; repeatably."""
    amount = settings.amount(subject)
    known = made_calls(subject.known, library)
    ordered = made_calls(_diverse(subject.calls), library)
    valid = ordered[: max(amount // _VALID_SHARE, 1)]
    yield from known
    yield from valid
    rng = random.Random(zlib.crc32(f"{settings.seed} {subject.api}".encode()))
    left = amount - len(known) - len(valid)
    for _, live in zip(range(left), mutants([*ordered, *known], library, rng)):
        yield live


def _diverse(calls: Sequence[CallSource]) -> Iterator[CallSource]:
    forms: dict[frozenset[str], list[CallSource]] = {}
    for call in calls:
        forms.setdefault(_form(call), []).append(call)
    for several in zip_longest(*forms.values()):
        yield from (call for call in several if call is not None)


def _form(call: CallSource) -> frozenset[str]:
    """Return what tells kinds of calls apart: keywords, words, and how many arguments there are."""
    words = {
        f"{name}={item.source()}"
        for name, item in call.keywords
        if isinstance(item, LiteralRecipe) and isinstance(item.value, (str, bool))
    }
    names = {name for name, _ in call.keywords}
    return frozenset({str(len(call.arguments)), *words, *names})


Report = Callable[[Any], None]
Step = tuple[int, int]
"""A subject by its number, and an input by its own."""

SourceText = tuple[str, bool]
"""The text of a call, and whether it is exact."""

_SECONDS = 30.0


@dataclass
class FuzzWork:
    """Work of a pool: an item is a subject, its steps are inputs by number (see :func:`texts`)."""

    subjects: Sequence[FuzzSubject]
    library: Library
    settings: FuzzSettings

    def on(self, item: int, start: int, begin: Begin, report: Report) -> None:
        """Try inputs from ``start`` on, and report findings of new kinds; at last how many."""
        warnings.simplefilter("ignore")
        subject, oracles = self.subjects[item], chosen_oracles(self.settings.oracles)
        seen: dict[tuple[str, ...], int] = {}
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
                    text, is_exact = writable_call(live, self.library)
                    if text:
                        report({**pack_finding(FuzzFinding(text, each)), "exact": is_exact})
        report(count)


def texts(
    steps: Sequence[Step], subjects: Sequence[FuzzSubject], library: Library, settings: FuzzSettings
) -> dict[Step, SourceText]:
    """Return the texts of these inputs, made anew from the seed in another process."""
    items = sorted({item for item, _ in steps})

    def work(number: int, start: int, begin: Begin, report: Report) -> None:
        wanted = {step for item, step in steps if item == items[number] and step >= start}
        for step, live in enumerate(inputs(subjects[items[number]], library, settings)):
            if not wanted:
                return
            begin(step, "")
            if step in wanted:
                wanted.remove(step)
                report([step, *writable_call(live, library)])

    found: dict[Step, SourceText] = {}
    for number, result in ProcessPool(
        work, len(items), _SECONDS, settings.workers, settings.memory, batch=8
    ):
        if isinstance(result, ItemReport):
            step, text, is_exact = result.value
            found[items[number], step] = (text, is_exact)
    return found


_BEFORE = 12
"""How many of the calls before a death are tried with it, one by one."""


def memory_spoilers(
    steps: Sequence[Step], subjects: Sequence[FuzzSubject], library: Library, settings: FuzzSettings
) -> dict[Step, int]:
    """Return, for inputs that ended a process, the latest one before that spoiled its memory."""
    tried = [
        (item, before, step)
        for item, step in steps
        for before in range(max(0, step - _BEFORE), step)
    ]

    def work(number: int, start: int, begin: Begin, _report: Report) -> None:
        if start:
            return
        warnings.simplefilter("ignore")
        item, before, last = tried[number]
        for step, live in enumerate(inputs(subjects[item], library, settings)):
            if step in (before, last):
                begin(step, "")
                disagreements(live, library, subjects[item].relations, settings.oracles)
            if step >= last:
                return

    found: dict[Step, int] = {}
    for number, result in ProcessPool(
        work, len(tried), settings.seconds, settings.workers, settings.memory, deaths=1
    ):
        item, before, last = tried[number]
        if isinstance(result, ProcessDied) and result.step == last:
            found[item, last] = max(found.get((item, last), -1), before)
    return found
