"""Which models a file holds."""

from pathlib import Path

import pytest

from analyzers.models.model_classes import models_in

ZOO = Path(__file__).parents[3] / "benchmarks" / "models" / "zoo"
HEAD = "import torch\nfrom torch import nn\n\n"
BLOCK = """
class Block(nn.Module):
    def forward(self, x):
        return x
"""
NET = """
class Net(nn.Module):
    def __init__(self{more}):
        super().__init__()
        self.block = Block()

    def forward(self, x):
        return self.block(x)
"""
MAKING = "\ndef make():\n    return Net(3)\n"
SEQUENTIAL = "\ndef small():\n    return nn.Sequential(nn.Linear(2, 2))\n"
NEEDING = "\ndef make(width):\n    return Net(width)\n"


@pytest.mark.parametrize(
    ("text", "models"),
    [
        (BLOCK, ("Block.forward",)),
        (BLOCK + NET.format(more=""), ("Net.forward",)),
        (BLOCK + NET.format(more="") + MAKING, ("Net.forward",)),
        (BLOCK + NET.format(more=", width") + MAKING, ("make",)),
        (BLOCK + NET.format(more=", width") + NEEDING, ("Net.forward",)),
        (SEQUENTIAL, ("small",)),
        (SEQUENTIAL + "\ndef whole():\n    return nn.Sequential(small())\n", ("whole",)),
        ("\nmodel = nn.Linear(2, 2)\n", ()),
        ("\ndef f(:\n", ()),
    ],
    ids=[
        "class",
        "part",
        "builder beside",
        "only built",
        "builder needs more",
        "sequential",
        "part of a sequential",
        "script",
        "no Python",
    ],
)
def test_models_are_the_whole_ones(text, models):
    assert models_in("net.py", {"net.py": HEAD + text}) == models


def test_each_file_of_the_zoo_has_one():
    for file in sorted(ZOO.glob("[a-z]*.py")):
        (model,) = models_in("net.py", {"net.py": file.read_text(encoding="utf-8")})
        assert model.endswith(".forward")
