"""The project's own tests are run in a real guest, and calls come back as constraints."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from analyzers.guest.annotations.syntax import parse
from tests.analyzers.guest.guests import GuestAtHand

NET = """\
import functools
import torch


def plain(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)
    return inner


@plain
def scale(x, factor=2, *, name="a"):
    if factor < 0:
        raise ValueError(factor)
    return x * factor


class Net(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layer = torch.nn.Linear(width, 2)

    def forward(self, x, sizes):
        return self.layer(x)
"""
TESTS = """\
import pytest
import torch
from net import Net, scale


@pytest.fixture
def net():
    return Net(4)


def test_scale():
    assert scale(torch.ones(2, 3)).sum() == 12
    scale(torch.ones(2, 3), name="b")
    with pytest.raises(ValueError):
        scale(torch.ones(1), -1)


def test_net(net):
    print("noise")
    net(torch.zeros(5, 4), [torch.zeros(1), torch.zeros(1)])
    assert False
"""
PLAIN = """\
import unittest
import numpy as np
from plain import mean


def test_mean():
    mean(np.array([[1.0, 3.0]]), {"axis": 1})


class Case(unittest.TestCase):
    def test_case(self):
        mean(np.array([1, 5], dtype="int32"), (1, "a", None, True))


class TestMore:
    def test_more(self):
        mean([0.5], object())
"""
HOPELESS = """\
import os
import time
from plain import mean

def test_slow():
    mean([1], 2)
    time.sleep(100)

def test_dead():
    os._exit(3)
"""


@pytest.fixture
def start(tmp_path: Path):
    guests: list[GuestAtHand] = []

    def begin(
        files: dict[str, str], path: str, function: str, *others: str, python: str = sys.executable
    ):
        root = tmp_path / "project"
        root.mkdir()
        for name, text in files.items():
            (root / name).write_text(text)
        guest = GuestAtHand(tmp_path, root, python)
        guests.append(guest)
        assert guest.prepare(path, function, *others)["type"] == "prepared"
        return guest

    yield begin
    for guest in guests:
        guest.close()


def observe(
    guest: GuestAtHand,
    functions: list[str],
    tests: list[str],
    seconds: float = 60.0,
    documents: tuple[str, ...] = (),
):
    frame = {"functions": functions, "tests": tests, "documents": documents, "seconds": seconds}
    guest._wire.send({"type": "observe", **frame})
    reply = guest._received()
    assert reply["type"] == "observed"
    for call in reply["calls"]:
        for text in call["arguments"].values():
            parse(text)
    return reply


def test_calls_of_a_base_class_in_another_file_are_recorded(start):
    near = "import base\n\n\nclass Near(base.Base):\n    def other(self, x):\n        return x\n"
    files = {
        "base.py": "class Base:\n    def other(self, x):\n        return 0\n\n"
        "    def forward(self, x):\n        return self.other(x)\n",
        "near.py": near,
        "test_near.py": "import near\n\ndef test():\n    assert near.Near().forward(3) == 3\n",
    }
    guest = start(files, "near.py", "Near.forward", "base.py")
    reply = observe(guest, ["Near.other", "base.py::Base.forward"], ["test_near.py"])
    calls = {call["function"]: call["arguments"] for call in reply["calls"]}
    seen = {"x": "froms([3])"}
    assert calls == {"Near.other": seen, "base.py::Base.forward": seen}


def test_calls_are_recorded_with_what_they_were_given(start):
    guest = start({"net.py": NET, "test_net.py": TESTS}, "net.py", "Net.forward")
    reply = observe(guest, ["scale", "Net.forward", "Net.__init__"], ["test_net.py"])
    calls = [(c["function"], c["arguments"], c["raised"]) for c in reply["calls"]]
    ones = "tensors(dtype='float32', shape=(2, 3), min=1.0, max=1.0)"
    assert calls == [
        ("scale", {"x": ones, "factor": "froms([2])", "name": "froms(['a'])"}, False),
        ("scale", {"x": ones, "factor": "froms([2])", "name": "froms(['b'])"}, False),
        (
            "scale",
            {
                "x": "tensors(dtype='float32', shape=(1,), min=1.0, max=1.0)",
                "factor": "froms([-1])",
                "name": "froms(['a'])",
            },
            True,
        ),
        ("Net.__init__", {"width": "froms([4])"}, False),
        (
            "Net.forward",
            {
                "x": "tensors(dtype='float32', shape=(5, 4), min=0.0, max=0.0)",
                "sizes": "lists(tensors(dtype='float32', shape=(1,), min=0.0, max=0.0), "
                "min_len=2, max_len=2)",
            },
            False,
        ),
    ]
    assert {c["test"] for c in reply["calls"]} == {
        "test_net.py::test_scale",
        "test_net.py::test_net",
    }
    assert reply["notes"] == []


README = """\
```python
import torch
from net import Net, scale

net = Net(width=4)
```

Use it:

```python
net(torch.zeros(5, 4), sizes=())
raise SystemExit
```

```python
scale(torch.zeros(1), factor=undefined)
```

```sh
net --help
```
"""


def test_examples_of_a_document_run_one_after_the_other_and_tell_what_made_an_instance(start):
    example = (
        '\n\ndef halved(x):\n    """\n    >>> halved(torch.ones(2))\n    """\n    return x / 2\n'
    )
    guest = start({"net.py": NET + example, "README.md": README}, "net.py", "Net.forward")
    functions = ["Net.forward", "Net.__init__", "scale", "halved"]
    reply = observe(guest, functions, [], documents=("README.md", "net.py"))
    made, called, *_ = reply["calls"]
    assert made["function"] == "Net.__init__"
    assert (called["owner"], called["constructor"]) == ("Net", {"width": "froms([4])"})
    assert called["test"] == "README.md"
    assert not any(each["function"] == "scale" for each in reply["calls"])


def test_plain_tests_run_without_pytest(start, monkeypatch, tmp_path):
    """A file named pytest.py that cannot be imported stands in for its absence."""
    files = {
        "plain.py": "def mean(values, options):\n    return values\n",
        "test_plain.py": PLAIN,
        "pytest.py": "raise ImportError('none here')\n",
    }
    guest = start(files, "plain.py", "mean")
    reply = observe(guest, ["mean"], ["test_plain.py"])
    assert [c["arguments"] for c in reply["calls"]] == [
        {
            "values": "np_arrays(dtype='float64', shape=(1, 2), min=1.0, max=3.0)",
            "options": "froms([{'axis': 1}])",
        },
        {
            "values": "np_arrays(dtype='int32', shape=(2,), min=1, max=5)",
            "options": "froms([(1, 'a', None, True)])",
        },
        {"values": "froms([[0.5]])"},
    ]


@pytest.mark.slow
def test_what_was_seen_before_the_time_was_up_is_kept(start):
    files = {
        "plain.py": "def mean(values, options):\n    return values\n",
        "test_slow.py": HOPELESS,
    }
    guest = start(files, "plain.py", "mean")
    slow = files["test_slow.py"].replace("os._exit(3)", "mean([2], 3)")
    (guest.root / "test_slow.py").write_text(slow)
    reply = observe(guest, ["mean"], ["test_slow.py"], seconds=4.0)
    assert [c["arguments"]["values"] for c in reply["calls"]] == ["froms([[1]])", "froms([[2]])"]


def test_tests_that_end_the_process_leave_the_guest_alive(start):
    dead = "import os\ndef test_dead():\n    os._exit(3)\n"
    files = {"plain.py": "def mean(values, options):\n    return values\n", "test_dead.py": dead}
    guest = start(files, "plain.py", "mean")
    reply = observe(guest, ["mean"], ["test_dead.py"])
    assert reply["calls"] == []
    assert reply["notes"]
    again = observe(guest, ["mean"], ["missing.py"])
    nothing = {"type": "observed", "calls": [], "outcomes": {}, "used": []}
    assert again == {**nothing, "notes": ["there are no tests"]}


OUTCOMES = """\
import unittest
from plain import mean


def test_passes():
    assert mean([1], 2) == [1]


def test_fails():
    assert mean([1], 2) == 3


class Case(unittest.TestCase):
    def test_skipped(self):
        self.skipTest("not here")
"""


@pytest.mark.parametrize("with_pytest", [True, False])
def test_outcomes_of_the_tests_are_told(start, with_pytest):
    files = {
        "plain.py": "def mean(values, options):\n    return values\n",
        "test_plain.py": OUTCOMES,
    }
    if not with_pytest:
        files["pytest.py"] = "raise ImportError\n"
    reply = observe(start(files, "plain.py", "mean"), [], ["test_plain.py"])
    outcomes = {name.rpartition("::")[2]: passed for name, passed in reply["outcomes"].items()}
    assert outcomes == {"test_plain.py": True, "test_passes": True, "test_fails": False}


@pytest.mark.parametrize("with_pytest", [True, False])
def test_file_that_cannot_be_loaded_fails(start, with_pytest):
    files = {"plain.py": "def mean():\n    return 1\n", "test_plain.py": "raise ValueError\n"}
    if not with_pytest:
        files["pytest.py"] = "raise ImportError\n"
    reply = observe(start(files, "plain.py", "mean"), [], ["test_plain.py"])
    assert reply["outcomes"] == {"test_plain.py": False}


def test_library_names_are_looked_up(start):
    guest = start({"plain.py": "import math\n\ndef mean():\n    return 1\n"}, "plain.py", "mean")
    names = ["math.sqrt", "math.gone", "os.path.sep", "json.decoder.gone", "not_installed.x"]
    guest._wire.send({"type": "resolve", "names": names, "seconds": 20.0})
    states = guest._received()["states"]
    assert list(states.values()) == ["there", "missing", "there", "missing", "absent"]


@pytest.mark.slow
@pytest.mark.parametrize("with_pytest", [True, False])
def test_test_that_is_cut_short_has_no_outcome(start, with_pytest):
    slow = "import time\n\n\ndef test_slow():\n    time.sleep(100)\n"
    files = {"plain.py": "def mean():\n    return 1\n", "test_plain.py": slow}
    if not with_pytest:
        files["pytest.py"] = "raise ImportError\n"
    reply = observe(start(files, "plain.py", "mean"), [], ["test_plain.py"], 1.0)
    assert reply["outcomes"] == {"test_plain.py": True}


@pytest.mark.slow
def test_program_records_calls_that_it_leads_to(start):
    guest = start(
        {"net.py": NET, "use.py": "import net\n\n\ndef use(x):\n    return net.scale(x)\n"},
        "use.py",
        "use",
    )
    program = "import torch\nfrom use import use\nuse(torch.ones(2))\nuse(torch.ones(2))\nuse(None)"
    recorded = ["net.py::scale", "use.py::use", "missing.py::f"]
    (result,) = guest.run({"program": program, "arguments": {}, "script": [], "recorded": recorded})
    calls = [(each["function"], each["arguments"]["x"], each["raised"]) for each in result["calls"]]
    ones = "tensors(dtype='float32', shape=(2,), min=1.0, max=1.0)"
    assert calls == [
        ("net.py::scale", ones, False),
        ("use.py::use", ones, False),
        ("net.py::scale", "froms([None])", True),
        ("use.py::use", "froms([None])", True),
    ]
    assert "lines" in result
