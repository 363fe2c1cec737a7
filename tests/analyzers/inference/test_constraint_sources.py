"""What calls, framework calls, callees and recorded calls say, case by case."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzers.guest.annotations.syntax import parse
from analyzers.inference.constraint_sources import call_facts, passed_arguments
from analyzers.inference.exploration import command_lines
from analyzers.inference.shape_interpreter.framework_signatures import signatures
from analyzers.vocabulary import ObservedCall
from tests.analyzers.inference.function_contexts import said, subject

FOLDER = Path(__file__).parent / "cases"
PROJECT = {
    name: (FOLDER / name).read_text()
    for name in ("app.py", "app_tests.py", "app.md", "app.rst", "app.ipynb")
}
EXPECTED = [
    line.split(" | ") for line in (FOLDER / "facts.txt").read_text().splitlines() if line.strip()
]


def facts_of(source: str, function: str):
    others = {
        "tests__test_app_py": PROJECT["app_tests.py"],
        "README_md": PROJECT["app.md"],
        "docs__use_rst": PROJECT["app.rst"],
        "demo_ipynb": PROJECT["app.ipynb"],
    }
    found = subject(PROJECT["app.py"], function, "app.py", **others)
    if source == "calls":
        return call_facts.facts(found)
    if source == "frameworks":
        return passed_arguments.facts(found)
    return passed_arguments.callee_facts(found, passed_arguments.facts)


@pytest.mark.parametrize(("source", "function", "expected"), EXPECTED)
def test_facts_are_what_stands_beside_the_case(source, function, expected):
    assert "; ".join(said(facts_of(source, function))) == expected


def test_there_are_many_cases():
    assert sum(len(expected.split("; ")) for _, _, expected in EXPECTED) >= 60


def test_the_table_is_large_and_can_be_read():
    table = signatures()
    assert len(table) >= 80
    for signature in table.values():
        assert signature.valid.keys() <= signature.defaults.keys(), signature.name
        for text in signature.valid.values():
            parse(text)
        for condition in signature.requires:
            names = {
                node.id for node in ast.walk(ast.parse(condition)) if isinstance(node, ast.Name)
            }
            assert names <= signature.defaults.keys(), signature.name


def test_recorded_calls_are_generalised():
    found = subject("def f(x, y, n):\n    pass\n", "f")
    recorded = [
        ObservedCall(
            "f",
            {
                "x": f"tensors(dtype='float32', shape=({size}, 3), min=-1.0, max={size}.0)",
                "y": f"tensors(dtype='int64', shape=({size},), min=0, max=1)",
                "n": f"froms([{size}])",
            },
            "t",
        )
        for size in (2, 4)
    ]
    recorded.append(ObservedCall("f", {"n": "froms([-1])"}, "t", raised=True))
    recorded.append(ObservedCall("g", {"n": "froms([9])"}, "t"))
    recorded.append(ObservedCall("f", {"n": "nonsense("}, "t"))
    assert said(call_facts.recorded_call_facts(found, recorded)) == [
        "n: froms([2, 4]) STRONG",
        "x: tensors(dtype='float32', shape=('n0', 3), min=-1.0, max=4.0) STRONG",
        "y: tensors(dtype='int64', shape=('n0',), min=0, max=1) STRONG",
        "n: ints(min=2, max=4) LIKELY",
    ]


PROGRAM = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("data")
parser.add_argument("--lr", type=float, default=0.1)
parser.add_argument("--mode", choices=["a", "b"], required=True)
parser.add_argument("-v", "--verbose", action="store_true")
parser.add_argument("--size", type=int, nargs=2)
args = parser.parse_args()
"""


def test_command_lines_are_taken_by_the_program():
    lines = command_lines(ast.parse(PROGRAM))
    assert len(lines) == 5
    namespace: dict[str, object] = {}
    exec(PROGRAM.replace("args = parser.parse_args()", ""), namespace)
    for line in lines:
        words = []
        for text in line:
            constraint = parse(text)
            words.append(constraint.value("values", ["abc"])[0])
        namespace["parser"].parse_args(words)
    assert len(lines[-1]) == max(map(len, lines))
