"""Every seeded fault is one: a call comes out otherwise with it, and as before without."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from analyzers.guest.relations.libraries.library_registry import library
from analyzers.guest.relations.library_calls import live_call, parse_call
from analyzers.guest.relations.process_pool import Begin, ItemDone, ItemReport, ProcessPool
from benchmarks.relations.seeded.fault_search import changes
from benchmarks.relations.seeded.kernel_faults import FAULTS, half_of

KINDS = {
    "off by one",
    "wrong dtype",
    "missing range check",
    "NaN handling",
    "wrong reduction",
    "wrong broadcasting",
    "stride-ignorant",
    "in-place aliasing",
    "extreme",
}


def witnessed(item: int, start: int, begin: Begin, report: Callable[[Any], None]) -> None:
    begin(start, FAULTS[item].witness)
    lib = library("torch")
    report(changes(live_call(parse_call(FAULTS[item].witness, lib), lib), lib, FAULTS[item]))


@pytest.mark.slow
def test_every_fault_changes_what_its_witness_gives():
    results = list(ProcessPool(witnessed, len(FAULTS), 60.0))
    told = {item: result for item, result in results if not isinstance(result, ItemDone)}
    assert {item for item, result in told.items() if result != ItemReport(True)} == set()
    assert set(told) == set(range(len(FAULTS)))


def test_faults_are_many_and_of_all_kinds():
    assert len(FAULTS) == len({fault.api for fault in FAULTS}) == 50
    assert {fault.kind for fault in FAULTS} >= KINDS


def test_halves_are_fixed_by_the_names():
    assert Counter(map(half_of, FAULTS)) == {"seen": 25, "held-out": 25}
    held_out = {fault.api for fault in FAULTS if half_of(fault) == "held-out"}
    assert {"torch.clamp", "torch.triu", "torch.rot90"} <= held_out
    assert {"torch.flip", "torch.abs", "torch.gcd"} & held_out == set()
