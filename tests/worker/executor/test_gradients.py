"""Gradients that depend on the execution, from the bench: in the real sandbox, and run again."""

import time

import pytest

from analyzers.vocabulary import ExecutionRequest, Probe, RecipeArgument, Violated
from tests.worker.sessions import laboratory, target, tree
from worker.executor.sandbox_executor import SandboxExecutor

APP = """\
import torch
from torch._decomp import decomposition_table

OPERATOR = torch.ops.aten.tanh_backward.default
RIGHT = decomposition_table[OPERATOR]
decomposition_table[OPERATOR] = lambda gradient, found: RIGHT(gradient, found) * 1.0001


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Linear(3, 4)
        self.head = torch.nn.Linear(4, 2)

    def forward(self, x):
        return self.head(torch.tanh(self.body(x)))
"""


@pytest.mark.slow
def test_wrong_gradient_is_told_by_its_parameter_and_the_run_repeats(tmp_path):
    head, where = tree(tmp_path / "head", app=APP), target(function="Net.forward")
    bench = SandboxExecutor(laboratory(head, head), where, time.monotonic() + 200)
    arguments = {"self": RecipeArgument("Net()"), "x": RecipeArgument("tensor((4, 3), seed=1)")}
    asked = ExecutionRequest((Probe(where.id, arguments, ()),), ("onednn-off", "decompositions"))
    try:
        found = bench.execute(where, asked)
        assert found.obstacle is None, found
        (departure,) = found.departures
        assert (departure.rule, departure.execution) == ("gradient", "decompositions")
        assert "the gradient of body." in departure.run.ending.detail
        layer = departure.layer
        assert (layer.name, layer.path, layer.line) == ("body", "app.py", 16)
        assert departure.probe.ensures == ("executes('gradient', 'decompositions')",)
        (run,) = bench.run([departure.probe])
        assert isinstance(run.ending, Violated)
    finally:
        bench.close()
