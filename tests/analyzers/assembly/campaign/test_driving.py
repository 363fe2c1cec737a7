"""How files are run."""

from analyzers.assembly.campaign.assembly_campaign import ScriptRunner, runnable_text
from tests.analyzers.assembly.campaign.benches import WHERE, HereBench, known

LAYERS = known("Linear")("2.13.0")
LOOP = """\
import torch
model = torch.nn.Linear(2, 1)
for epoch in range(2):
    for é, step in ((1, 2), (3, 4)): pass
    for step in range(7): model(torch.rand(3, 2)).sum().backward()
for other in range(9): pass
"""
PARTS = """\
import torch

def build():
    return torch.nn.Linear(2, 1)

def inputs():
    return (torch.rand(3, 2),)
"""


def run(text):
    return runnable_text(text, LAYERS, ScriptRunner(WHERE, HereBench(text)))


def test_training_loops_are_run_once():
    text = run(LOOP)
    assert text == LOOP.replace("range(2)", "range(1)").replace("range(7)", "range(1)")


def test_builders_are_called():
    text = run(PARTS)
    assert text.startswith(PARTS)
    assert "build()(*inputs())" in text


def test_layers_that_are_never_called_do_not_count():
    assert run("import torch\n") is None
