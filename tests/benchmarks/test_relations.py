"""Judged divergences: rows as tables hold them, and programs that show them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from analyzers.guest.relations.libraries.library_registry import library
from analyzers.relations.table_rows import judged
from benchmarks.relations import reproduce
from benchmarks.relations.divergence_programs import programs

JUDGED = sorted(reproduce.JUDGED.glob("*.jsonl"))
FREQUENCIES = {
    "api": "torch.fft.fftfreq",
    "rule": "value",
    "relation": "out",
    "related": "the same call with out=",
    "call": "torch.fft.fftfreq(5)",
    "outcome": "tensor([ 0.0000, 0.2000, 0.4000, -0.4000, -0.2000])",
    "expected": "tensor([ 0.0000, 0.2000, 0.4000, -0.4000, 0.8000])",
}


@pytest.mark.parametrize("path", JUDGED, ids=lambda path: path.name)
def test_judged_rows_are_those_of_a_table(path: Path) -> None:
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    verdicts = [judged(row, row["api"].partition(".")[0]) for row in rows]
    assert rows
    assert all(each.verdict and each.divergence.note for each in verdicts)


@pytest.mark.slow
def test_a_program_shows_what_differs_and_nothing_else() -> None:
    assert reproduce.shown(FREQUENCIES)[0] == "shown"
    right = {**FREQUENCIES, "api": "torch.neg", "call": "torch.neg(torch.tensor([1.0, 2.0]))"}
    assert reproduce.shown(right)[0] == "not shown"


@pytest.mark.parametrize(
    ("relation", "related", "call", "part"),
    [
        ("reference", "torch._refs.neg(a)", "torch.neg(torch.tensor(1.0))", "torch._refs.neg("),
        ("in-place", "the same call as torch.Tensor.neg_", "torch.neg(torch.tensor(1.0))", "neg_("),
        ("float64", "", "torch.neg(torch.tensor(1.0))", "torch.tensor(1.0).double()"),
        ("strides", "", "torch.neg(torch.tensor([1.0]))", ".expand("),
        ("vmap", "", "torch.neg(torch.tensor(1.0))", "torch.vmap(lambda x0: torch.neg(x0))"),
        ("meta", "", "torch.neg(torch.tensor(1.0))", "mode.from_tensor(torch.tensor(1.0))"),
        ("numpy", "numpy.negative of the same", "torch.neg(torch.tensor(1.0))", "numpy.negative("),
        ("value", "torch.negative(input)", "torch.neg(torch.tensor(1.0))", "torch.negative("),
        ("documentation", "", "torch.neg(torch.tensor(nan))", 'float("nan")'),
    ],
)
def test_programs_say_what_an_oracle_does(
    relation: str, related: str, call: str, part: str
) -> None:
    row = {**FREQUENCIES, "api": "torch.neg", "relation": relation, "related": related}
    made = next(iter(programs({**row, "call": call}, library("torch"))))
    assert part.replace("'", '"') in made.replace("'", '"')
    compile(made, "program", "exec")
