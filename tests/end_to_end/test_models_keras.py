"""Keras models on several backends: a bug of one is told at the layer, from check to replay."""

import json
import secrets
from importlib.util import find_spec
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.end_to_end.commandline import home
from tests.end_to_end.conftest import Desk
from tests.end_to_end.repositories import commit, git, small_repository
from tests.end_to_end.test_properties import SCHEMA

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (find_spec("keras") and find_spec("jax")), reason="needs Keras, torch and JAX"
    ),
]

BUILDER = """import os

os.environ.setdefault("KERAS_BACKEND", "torch")

import keras
from keras import layers


def network(width: int = 4) -> keras.Model:
    return keras.Sequential(
        [
            keras.Input((8, 8, 3)),
            layers.Conv2D(width, 3, padding="same", activation="relu"),
            layers.MaxPooling2D(3, padding="same"),
            layers.Flatten(),
            layers.Dense(5, activation="softmax"),
        ]
    )
"""
CLASS = """import os

os.environ.setdefault("KERAS_BACKEND", "torch")

import keras
from keras import layers


class Net(keras.Model):
    def __init__(self, width: int = 4):
        super().__init__()
        self.first = layers.Conv2D(width, 3, padding="same", activation="relu")
        self.pool = layers.MaxPooling2D(3, padding="same")
        self.head = layers.Dense(5)

    #@arg(x): np_arrays(dtype="float32", shape=(2, 8, 8, 3), min=-1, max=1)
    def call(self, x):
        x = self.pool(self.first(x))
        return self.head(keras.ops.mean(x, axis=(1, 2)))
"""
SERVE = """import os

os.environ["KERAS_BACKEND"] = "jax"

from builder import network


def served():
    return network()
"""
STUCK = """
    def wait(self):
        if keras.backend.backend() == "jax":
            import ctypes
            import time

            ctypes.CDLL(None).prctl(15, b"{name}", 0, 0, 0)
            time.sleep(10_000)
"""
NAME = f"stuck-{secrets.token_hex(4)}"
TARGETS = ("builder.py::network", "classes.py::Net.call")
CHECK = ("--base", "main", "--only", "models", "--inputs", "1")
ALL = (*CHECK, *(word for each in TARGETS for word in ("--target", each)))
_POOL = "MaxPooling2D(3, padding="


def _averaged(text: str) -> str:
    """Keras 3 on torch averages over what it pads where it pads one side more (3.15.1)."""
    return text.replace("MaxPooling2D(3, ", "AveragePooling2D(3, ")


def _right(text: str) -> str:
    return text.replace('MaxPooling2D(3, padding="same")', "AveragePooling2D(2)")


def _stuck(text: str) -> str:
    waiting = text.replace("        x = self", "        self.wait()\n        x = self")
    return waiting + STUCK.format(name=NAME) if "class" in text else text


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Desk:
    folder = tmp_path_factory.mktemp("keras")
    files = {"builder.py": BUILDER, "classes.py": CLASS, "serve.py": SERVE}
    tree = small_repository(folder / "nets", files)
    for branch, change in (("averaged", _averaged), ("right", _right), ("stuck", _stuck)):
        git(tree, "checkout", "--quiet", "-b", branch, "main")
        for path in ("builder.py", "classes.py"):
            (tree / path).write_text(change(files[path]), encoding="utf-8")
        commit(tree, branch)
    git(tree, "checkout", "--quiet", "main")
    return Desk(tree, home(folder), folder)


@pytest.fixture(scope="module")
def averaged(project):
    return project.check("out", *ALL, "--head", "averaged")


@pytest.mark.parametrize("text", [BUILDER, CLASS], ids=["builder.py", "classes.py"])
def test_backends_that_a_project_names_are_told_at_the_layer(averaged, text):
    path = {BUILDER: "builder.py", CLASS: "classes.py"}[text]
    (finding,) = [each for each in averaged.findings if each["path"] == path]
    line = next(n for n, said in enumerate(text.splitlines(), 1) if _POOL in said)
    told = (finding["rule"], finding["level"], finding["status"], finding["line"])
    assert told == ("model/divergence", "failure", "new", line)
    evidence = finding["evidence"]
    assert evidence["executions"][0] == "keras-jax"
    assert evidence["first_layer"] == {BUILDER: "average_pooling2d", CLASS: "pool"}[text]
    assert evidence["used_at"] == "serve.py:3"
    assert evidence["error_ratio"] > 1000
    assert "AveragePooling2D(pool_size=3, strides=3, padding='same')" in evidence["layer"]


def test_report_is_whole_and_says_nothing_else(averaged):
    assert (averaged.status, averaged.report["verdict"]) == (1, "failure")
    assert len(averaged.findings) == len(TARGETS)
    assert averaged.report["broken"] == averaged.report["skipped"] == []
    errors = list(Draft202012Validator(SCHEMA).iter_errors(averaged.report))
    assert [error.message for error in errors] == []


def test_replay_shows_it_again(averaged, project):
    (finding,) = [each for each in averaged.findings if each["path"] == "builder.py"]
    report = averaged.folder / "one.json"
    report.write_text(json.dumps({**averaged.report, "findings": [finding]}), encoding="utf-8")
    again = project.home.run("replay", report, "--repo", project.branch("averaged"))
    assert (again.status, again.out) == (1, f"FAILED {finding['fingerprint']}\n")


def test_right_model_is_quiet(project):
    checked = project.check("right", *CHECK, "--head", "right", "--target", TARGETS[0])
    assert checked.findings == []
    assert checked.report["skipped"] == []
    assert checked.status == 0


def test_backend_that_does_not_answer_is_left_out_and_ends(project):
    checked = project.check("stuck", *CHECK, "--head", "stuck", "--target", TARGETS[1])
    assert checked.findings == []
    assert "was not run with Keras on jax: jax took longer than" in checked.reasons()
    assert NAME not in {_comm(each) for each in Path("/proc").glob("[0-9]*")}


def _comm(process: Path) -> str:
    try:
        return (process / "comm").read_text(encoding="utf-8").strip()
    except OSError:
        return ""
