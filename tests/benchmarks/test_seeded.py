"""Every seeded fault is one: a call comes out otherwise with it, and as before without."""

from __future__ import annotations

from collections import Counter
from multiprocessing import get_context

import pytest

from analyzers.guest.relations.libraries.library_registry import library
from analyzers.guest.relations.library_calls import live_call, parse_call
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


def witnessed(item: int) -> bool:
    lib, fault = library("torch"), FAULTS[item]
    return changes(live_call(parse_call(fault.witness, lib), lib), lib, fault)


@pytest.mark.slow
def test_every_fault_changes_what_its_witness_gives():
    library("torch")
    with get_context("fork").Pool(1, maxtasksperchild=1) as pool:
        told = pool.map(witnessed, range(len(FAULTS)), chunksize=1)
    assert [fault.api for fault, changed in zip(FAULTS, told, strict=True) if not changed] == []


def test_faults_are_many_and_of_all_kinds():
    assert len(FAULTS) == len({fault.api for fault in FAULTS}) == 50
    assert {fault.kind for fault in FAULTS} >= KINDS


def test_halves_are_fixed_by_the_names():
    assert Counter(map(half_of, FAULTS)) == {"seen": 25, "held-out": 25}
    held_out = {fault.api for fault in FAULTS if half_of(fault) == "held-out"}
    assert {"torch.clamp", "torch.triu", "torch.rot90"} <= held_out
    assert {"torch.flip", "torch.abs", "torch.gcd"} & held_out == set()
