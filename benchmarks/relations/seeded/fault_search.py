"""A fault hunted: the API judged on input after input until it is found."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from analyzers.guest.inputs.recipes import BadRecipe
from analyzers.guest.relations.fuzzing.fuzz_findings import FuzzFinding, key
from analyzers.guest.relations.fuzzing.fuzz_workers import FuzzSettings, FuzzSubject, inputs
from analyzers.guest.relations.library_calls import call_text, outcome_of, parse_call
from analyzers.guest.relations.oracles.call_under_test import CallUnderTest
from analyzers.guest.relations.oracles.call_values import leaves, operands
from analyzers.guest.relations.oracles.oracle_registry import due_oracles, judge_call
from analyzers.guest.relations.process_pool import Begin
from analyzers.guest.relations.relation_types import (
    SUCCESS,
    Disagreement,
    Library,
    LiveCall,
    Relation,
)
from benchmarks.relations.seeded.kernel_faults import Fault
from benchmarks.relations.seeded.kernel_patching import Seeded

Report = Callable[[Any], None]


@dataclass(frozen=True, slots=True)
class Asked:
    """An input, and what it is held against."""

    live: LiveCall
    relations: Sequence[Relation]
    oracles: Sequence[str]

    def judged(self, library: Library) -> list[Disagreement]:
        """What it disagrees with."""
        return judge_call(self.live, library, self.relations, self.oracles)[1]


@dataclass(frozen=True, slots=True)
class Hunt:
    """What is hunted, on how many inputs, and the relations of the table."""

    faults: Sequence[Fault]
    library: Library
    settings: FuzzSettings
    relations: Sequence[Relation] = field(default=())

    def seeded(self, item: int, start: int, begin: Begin, report: Report) -> None:
        """Work of a pool: report the kinds found, beyond those that the right kernel shows.

        Steps are even while the kernel is wrong; the odd one that follows a death
        asks whether the right one dies as well.
        """
        warnings.simplefilter("ignore")
        fault = self.faults[item]
        relations = self.related(fault.api)
        seeded = Seeded(fault)
        hits = 0
        for number, live in enumerate(self.inputs(fault, relations)):
            if 2 * number + 1 < start:
                continue
            begin(2 * number + 1 if start == 2 * number + 1 else 2 * number, self.text(live))
            if start == 2 * number + 1:
                judge_call(live, self.library, relations)
                report({"found": ["death"], "inputs": number + 1, "call": self.text(live)})
                return
            hits += _changes(live, self.library, seeded)
            found = self._beyond(Asked(live, relations, due_oracles(number)), seeded)
            if found:
                names = sorted({each.relation for each in found})
                told = found[0]
                report(
                    {
                        "found": names,
                        "inputs": number + 1,
                        "call": self.text(live),
                        "outcome": told.outcome.text,
                        "expected": told.expected.text,
                    }
                )
                return
        report({"hits": hits})

    def _beyond(self, asked: Asked, seeded: Seeded) -> list[Disagreement]:
        with seeded.on():
            wrong = asked.judged(self.library)
        right = {key(each) for each in asked.judged(self.library)} if wrong else set()
        return [each for each in wrong if key(each) not in right]

    def clean(self, item: int, start: int, begin: Begin, report: Report) -> None:
        """Work of a pool: report what the right kernel shows, each kind once."""
        warnings.simplefilter("ignore")
        fault = self.faults[item]
        relations = self.related(fault.api)
        seen: set[tuple[str, ...]] = set()
        count = 0
        for step, live in enumerate(self.inputs(fault, relations)):
            if step < start:
                continue
            begin(step, self.text(live))
            count += 1
            for each in Asked(live, relations, due_oracles(step)).judged(self.library):
                if key(each) not in seen:
                    seen.add(key(each))
                    report(FuzzFinding(self.text(live), each).row())
        report({"judged": count})

    def related(self, api: str) -> tuple[Relation, ...]:
        """What the table has of an API."""
        return tuple(each for each in self.relations if each.source == api)

    def inputs(self, fault: Fault, relations: tuple[Relation, ...]) -> Iterator[LiveCall]:
        """The inputs that fuzzing gives the API."""
        calls = tuple(parse_call(text, self.library) for text in fault.calls)
        return inputs(FuzzSubject(fault.api, calls, relations), self.library, self.settings)

    def text(self, live: LiveCall) -> str:
        """The call as text, as far as it has any."""
        try:
            return call_text(live, self.library).source()
        except BadRecipe:
            return live.api


def changes(call: LiveCall, library: Library, fault: Fault) -> bool:
    """Whether a plain call returns with the fault, and its result, end or arguments are others."""
    return _changes(call, library, Seeded(fault))


def _changes(live: LiveCall, library: Library, seeded: Seeded) -> bool:
    right = _came_of(live, library)
    with seeded.on():
        wrong = _came_of(live, library)
    return wrong[0] == SUCCESS and wrong != right


def _came_of(live: LiveCall, library: Library) -> Any:
    copied = CallUnderTest.copied(_Copying(library), live)  # type: ignore[arg-type]
    library.seed()
    outcome, value = outcome_of(copied.run)
    left = [*leaves(value), *operands(copied)]
    plain = [library.plain(leaf) for leaf in left if library.is_array(leaf)]
    arrays = [(dtype, tuple(shape), array.tobytes()) for dtype, shape, array in plain]
    return outcome.status, outcome.exception, arrays


@dataclass(frozen=True, slots=True)
class _Copying:
    library: Library
