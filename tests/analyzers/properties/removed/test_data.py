"""Every entry is held against the libraries that are installed here."""

from __future__ import annotations

import builtins
import inspect
import json
import os
import re
import subprocess
import sys

import pytest

from analyzers.properties.removed.removed_names import documented, entries

HERE = ("torch", "keras", "numpy", "jax", "scipy", "skimage", "PIL")
ALL = list(entries())
ASKING = """
import importlib, inspect, json, sys

def found(name):
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        try:
            thing = importlib.import_module(".".join(parts[:end]))
            for part in parts[end:]:
                thing = getattr(thing, part)
            return thing
        except (ImportError, AttributeError):
            continue
    return None

def gone(thing):
    # torch keeps functions that only say that they are gone
    if not inspect.isfunction(thing):
        return False
    try:
        source = inspect.getsource(thing)
    except (OSError, TypeError):
        return False
    return "raise RuntimeError(" in source and "and is now removed" in source

def takes(thing, argument):
    try:
        return argument in inspect.signature(thing).parameters
    except (TypeError, ValueError):
        return False

said = {}
for name, argument in json.load(sys.stdin):
    thing = found(name)
    there = thing is not None and not (argument is None and callable(thing) and gone(thing))
    said[f"{name}({argument})"] = takes(thing, argument) if argument and there else there
import keras, torch
layers = [keras.layers.Dense(2), keras.layers.Conv2D(2, 1)]
layers[0].build((1, 2))
layers[1].build((1, 4, 4, 2))
said["layers"] = [[hasattr(each, n) for n in ("W", "b", "kernel", "bias")] for each in layers]
said["torch.fft()"] = callable(torch.fft)

def builds(**arguments):
    try:
        return bool(keras.Model(**arguments))
    except Exception:
        return False

given = keras.Input((2,))
made = keras.layers.Dense(2)(given)
said["models"] = [builds(inputs=given, outputs=made), builds(input=given, output=made)]
print(json.dumps(said))
"""
# its signature takes anything: it is built instead
OPEN = ("keras.Model", "keras.models.Model")


def is_here(name: str) -> bool:
    return name.partition(".")[0] in HERE


def questions():
    for entry in ALL:
        if not is_here(entry.name):
            continue
        yield entry.name, entry.argument or None
        for fixed in (entry.fix,) if entry.fix else ():
            if entry.argument or entry.attribute:
                yield entry.name, fixed if entry.argument else None
            elif is_here(fixed):
                yield fixed, None
        for name in named(entry.instead):
            yield name, None
    for name in filter(is_here, documented()):
        yield name, None


def named(text: str) -> list[str]:
    found = re.findall(r"`([A-Za-z_][\w.]*)", text)
    return [name.rstrip(".") for name in found if is_here(name) and "." in name]


@pytest.fixture(scope="module")
def said() -> dict[str, object]:
    """What is there, as another process sees it."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", ASKING],
        input=json.dumps(list(questions())),
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
        env=os.environ | {"KERAS_BACKEND": "torch", "JAX_PLATFORMS": "cpu"},
    )
    return json.loads(done.stdout.splitlines()[-1])


def test_there_are_many_and_each_once():
    keys = [entry.key for entry in ALL]
    assert len(keys) == len(set(keys))
    assert len(keys) >= 120
    assert sum(is_here(entry.name) for entry in ALL) >= 120


@pytest.mark.slow
def test_what_is_said_to_be_gone_is_gone(said):
    plain = [e for e in ALL if is_here(e.name) and e.argument != "" and not e.attribute]
    wrong = [entry.key for entry in plain if said[f"{entry.name}({entry.argument})"]]
    assert not wrong, wrong


@pytest.mark.slow
def test_functions_that_are_no_functions_any_more(said):
    assert [entry.key for entry in ALL if entry.argument == ""] == ["torch.fft()"]
    assert not said["torch.fft()"]


def test_what_is_to_be_written_instead_is_there(said):
    wrong = []
    for entry in ALL:
        if not is_here(entry.name):
            continue
        names = named(entry.instead)
        if entry.fix and not entry.argument and not entry.attribute and is_here(entry.fix):
            names.append(entry.fix)
        wrong += [f"{entry.key}: {name}" for name in names if not said[f"{name}(None)"]]
        if entry.name in OPEN:
            continue
        if entry.argument and entry.fix and not said[f"{entry.name}({entry.fix})"]:
            wrong.append(f"{entry.key}: {entry.fix}")
    assert not wrong, wrong


def test_names_without_a_dot_are_builtins():
    plain = [e for e in ALL if e.fix and "." not in e.fix and not e.argument and not e.attribute]
    assert plain
    assert all(hasattr(builtins, entry.fix) for entry in plain)


def test_attributes_of_layers_are_gone_and_replaced(said):
    assert said["layers"] == [[False, False, True, True]] * 2


def test_models_take_inputs_and_outputs(said):
    assert said["models"] == [True, False]


def test_versions_and_texts_are_well_formed():
    for entry in ALL:
        assert re.fullmatch(r"\d+(\.\d+)+", entry.since), entry.key
        assert entry.instead.strip() == entry.instead, entry.key
        assert inspect.cleandoc(entry.title) == entry.title


def test_documented_names_are_there(said):
    here = [name for name in documented() if is_here(name) and "." in name]
    assert len(here) > 400
    assert [name for name in here if not said[f"{name}(None)"]] == []


@pytest.mark.parametrize(
    ("name", "there"),
    [("tensorflow.io.gfile.GFile", True), ("tensorflow.io.gfile.FastGFile", False)],
)
def test_members_of_moved_modules_are_known(name, there):
    assert (name in documented()) is there
