"""Mutants a minute: made, run by eager, float64 and other executions, and compared.

    python -m benchmarks.models.speed [--seconds 6] [--out FILE]

A table for README.md in less than two minutes: for each model and set of executions the rate by
the clock of one process with one thread and of two side by side (two searches with other seeds,
as a machine of two cores runs them), the first one's rate by its own time on a core (what the
clock would show, were there nothing else on the machine), and what the issue wants.  Mutants
that fail or give NaN are counted apart and not in the rates.  One JSON line a row goes to
``--out``.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import multiprocessing.synchronize
import os
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import torch

from analyzers.guest.models.judging.error_measures import measured
from analyzers.guest.models.search.guided_search import search
from analyzers.guest.models.search.mutant_runs import SearchPlan
from benchmarks.models.guided import RESULTS, built

WANTED = (
    ("lenet", ("onednn-off",), 5000),
    ("lenet", ("onednn-off", "onnxruntime-torchscript"), 1000),
    ("resnet18", ("onednn-off",), 80),
    ("lstm", ("onednn-off",), 0),
    ("transformer", ("onednn-off",), 0),
)


@dataclass(frozen=True, slots=True)
class Speed:
    """What one search did: mutants compared and left out, by the clock and of its own time."""

    done: int
    left_out: int
    seconds: float
    own: float


@dataclass(frozen=True, slots=True)
class Row:
    """Mutants a minute of a model: by the clock alone, in two processes, and by its own time."""

    model: str
    executions: tuple[str, ...]
    one: float
    two: float
    own: float
    left_out: int
    wanted: int
    load: float
    at: str

    def __str__(self) -> str:
        """A line of the table."""
        beside = ", ".join(("eager", "float64", *self.executions))
        rates = " | ".join(f"{rate:,.0f}" for rate in (self.one, self.two, self.own))
        wanted = f"≥ {self.wanted:,}" if self.wanted else ""
        return (
            f"| {self.model} | {beside} | {rates} | {wanted} | {self.left_out} | {self.load:.1f} |"
        )


HEAD = (
    "| model | executions | a minute, one process | two processes | of its own time | wanted "
    "| left out | load |\n|---|---|---|---|---|---|---|---|"
)


def main() -> None:
    words = argparse.ArgumentParser()
    words.add_argument("--seconds", type=float, default=6.0)
    words.add_argument("--out", type=Path, default=RESULTS / "speed.jsonl")
    asked = words.parse_args()
    print(HEAD, flush=True)
    asked.out.parent.mkdir(exist_ok=True)
    with asked.out.open("w", encoding="utf-8") as lines:
        for name, executions, wanted in WANTED:
            row = rated(name, executions, wanted, asked.seconds)
            lines.write(json.dumps(asdict(row)) + "\n")
            print(row, flush=True)


def rated(name: str, executions: Sequence[str], wanted: int, seconds: float) -> Row:
    """One row: the search alone, then two of them in processes of their own."""
    load = os.getloadavg()[0]
    (alone,) = _searched(name, executions, seconds, 1)
    both = _searched(name, executions, seconds, 2)
    return Row(
        name,
        tuple(executions),
        _rate(alone.done, alone.seconds),
        sum(_rate(each.done, each.seconds) for each in both),
        _rate(alone.done, alone.own),
        alone.left_out,
        wanted,
        round(load, 1),
        datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _rate(done: int, seconds: float) -> float:
    return round(60 * done / seconds, 1) if seconds else 0.0


def _searched(name: str, executions: Sequence[str], seconds: float, processes: int) -> list[Speed]:
    context = multiprocessing.get_context("spawn")
    ready = context.Barrier(processes)
    with context.Pool(processes, _begin, (ready,)) as pool:
        asked = [(name, tuple(executions), seconds, seed) for seed in range(processes)]
        return pool.starmap(_search, asked, chunksize=1)


_READY: list[multiprocessing.synchronize.Barrier] = []


def _begin(ready: multiprocessing.synchronize.Barrier) -> None:
    _READY.append(ready)


def _search(name: str, executions: Sequence[str], seconds: float, seed: int) -> Speed:
    """A search whose process is warm, begun when the other one's is, too."""
    torch.set_num_threads(1)
    model = built(name)
    list(search(model, executions, SearchPlan(mutants=3)))
    _READY[0].wait()
    began, used = time.monotonic(), time.process_time()
    done = left = 0
    for mutant in search(model, executions, SearchPlan(mutants=10**6, seconds=seconds, seed=seed)):
        left += bool(mutant.left_out)
        if not mutant.left_out:
            measured(mutant.outcomes[0])
            done += 1
    return Speed(done, left, time.monotonic() - began, time.process_time() - used)


if __name__ == "__main__":
    main()
