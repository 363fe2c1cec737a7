"""Programs run statement by statement, with their variables observed."""

import random
import sys
import textwrap

import pytest
import torch
from numpy.random import bit_generator

from analyzers.guest.runtime.call_outcomes import refused_call
from analyzers.guest.runtime.programs import ProgramRun

CODE = """
class Grid:
    def __init__(self, points):
        self.points = points
        self._cache = None


def halve(x):
    if x > 2:
        return x / 2
    raise ValueError("small")


SIZES, WIDTH = [1, 2], 3
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    (tmp_path / "halves.py").write_text(CODE)
    monkeypatch.syspath_prepend(str(tmp_path))

    def start(source):
        return ProgramRun(textwrap.dedent(source), str(tmp_path), ["halves.py"])

    yield start
    sys.modules.pop("halves", None)


def test_statements_before_one_that_fails_count(run):
    program = run("from halves import halve\na = halve(4)\nb = halve(1)\nc = 3")
    with pytest.raises(ValueError, match="small"):
        program.run()
    assert program.completed == 2
    assert program.names["a"] == 2
    assert {9, 10, 11} <= set(program.lines["halves.py"])


def test_variables_are_observed(run):
    program = run("from halves import Grid\nimport torch\ng = Grid(3)\nx = torch.ones(2)\nn = 5")
    program.run()
    found = program.observation()
    assert set(found["arguments"]) == {"g", "x", "n"}
    assert list(found["arguments"]["g"]["parts"]) == ["points"]
    assert found["arguments"]["x"]["shape"] == [2]


@pytest.fixture
def unseeded(monkeypatch):
    monkeypatch.setattr(random.Random, "seed", random.Random.seed)
    monkeypatch.setattr(bit_generator, "randbits", bit_generator.randbits)


@pytest.mark.usefixtures("unseeded")
@pytest.mark.parametrize(
    "made", ["np.random.RandomState().rand()", "np.random.default_rng().random()"]
)
def test_generators_without_a_seed_repeat(run, made):
    source = f"import random, numpy as np\na, b, c = {made}, {made}, random.Random().random()"
    first, second = run(source), run(source)
    first.run()
    second.run()
    assert len({*map(first.names.get, "abc")}) == 3
    assert [first.names[name] for name in "abc"] == [second.names[name] for name in "abc"]


def test_what_is_imported_is_no_result(run):
    program = run("from halves import SIZES, WIDTH\nWIDTH = WIDTH + 1\nnothing = None")
    program.run()
    assert set(program.observation()["arguments"]) == {"WIDTH", "nothing"}


def test_same_seed_gives_the_same_state(run):
    source = "import torch, random\nx = torch.rand(2)\ny = random.random()"
    found = []
    for _ in range(2):
        program = run(source)
        program.run()
        found.append(program.observation())
    assert found[0] == found[1]


def test_what_is_set_for_all_of_torch_is_undone(run):
    program = run(
        "import torch\ntorch.set_default_dtype(torch.float64)\ntorch.set_grad_enabled(False)"
    )
    program.run()
    assert torch.get_default_dtype() == torch.float32
    assert torch.is_grad_enabled()


def test_conditions_are_asked_of_variables(run):
    program = run("import torch\nx = torch.tensor([1.0, float('nan')])")
    program.run()
    assert program.check(["tuple(x.shape) == (2,)"]) is None
    broken = program.check(["finite(x)"])
    assert broken["kind"] == "violated"
    assert broken["condition"] == "finite(x)"


def test_annotations_stay_texts_where_the_program_says_so(run):
    program = run("from __future__ import annotations\ndef f(x: Missing): ...\nok = 1")
    program.run()
    assert program.names["ok"] == 1


def test_import_that_fails_is_left_out(run):
    program = run("import no_such_module\nfrom halves import halve\na = halve(4)")
    program.run()
    assert (program.completed, program.names["a"]) == (3, 2)
    with pytest.raises(NameError):
        run("import no_such_module\nno_such_module.x").run()


@pytest.mark.parametrize(
    ("call", "refused"),
    [
        ("halve(4, deep=True)", "halve"),
        ("halve()", "halve"),
        ("Grid(3).__init__(1, 2, 3, 4)", "Grid.__init__"),
        ("int(4, deep=True)", ""),
        ("halve(1)", ""),
    ],
)
def test_call_that_a_function_of_the_project_does_not_take_is_refused(run, tmp_path, call, refused):
    program = run(f"from halves import Grid, halve\n{call}")
    with pytest.raises((TypeError, ValueError)) as raised:
        program.run()
    found = refused_call(raised.value, str(tmp_path)) or {"function": "", "refusal": True}
    assert (found["function"], found["refusal"]) == (refused, True)
    assert found.get("path", "halves.py") == "halves.py"
