"""Variants of a file are run in its place, and each costs nobody but itself."""

import pytest

from analyzers.guest.assembly import assembly
from tests.analyzers.guest.guests import GuestAtHand

MODEL = """
import torch
from torch import nn
from .sizes import WIDTH


class Small(nn.Module):
    def __init__(self, outputs=3):
        super().__init__()
        self.inner = nn.Linear(4, WIDTH)
        self.outer = nn.Linear(WIDTH, outputs)

    def forward(self, x):
        return self.outer(torch.relu(self.inner(x)))
"""
PROBE = {
    "arguments": {
        "self": {"kind": "made", "recipe": "Small(2)"},
        "x": {"kind": "made", "recipe": "tensor((2, 4), seed=1)"},
    },
    "script": [],
}


@pytest.fixture(scope="module")
def guest(tmp_path_factory):
    root = tmp_path_factory.mktemp("project")
    package = root / "nets"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "sizes.py").write_text("WIDTH = 5\n")
    (package / "small.py").write_text(MODEL)
    guest = GuestAtHand(tmp_path_factory.mktemp("guest"), root)
    assert guest.prepare("nets/small.py", "Small.forward")["type"] == "prepared"
    yield guest
    guest.close()


def states(guest, *files, probe=PROBE, train=True, timeout=30.0, seconds=60.0):
    return guest.said(
        {
            "type": "assemble",
            "files": list(files),
            "probe": probe,
            "blobs": {},
            "train": train,
            "timeout": timeout,
            "seconds": seconds,
            "seed": 0,
        }
    )["states"]


def ended(state):
    return state["state"], state["stage"]


def test_the_file_itself_runs_in_its_package_and_tells_its_layers(guest):
    (state,) = states(guest, MODEL)

    assert ended(state) == ("ran", "")
    assert state["finite"]
    assert "torch.nn.Linear" in state["apis"]
    assert "torch.nn.functional.linear" in state["apis"]


@pytest.mark.parametrize(
    ("old", "new", "stage", "exception", "line"),
    [
        ("import torch\n", "import torch(\n", "load", "SyntaxError", 2),
        ("WIDTH)\n", "WIDTH, wide=1)\n", "build", "TypeError", 10),
        ("nn.Linear(WIDTH", "nn.Linear(9", "forward", "RuntimeError", 14),
        ("(x)))", "(x))).detach().int()", "", "", 0),
        ("torch.relu(self", "Odd.apply(self", "backward", "ValueError", 0),
    ],
)
def test_a_state_names_stage_exception_and_own_line(guest, old, new, stage, exception, line):
    odd = (
        "\n\nclass Odd(torch.autograd.Function):\n    @staticmethod\n"
        "    def forward(ctx, x):\n        return x * 1\n\n    @staticmethod\n"
        "    def backward(ctx, g):\n        raise ValueError('no')\n"
    )
    text = MODEL.replace(old, new, 1) + (odd if "Odd" in new else "")
    (state,) = states(guest, text)

    assert (state["stage"], state["exception"]) == (stage, exception)
    assert not line or state["line"] == line


def test_what_is_not_finite_is_seen_in_outputs_and_gradients(guest):
    forward = MODEL.replace(
        "torch.relu(self.inner(x))", "torch.log(-torch.relu(self.inner(x)) - 1)"
    )
    backward = MODEL.replace("torch.relu(self.inner(x))", "torch.sqrt(self.inner(x) * 0)")

    assert [each["finite"] for each in states(guest, forward, backward)] == [False, False]
    assert [each["finite"] for each in states(guest, backward, train=False)] == [True]


@pytest.mark.slow
def test_a_crash_and_a_hang_cost_one_file_each(guest):
    crash = MODEL.replace("return self", "import ctypes; ctypes.string_at(0); return self")
    hang = MODEL.replace("return self", "while True: pass\n        return self")
    leaves = MODEL.replace("return self", "import os; os._exit(0); return self")
    found = states(guest, MODEL, crash, hang, leaves, MODEL, MODEL, timeout=4.0)

    kinds = [each["state"] for each in found]
    assert kinds == ["ran", "died", "timed-out", "died", "ran", "ran"]
    assert (found[1]["stage"], found[1]["detail"]) == ("forward", "SIGSEGV")


def test_no_variant_sees_another_or_changes_the_project(guest):
    marked = MODEL + "\nimport torch.nn\nSmall.forward.mark = 1\nWIDTH = 7\n"
    asking = MODEL + "\nimport nets.small as own\nassert not hasattr(Small.forward, 'mark')\n"
    found = states(guest, marked, marked, asking + "assert own.WIDTH == 5\n", MODEL)

    assert [each["state"] for each in found] == ["ran"] * 4


def test_a_script_runs_as_main_and_tells_how_far_it_came(guest):
    script = MODEL.replace("from .sizes", "from nets.sizes") + (
        "\nif __name__ == '__main__':\n"
        "    model = Small()\n"
        "    best = torch.optim.SGD(model.parameters(), lr=0.1)\n"
        "    loss = model(torch.ones(2, 4)).sum()\n"
        "    loss.backward()\n"
        "    best.step()\n"
        "    print('done')\n"
    )
    broken = script.replace("print('done')", "raise KeyError('late')")
    early = script.replace("torch.ones(2, 4)", "torch.ones(2, 3)")
    endless = script.replace(".sum()", ".sum() * float('inf')")
    found = states(guest, script, broken, early, endless, probe=None)

    stages = [(each["state"], each["stage"]) for each in found]
    assert stages == [("ran", ""), ("raised", "step"), ("raised", "forward"), ("ran", "")]
    assert [each["finite"] for each in found] == [True, True, True, False]


def test_what_there_is_no_time_for_is_not_run(guest):
    found = states(guest, MODEL, MODEL, seconds=-1.0)

    assert {(each["state"], each["detail"]) for each in found} == {("not-run", assembly.NO_TIME)}
