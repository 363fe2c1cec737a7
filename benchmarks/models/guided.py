"""Guided search against unguided: how much further apart mutants are than their model.

    python -m benchmarks.models.guided [--models lenet,lstm] [--mutants 200] [--seeds 3]

Both make the same number of mutants of the ten models of the zoo, with the same executions.
A mutant's rate is its inconsistency over the model's own, less one (LEMON, table 4); what
is compared is the mean rate over mutants and seeds, and in brackets the share of mutants that
are further apart than the model.  One line a model, as it is done.
"""

from __future__ import annotations

import argparse
import importlib
import math
import time
from statistics import mean

import torch

from analyzers.guest.models.nouns import Model
from analyzers.guest.models.searching.nouns import RATIO, Mutant, Plan
from analyzers.guest.models.searching.search import search
from benchmarks.models.zoo import MODELS

EXECUTIONS = ("onednn-off",)


def main() -> None:
    words = argparse.ArgumentParser()
    words.add_argument("--models", default=",".join(MODELS))
    words.add_argument("--mutants", type=int, default=200)
    words.add_argument("--seeds", type=int, default=3)
    words.add_argument("--seconds", type=float, default=120.0)
    words.add_argument("--measure", default=RATIO)
    words.add_argument("--executions", default=",".join(EXECUTIONS))
    asked = words.parse_args()
    names = asked.executions.split(",")
    won = 0
    models = asked.models.split(",")
    for name in models:
        began = time.monotonic()
        rates = {guided: _rates(name, names, asked, guided=guided) for guided in (True, False)}
        won += mean(rates[True]) > mean(rates[False])
        told = ", ".join(
            f"{'guided' if guided else 'unguided'} {mean(found):8.3f} "
            f"({100 * mean(rate > 0 for rate in found):3.0f} %)"
            for guided, found in rates.items()
        )
        seconds = time.monotonic() - began
        print(
            f"{name:12} {told}  {len(rates[True])}+{len(rates[False])} in {seconds:.0f} s",
            flush=True,
        )
    print(f"guided amplifies more in {won} of {len(models)}", flush=True)


def _rates(name: str, names: list[str], asked: argparse.Namespace, *, guided: bool) -> list[float]:
    found = []
    for seed in range(asked.seeds):
        plan = Plan(asked.mutants, asked.seconds, seed, guided, measure=asked.measure)
        mutants = [mutant for mutant in search(built(name), names, plan) if not mutant.left_out]
        found += [_rate(mutant) for mutant in mutants]
    return found or [math.nan]


def _rate(mutant: Mutant) -> float:
    return mutant.inconsistency / max(mutant.initial, 1e-12) - 1


def built(name: str) -> Model:
    """A model of the zoo with its inputs, the same each time."""
    torch.manual_seed(0)
    module = importlib.import_module(f"benchmarks.models.zoo.{name}")
    return Model(module.build().eval(), tuple(module.inputs()))


if __name__ == "__main__":
    main()
