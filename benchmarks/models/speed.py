"""Mutants a minute: made, run by eager, float64 and other executions, and compared.

    python -m benchmarks.models.speed [--seconds 20]

One line for each model and set of executions: the rate by the clock, that by the process's own
time on a core (what the clock would show on an idle machine, with one thread), and what the
issue wants.  Mutants that fail or give NaN are counted apart and not in the rates.
"""

from __future__ import annotations

import argparse
import os
import time

from analyzers.guest.models.judging import measured
from analyzers.guest.models.searching.nouns import Plan
from analyzers.guest.models.searching.search import search
from benchmarks.models.guided import built

WANTED = (
    ("lenet", ("onednn-off",), 5000),
    ("lenet", ("onednn-off", "onnxruntime-torchscript"), 1000),
    ("resnet18", ("onednn-off",), 80),
    ("lstm", ("onednn-off",), 0),
    ("transformer", ("onednn-off",), 0),
)


def main() -> None:
    words = argparse.ArgumentParser()
    words.add_argument("--seconds", type=float, default=20.0)
    seconds = words.parse_args().seconds
    for name, executions, wanted in WANTED:
        model = built(name)
        list(search(model, executions, Plan(mutants=3)))
        began, used = time.monotonic(), time.process_time()
        done = left = 0
        for mutant in search(model, executions, Plan(mutants=10**6, seconds=seconds)):
            left += bool(mutant.left_out)
            if not mutant.left_out:
                measured(mutant.outcomes[0])
                done += 1
        rate = done / (time.monotonic() - began) * 60
        own = done / (time.process_time() - used) * 60
        beside = ", ".join(("eager", "float64", *executions))
        told = f"(wanted {wanted})" if wanted else ""
        load = os.getloadavg()[0]
        print(
            f"{name:12} {rate:6.0f} a minute, {own:6.0f} of its own {told:14} {beside}; "
            f"{left} left out; load {load:.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
