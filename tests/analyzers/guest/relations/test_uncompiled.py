"""Oracles judge without torch's compiler being loaded, in forks of a template too."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]
PROGRAM = """
import gc, sys
from analyzers.guest import template
template.preload(["torch"], None)
gc.freeze()
import torch
from analyzers.guest.relations.libraries.library_registry import library
from analyzers.guest.relations.relation_types import LiveCall
from analyzers.guest.relations.oracles.oracle_registry import judge_call
from analyzers.guest.relations.reaching.call_judging import project_oracles
from analyzers.guest.relations.agreement import without_compiler

oracles = project_oracles()
live = LiveCall("torch.add", torch.add, [torch.ones(2, 3), torch.ones(3)])
with without_compiler():
    outcome, found = judge_call(live, library("torch"), [], oracles)
assert (outcome.status, found) == ("success", []), (outcome, found)
assert "reference" in oracles and "decomposition" in oracles and "meta" not in oracles
print("torch._dynamo" in sys.modules)
torch._refs.add(torch.ones(2), torch.ones(2))
print("torch._dynamo" in sys.modules)
"""


@pytest.mark.slow
def test_what_hides_from_the_compiler_does_not_load_it():
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stdout.split()) == (0, ["False", "True"]), ran.stderr
