"""A survey in the sandbox: its file is checked, deterministic, and as it is shipped."""

import json
import sys
from pathlib import Path

import pytest

from analyzers.assembly import layer_tables
from worker.errors import MachineError
from worker.layers import Progress, Surveyed, SurveySandbox, build
from worker.sandbox.guest_launch import GuestProgram
from worker.sandbox.isolation import find_isolation
from worker.studies.installed_library import installed_library

SURVEYOR = GuestProgram(Path(__file__).parent / "guests" / "surveyor", "_surveyor_guest")
TORCH = "2.13.0+cpu"


@pytest.fixture(scope="session")
def isolation():
    return find_isolation()


@pytest.fixture
def built(isolation):
    def run(*names):
        place = SurveySandbox(isolation, Path(sys.executable), program=SURVEYOR)
        return list(build(TORCH, place, 60.0, names))

    return run


def test_progress_comes_first_and_the_file_last(built):
    told, ended = built()
    assert told == Progress(1, 1, "torch.nn.A")
    assert isinstance(ended, Surveyed)
    assert (ended.layers, ended.trials) == (1, 7)
    assert layer_tables.read(ended.text)["torch.nn.A"].parameter("c").low == 1


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("dies", "cannot be loaded"),
        ("other", "not 2.13.0"),
        ('{"example": "import os"}', "no expression"),
        ('{"requires": ["a; b"]}', "no expression"),
        ('{"inputs": "torch"}', "broke the protocol"),
        ('{"odd": 1}', "broke the protocol"),
        ('{"parameters": [{"name": "c"}]}', "without name or kinds"),
        ('{"parameters": [{"name": "c", "kinds": [], "odd": 1}]}', "unknown field"),
        ('{"parameters": [{"name": "c", "kinds": [], "low": "1"}]}', "no number"),
        ('{"parameters": [{"name": "c", "kinds": [], "low": Infinity}]}', "no JSON"),
        ('{"parameters": [{"name": "c", "kinds": [], "low": 1' + "0" * 400 + "}]}", "64 bits"),
        ('{"example": "' + "(" * 900 + '"}', "no expression"),
    ],
)
def test_guests_that_break_off_or_lie_make_no_file(built, how, words):
    with pytest.raises(MachineError, match=words):
        built(how)


@pytest.mark.slow
def test_a_layer_surveyed_again_is_as_it_is_shipped(isolation):
    place = SurveySandbox(isolation, Path(sys.executable))
    version = installed_library("torch", place.python).version
    *told, ended = build(version, place, 120.0, ("torch.nn.RMSNorm",))
    assert [each.name for each in told] == ["torch.nn.RMSNorm"]
    [row] = json.loads(ended.text)["layers"]
    assert version.startswith(layer_tables.loaded(version)), "the shipped file is of this version"
    assert layer_tables.layer(row) == layer_tables.load(version)["torch.nn.RMSNorm"]
