"""Keras models on several backends: a bug of one is told at the layer, from check to replay."""

from importlib.util import find_spec

import pytest
from jsonschema import Draft202012Validator

from tests.end_to_end.commandline import home
from tests.end_to_end.conftest import Desk
from tests.end_to_end.repositories import commit, git, small_repository
from tests.end_to_end.test_planted import target
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
SERVE = """import os

os.environ["KERAS_BACKEND"] = "jax"

from builder import network


def served():
    return network()
"""
TARGET, RIGHT = "builder.py::network", "right.py::network"
CHECK = ("--base", "main", "--only", "models", "--inputs", "1")
_POOL = "MaxPooling2D(3, padding="
# Keras 3 on torch averages over what it pads where it pads one side more (3.15.1)
AVERAGED = BUILDER.replace("MaxPooling2D(3, ", "AveragePooling2D(3, ")
HALVED = BUILDER.replace('MaxPooling2D(3, padding="same")', "AveragePooling2D(2)")


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Desk:
    folder = tmp_path_factory.mktemp("keras")
    files = {"builder.py": BUILDER, "right.py": BUILDER, "serve.py": SERVE}
    tree = small_repository(folder / "nets", files)
    git(tree, "checkout", "--quiet", "-b", "averaged", "main")
    for path, text in (("builder.py", AVERAGED), ("right.py", HALVED)):
        (tree / path).write_text(text, encoding="utf-8")
    commit(tree, "averaged")
    git(tree, "checkout", "--quiet", "main")
    return Desk(tree, home(folder), folder)


@pytest.fixture(scope="module")
def averaged(project):
    return project.check("out", *CHECK, "--head", "averaged", "--target", TARGET, "--target", RIGHT)


def test_backends_that_a_project_names_are_told_at_the_layer(averaged):
    (finding,) = averaged.findings
    line = next(n for n, said in enumerate(BUILDER.splitlines(), 1) if _POOL in said)
    told = (finding["rule"], finding["level"], finding["status"], finding["line"])
    assert told == ("model/divergence", "failure", "new", line)
    evidence = finding["evidence"]
    assert evidence["executions"][0] == "keras-jax"
    assert evidence["first_layer"] == "average_pooling2d"
    assert evidence["used_at"] == "serve.py:3"
    assert evidence["error_ratio"] > 1000
    assert "AveragePooling2D(pool_size=3, strides=3, padding='same')" in evidence["layer"]


def test_right_model_is_quiet_and_the_report_whole(averaged):
    assert (averaged.status, averaged.report["verdict"]) == (1, "failure")
    assert {each["path"] for each in averaged.findings} == {"builder.py"}
    assert target(averaged, RIGHT)["executions"] > 0
    assert averaged.report["broken"] == averaged.report["skipped"] == []
    errors = list(Draft202012Validator(SCHEMA).iter_errors(averaged.report))
    assert [error.message for error in errors] == []


def test_replay_shows_it_again(averaged, project):
    (finding,) = averaged.findings
    again = project.home.run("replay", averaged.path, "--repo", project.branch("averaged"))
    assert (again.status, again.out) == (1, f"FAILED {finding['fingerprint']}\n")
