"""How many of the seeded faults are told, and whether their first layer is named.

    python -m benchmarks.models.seeded [--clean] [--out FILE] [EXECUTION ...]

One line of JSON for each fault, in the order of the table, through the path that findings take:
outcomes, oracles, localisation, and gradients where outputs agree.  ``effect`` is by how much
the fault moves the execution's output, over what eager's own error and the rounding of the
largest element allow.  With ``--clean`` what right executions of the ten models are told of,
over three seeds.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch

from analyzers.guest.models.execute_frame import located
from analyzers.guest.models.gradients import gradient_departures
from analyzers.guest.models.judging.error_measures import measured
from analyzers.guest.models.judging.execution_oracles import judge
from analyzers.guest.models.judging.isolated_runs import run_isolated
from analyzers.guest.models.model_extraction import prepared
from analyzers.guest.models.model_types import ModelUnderTest
from benchmarks.models.seeded.fault_injection import injected
from benchmarks.models.seeded.fault_table import FAULTS
from benchmarks.models.seeded.nets import KERAS, NETS
from benchmarks.models.seeded.seeded_fault import Fault
from benchmarks.models.zoo import MODELS

SEEDS = (0, 1, 2)
CLEAN = ("onednn-off", "decompositions", "channels-last", "onnxruntime-torchscript", "onnxruntime")


def built(name: str, seed: int = 0) -> ModelUnderTest:
    """A model of the zoo or of :mod:`.nets`, with the weights of a seed."""
    torch.manual_seed(seed)
    if name in NETS:
        if name in KERAS:
            importlib.import_module("keras").utils.set_random_seed(seed)
            module, given = NETS[name]()
            return ModelUnderTest(module, given, {}, "keras")
        return prepared(*NETS[name]())
    zoo = importlib.import_module(f"benchmarks.models.zoo.{name}")
    return prepared(zoo.build(), zoo.inputs())


def told(fault: Fault) -> dict[str, Any]:
    """What comes of one fault."""
    model, began = built(fault.model), time.monotonic()
    with injected(fault):
        found = run_isolated(model, [fault.execution])
        own = measured(found).get(fault.execution)
        verdicts = [each for each in judge(model, found) if each.execution == fault.execution]
        judged = time.monotonic()
        first = located(model, fault.execution, found, "") if verdicts else None
        place = None if first is None else first.place
        for each in () if verdicts else gradient_departures(model, [fault.execution]):
            verdicts, place = [each.verdict], each.place
    return {
        **about(fault),
        "status": found[fault.execution].status,
        "effect": None if own is None else float(f"{own.ratio:.3g}"),
        "rule": verdicts[0].rule if verdicts else None,
        "named": None if place is None else place.name,
        "judged": round(judged - began, 2),
        "located": round(time.monotonic() - judged, 2),
        "detail": found[fault.execution].detail[:300],
    }


def about(fault: Fault) -> dict[str, Any]:
    """A row of the table."""
    names = ("model", "execution", "layer", "operator")
    return {**{name: getattr(fault, name) for name in names}, "fault": fault.name}


def clean(executions: Sequence[str]) -> Iterator[dict[str, Any]]:
    """What right executions are told of, a row for each model, seed and execution."""
    for execution in executions:
        for name in MODELS:
            for seed in SEEDS:
                model = built(name, seed)
                verdicts = judge(model, run_isolated(model, [execution]))
                about = {"model": name, "seed": seed, "execution": execution}
                yield {**about, "told": [each.detail for each in verdicts]}


def main() -> None:
    words = argparse.ArgumentParser()
    words.add_argument("executions", nargs="*")
    words.add_argument("--clean", action="store_true")
    words.add_argument("--out", type=Path)
    chosen = words.parse_args()
    torch.set_num_threads(1)
    if chosen.clean:
        rows = clean(chosen.executions or CLEAN)
    else:
        wanted = chosen.executions or [each.execution for each in FAULTS]
        rows = (told(each) for each in FAULTS if each.execution in wanted)
    kept = list(_written(rows, chosen.out))
    told_of = _of_clean(kept) if chosen.clean else _of_faults(kept)
    print(f"{told_of}; load {os.getloadavg()[0]:.1f}")


def _written(rows: Iterable[dict[str, Any]], out: Path | None) -> Iterator[dict[str, Any]]:
    """The rows, each told and kept as soon as it is there."""
    for row in rows:
        line = json.dumps(row)
        print(line, flush=True)
        if out is not None:
            with out.open("a") as file:
                file.write(f"{line}\n")
        yield row


def _of_faults(rows: Sequence[dict[str, Any]]) -> str:
    found = [row for row in rows if row["rule"]]
    right = sum(row["named"] == row["layer"] for row in found)
    return f"{len(rows)} faults, told {len(found)}, layer right {right}"


def _of_clean(rows: Sequence[dict[str, Any]]) -> str:
    return f"{len(rows)} right runs, told of {sum(bool(row['told']) for row in rows)}"


if __name__ == "__main__":
    main()
