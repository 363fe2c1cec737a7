"""The same through the sandbox: a project whose own code plants a wrong decomposition.

    python -m benchmarks.models.seeded.sandboxed [--out FILE]

One line of JSON for each fault of decompositions in a model of the zoo: what the bench's
``execute`` tells, the layer that it names, and whether the run of the condition repeats it.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

from analyzers.vocabulary import ExecutionRequest, Probe, RecipeArgument, Violated
from benchmarks.models.seeded.fault_table import FAULTS
from benchmarks.models.seeded.seeded_fault import Fault
from tests.worker.sessions import laboratory, target, tree
from worker.executor.sandbox_executor import SandboxExecutor

HERE = Path(__file__).resolve().parent
SECONDS = 60.0
CALLS = {
    "lenet": ("LeNet", "tensor((1, 1, 28, 28), seed=1)"),
    "mobilenet": ("MobileNet", "tensor((1, 3, 32, 32), seed=1)"),
    "googlenet": ("GoogLeNet", "tensor((1, 3, 64, 64), seed=1)"),
    "squeezenet": ("SqueezeNet", "tensor((1, 3, 32, 32), seed=1)"),
    "pointnet": ("PointNet", "tensor((2, 3, 64), seed=1)"),
    "lstm": ("LSTMClassifier", 'tensor((2, 12), dtype="int64", low=1, high=99, seed=1)'),
    "transformer": ("Transformer", 'tensor((2, 16), dtype="int64", low=0, high=63, seed=1)'),
}
PLANTING = """

import wrong_kernels
from torch._decomp import decomposition_table


def planted(right, wrong):
    return lambda *args, **kwargs: wrong(right, args, kwargs)


OPERATOR = torch.ops.aten.{operator}
decomposition_table[OPERATOR] = planted(decomposition_table[OPERATOR], wrong_kernels.{wrong})
"""


def told(fault: Fault) -> dict[str, Any]:
    """What comes of one fault in the sandbox."""
    began = time.monotonic()
    name, given = CALLS[fault.model]
    source = (HERE.parent / "zoo" / f"{fault.model}.py").read_text(encoding="utf-8")
    kernels = (HERE / "kernels.py").read_text(encoding="utf-8")
    app = source.split("\nif __name__")[0] + PLANTING.format(
        operator=fault.operator, wrong=fault.name
    )
    with tempfile.TemporaryDirectory() as folder:
        head = tree(Path(folder) / "head", app=app, wrong_kernels=kernels)
        where = target(function=f"{name}.forward")
        bench = SandboxExecutor(laboratory(head, head), where, time.monotonic() + 4 * SECONDS)
        argument = _argument(source, name)
        probe = Probe(
            where.id, {"self": RecipeArgument(f"{name}()"), argument: RecipeArgument(given)}, ()
        )
        try:
            executions = (fault.execution, "onednn-off")
            found = bench.execute(where, ExecutionRequest((probe,), executions, seconds=SECONDS))
            departures = found.departures
            runs = bench.run([each.probe for each in departures])
        finally:
            bench.close()
    return {
        "model": fault.model,
        "layer": fault.layer,
        "fault": fault.name,
        "obstacle": found.obstacle,
        "told": [(each.rule, each.execution) for each in departures],
        "named": [each.layer.name if each.layer else None for each in departures],
        "lines": [each.layer.line if each.layer else 0 for each in departures],
        "repeats": [isinstance(run.ending, Violated) for run in runs],
        "seconds": round(time.monotonic() - began, 1),
    }


def _argument(source: str, name: str) -> str:
    """What the forward of a class calls its input."""
    body = source.split(f"class {name}(")[1]
    return body.split("def forward(self, ")[1].split(")")[0]


def main() -> None:
    words = argparse.ArgumentParser()
    words.add_argument("--out", type=Path)
    out = words.parse_args().out
    for fault in FAULTS:
        if fault.execution == "decompositions" and fault.model in CALLS:
            line = json.dumps(told(fault))
            print(line, flush=True)
            if out is not None:
                with out.open("a", encoding="utf-8") as file:
                    file.write(f"{line}\n")


if __name__ == "__main__":
    main()
