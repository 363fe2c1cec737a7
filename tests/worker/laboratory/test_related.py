"""Library calls from the bench: seen, compared and reached in the real sandbox."""

import time

import pytest

from analyzers.vocabulary import Made, Probe, Recorded
from tests.worker.sessions import laboratory, target, tree
from worker.laboratory.bench import SandboxBench

APP = """\
import torch
import torch.nn.functional as F


def common(x, y):
    return torch.lcm(x, y)


def loss(x, y):
    return F.huber_loss(x, y, reduction="none")


def plain(n):
    return n + 1
"""


@pytest.fixture
def bench(tmp_path):
    made = []

    def bench(function, source=APP):
        head = tree(tmp_path / f"head{len(made)}", app=source)
        found = target(function=function)
        made.append(SandboxBench(laboratory(head, head), found, time.monotonic() + 200))
        return made[-1], found

    yield bench
    for each in made:
        each.close()


def probe(function, **recipes):
    return Probe(f"app.py::{function}", {name: Made(r) for name, r in recipes.items()}, ())


INTS = 'tensor((2,), dtype="int64", fill=6)'


def test_calls_of_probes_are_recorded(bench):
    at, where = bench("common")
    recorded = at.record(where, [probe("common", x=INTS, y=INTS)])
    assert isinstance(recorded, Recorded)
    assert (recorded.library, recorded.version.partition("+")[0].count(".")) == ("torch", 2)
    (call,) = recorded.calls
    assert (call.api, call.path, call.line, call.function) == ("torch.lcm", "app.py", 6, "common")
    assert call.source == "torch.lcm(torch.tensor([6, 6]), torch.tensor([6, 6]))"
