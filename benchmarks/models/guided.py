"""Guided search against unguided: how much further apart mutants are than their model.

    python -m benchmarks.models.guided [--models lenet,lstm] [--mutants 40] [--seeds 10]
        [--pair fault|rounding] [--out FILE]
    python -m benchmarks.models.guided --table FILE

Both searches make the same number of mutants of the ten models of the zoo, seed by seed, on
the same execution beside eager and float64.  ``fault``: it has a wrong kernel too slight to be
told of (:mod:`.faults`), another operator's with each seed.  ``rounding``: it is torch without
oneDNN, and there is nothing to be found.

A run's rate is the mean over its mutants of ACC(mutant) / ACC(model) - 1, where ACC is the
inconsistency accumulated over all pairs of executions (LEMON, section 3.3 and table 5), each
pair's being its largest difference over eager's own error.  One JSON line a run goes to
``--out`` as it is done; the table is made of these (:mod:`.amplification`).
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import os
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean

import torch

from analyzers.guest.models.judging.error_measures import measured
from analyzers.guest.models.model_types import RATIO as TOLD
from analyzers.guest.models.model_types import ModelUnderTest
from analyzers.guest.models.search.guided_search import search
from analyzers.guest.models.search.mutant_runs import RATIO, ModelMutant, SearchPlan
from benchmarks.models.amplification import table
from benchmarks.models.slight_faults import Fault, built_from, faulty, slight
from benchmarks.models.zoo import MODELS

RESULTS = Path(__file__).parent / "results"
ROUNDING, FAULT = "rounding", "fault"
_LEAST = 1e-12
_NARROW = {
    "alexnet": ("AlexNet", {"width": 4}),
    "resnet18": ("ResNet", {"width": 8}),
    "vgg19": ("VGG", {"width": 4}),
}
"""The models that are built narrower here than in the zoo, so that there are seeds enough."""


@dataclass(frozen=True, slots=True)
class Run:
    """A search: of which model, on which pair, with which seed, guided or not.

    ``rate`` is the mean amplification, ``doublings`` the mean of its base-2 logarithm,
    ``amplified`` the share of mutants above their model, ``told`` how many depart by the
    ratio that is told, ``left_out`` how many gave nothing to compare.
    """

    model: str
    pair: str
    operator: str
    seed: int
    guided: bool
    mutants: int
    left_out: int
    rate: float
    doublings: float
    amplified: float
    told: int
    seconds: float
    load: float


def main() -> None:
    """Run what is asked, and print the table of it."""
    words = argparse.ArgumentParser()
    words.add_argument("--models", default=",".join(MODELS))
    words.add_argument("--mutants", type=int, default=40)
    words.add_argument("--seeds", type=int, default=10)
    words.add_argument("--pair", choices=(FAULT, ROUNDING), default=FAULT)
    words.add_argument("--out", type=Path)
    words.add_argument("--table", type=Path)
    asked = words.parse_args()
    if asked.table is not None:
        print(table([json.loads(line) for line in asked.table.read_text().splitlines()]))
        return
    torch.set_num_threads(1)
    out = asked.out or RESULTS / f"guided-{asked.pair}.jsonl"
    out.parent.mkdir(exist_ok=True)
    rows = []
    with out.open("w", encoding="utf-8") as lines:
        for name in asked.models.split(","):
            for run in runs(name, asked):
                rows.append(asdict(run))
                lines.write(json.dumps(rows[-1]) + "\n")
                lines.flush()
    print(table(rows))


def runs(name: str, asked: argparse.Namespace) -> Iterator[Run]:
    """All runs of one model, guided and unguided by turns."""
    faults = slight(normalised(name)) if asked.pair == FAULT else [None]
    for seed in range(asked.seeds if faults else 0):
        fault = faults[seed % len(faults)]
        for guided in (True, False):
            plan = SearchPlan(asked.mutants, math.inf, seed, guided, measure=RATIO)
            began = time.monotonic()
            with _execution(fault) as execution:
                mutants = list(search(normalised(name), [execution], plan))
                told = sum(_is_told(each, execution) for each in mutants)
            spent = time.monotonic() - began
            known = [_ratio(each) for each in mutants if not each.left_out]
            yield Run(
                name,
                asked.pair,
                fault.operator if fault else "",
                seed,
                guided,
                len(mutants),
                len(mutants) - len(known),
                mean(known) - 1,
                mean(map(math.log2, known)),
                mean(each > 1 for each in known),
                told,
                round(spent, 2),
                round(os.getloadavg()[0], 1),
            )


@contextmanager
def _execution(fault: Fault | None) -> Generator[str, None, None]:
    if fault is None:
        yield "onednn-off"
        return
    with faulty(fault) as name:
        yield name


def _ratio(mutant: ModelMutant) -> float:
    return max(mutant.inconsistency, _LEAST) / max(mutant.initial, _LEAST)


def _is_told(mutant: ModelMutant, execution: str) -> bool:
    if mutant.left_out:
        return False
    found = measured(mutant.outcomes[0]).get(execution)
    return found is not None and found.ratio >= TOLD


def normalised(name: str) -> ModelUnderTest:
    """A model of the zoo that knows the statistics of its inputs, the same each time."""
    torch.manual_seed(0)
    module = importlib.import_module(f"benchmarks.models.zoo.{name}")
    inputs = tuple(module.inputs())
    if name not in _NARROW:
        return built_from(module.build, inputs)
    kind, widths = _NARROW[name]
    return built_from(lambda: getattr(module, kind)(**widths), inputs)


def built(name: str) -> ModelUnderTest:
    """A model of the zoo with its inputs, the same each time."""
    torch.manual_seed(0)
    module = importlib.import_module(f"benchmarks.models.zoo.{name}")
    return ModelUnderTest(module.build().eval(), tuple(module.inputs()))


if __name__ == "__main__":
    main()
