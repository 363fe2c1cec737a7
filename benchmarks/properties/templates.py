"""The Hypothesis test that an annotated function's annotations stand for (aNNoTest, listing 9)."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

from analyzers.guest.annotations.annotation_reader import read
from analyzers.guest.annotations.constraints import Annotations
from analyzers.guest.annotations.syntax import render
from benchmarks.properties.cases import Case
from benchmarks.properties.strategies import Generators, built, strategy

WIDTH = 88
IMPORTS = """\
import copy
from types import SimpleNamespace

import hypothesis.extra.numpy as hnp
import hypothesis.strategies as st
import numpy as np
import torch
from hypothesis import HealthCheck, assume, given, settings
from PIL import Image
from torch import nn
from torch.utils.data import DataLoader
"""


def template(case: Case, examples: int = 100) -> str:
    """The test of an annotated case, without imports; formatted, one argument of given a line."""
    said = read(case.sources("buggy")[case.path]).functions
    outer = case.function.split(".<locals>.")[0]
    owner, _, name = outer.rpartition(".")
    function = said[outer] if outer in said else Annotations()
    generators = {key: value for key, value in said.items() if value.generator}
    given = {arg.name: strategy(arg.constraint, generators) for arg in function.args}
    if owner:
        given = {"self": _instance(owner, said.get(f"{owner}.__init__"), generators), **given}
    text = _text(name, owner, given, function, examples)
    return _formatted(_drained(text, name) if _yields(case, name) else text)


def _yields(case: Case, name: str) -> bool:
    tree = ast.parse(case.sources("buggy")[case.path])
    found = (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == name)
    return any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in ast.walk(next(found)))


def _drained(text: str, name: str) -> str:
    """A generator's values are drawn."""
    head, call, rest = text.partition(f"result = {name}(")
    line, newline, after = rest.partition("\n")
    return f"{head}result = list({call.removeprefix('result = ')}{line}){newline}{after}"


def _instance(owner: str, constructor: Annotations | None, generators: Generators) -> str:
    if constructor is None:
        return f"st.builds({owner})"
    calls = [f"st.builds(lambda: {owner}({each[1:-1]}))" for each in constructor.cc_examples]
    if calls:
        return f"st.one_of({', '.join(calls)})"
    return built(owner, constructor, generators)


def _text(name: str, owner: str, given: dict[str, str], said: Annotations, examples: int) -> str:
    arguments = ", ".join(f"{key}={key}" for key in given if key != "self")
    called = f"self.{name}({arguments})" if owner else f"{name}({arguments})"
    deadline = f"{said.timeout * 1000:g}" if said.timeout else "None"
    lines = [
        f"@given({', '.join(f'{key}={value}' for key, value in given.items())},)",
        f"@settings(deadline={deadline}, max_examples={examples}, suppress_health_check="
        "[HealthCheck.filter_too_much, HealthCheck.too_slow])",
        f"def test_{name.strip('_')}({', '.join(given)}):",
        *(f"    assume({clause.source})" for clause in said.requires),
        *_checks([clause.source for clause in said.ensures], called),
    ]
    if said.returns is not None:
        lines.append(f"    assert matches(result, {render(said.returns)!r})")
    return "\n".join(lines) + "\n"


def _checks(ensures: list[str], called: str) -> list[str]:
    before, after = [], []
    for clause in ensures:
        if clause.startswith("unchanged("):
            name = clause[len("unchanged(") : -1]
            before.append(f"    before = copy.deepcopy({name})")
            after.append(f"    assert same(before, {name})")
        elif clause == "repeatable()":
            before.append(f"    first = copy.deepcopy({called})")
            after.append("    assert same(first, result)")
        else:
            after.append(f"    assert {clause}")
    return [*before, f"    result = {called}", *after]


def _formatted(text: str) -> str:
    ruff = Path(sys.executable).with_name("ruff")
    done = subprocess.run(
        [str(ruff), "format", "--isolated", "--line-length", str(WIDTH), "-"],
        input=text,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def annotation_lines(case: Case) -> int:
    """How many lines the annotations of the target take, its constructor's and generators' too.

    A line longer than the width of the templates counts as several.
    """
    source = case.sources("buggy")[case.path]
    said = read(source).functions
    owner = case.function.split(".<locals>.")[0].rpartition(".")[0]
    counted = {case.function.split(".<locals>.")[0], f"{owner}.__init__"}
    counted |= {key for key, value in said.items() if value.generator}
    lines = source.splitlines()
    spans = {
        number
        for key in counted & set(said)
        for span in _spans(said[key])
        for number in range(span[0], span[1] + 1)
    }
    others = sum(_others(said[key]) for key in counted & set(said))
    return sum(-(-len(lines[number - 1].strip()) // WIDTH) for number in spans) + others


def _spans(said: Annotations) -> list[tuple[int, int]]:
    parts = [*said.args, *said.requires, *said.ensures]
    return [(part.span.line, part.span.end_line) for part in parts if part.span is not None]


def _others(said: Annotations) -> int:
    """The annotations that have no span: each takes a line."""
    flags = [said.generator, said.exclude, said.timeout is not None, said.returns is not None]
    return sum(flags) + len(said.cc_examples)
