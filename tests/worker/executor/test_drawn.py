"""Explorations and observed calls between the host's words and the protocol's."""

from pathlib import Path

import pytest

from analyzers.vocabulary import (
    Contract,
    Died,
    ExplorationRequest,
    InertArgument,
    LiteralArgument,
    ObservedCall,
    Probe,
    RecipeArgument,
    Violated,
)
from tests.worker.sandbox.protocol.test_explored import call, explored, failure, made, observed
from worker.executor.exploration_codec import explore_frame, explored_of, observe_frame, observed_of
from worker.executor.probe_codec import argument_frame, argument_of, ending_of, run_frame

TARGET = "app.py::f"


@pytest.mark.parametrize(
    "argument", [RecipeArgument("tensor((2,), fill=nan)"), LiteralArgument("'a'"), InertArgument()]
)
def test_argument_comes_back_as_it_went(argument):
    assert argument_of(argument_frame(argument)) == argument


def test_probe_takes_its_postconditions_along():
    probes = [Probe(TARGET, {}, ensures=("finite(result)",)), Probe(TARGET, {})]
    first, second = run_frame(probes, 1.0)["probes"]
    assert first["ensures"] == ["finite(result)"]
    assert "ensures" not in second


def test_violation_is_bounded():
    frame = {"kind": "violated", "condition": "c" * 9000, "detail": "d" * 9000}
    assert ending_of(frame) == Violated("c" * 2000, "d" * 2000)


def test_contract_goes_with_its_constructor():
    constructor = Contract({"width": "ints(min=1)"}, examples=("Net(3)",))
    contract = Contract(
        {"x": "floats()"},
        ("x > 0",),
        ("result > 0",),
        constructor,
        (),
        {"x": "2.5"},
        ({"x": "ints()"},),
    )
    exploring = ExplorationRequest(
        contract, {"gen": Contract()}, ({"x": RecipeArgument("1.0")},), 50, 2.0, 1.0, 7
    )
    frame = explore_frame(exploring, Path("/layer"))
    assert frame["contract"] == {
        "arguments": {"x": "floats()"},
        "requires": ["x > 0"],
        "ensures": ["result > 0"],
        "constructor": {
            "arguments": {"width": "ints(min=1)"},
            "requires": [],
            "ensures": [],
            "constructor": None,
            "examples": ["Net(3)"],
            "defaults": {},
            "calls": [],
        },
        "examples": [],
        "defaults": {"x": "2.5"},
        "calls": [{"x": "ints()"}],
    }
    assert frame["generators"].keys() == {"gen"}
    assert frame["first"] == [{"x": {"kind": "made", "recipe": "1.0"}}]
    limits = ("examples", "seconds", "timeout", "seed", "layer")
    assert [frame[name] for name in limits] == [50, 2.0, 1.0, 7, "/layer"]


def test_exploration_is_read():
    died = failure(ending=None, signal=6, matters=["x", "unknown"])
    frame = explored(failures=[failure(), died], unmet={"annotation": "a", "problem": "p"})
    found = explored_of(frame, TARGET, ("result",))
    raised, killed = found.failures
    assert raised.run.ending.exception == "IndexError"
    assert raised.probe == Probe(
        TARGET, {"x": RecipeArgument("tensor((2, 3))")}, ensures=("result",)
    )
    assert (killed.run.ending, killed.matters) == (Died(6), ("x",))
    assert found.passing == (Probe(TARGET, {"x": RecipeArgument("1")}, ensures=("result",)),)
    assert found.failing == (Probe(TARGET, {"x": RecipeArgument("2")}, ensures=("result",)),)
    assert (found.executions, found.passed, found.unmet) == (9, 5, ("a", "p"))


def test_observed_calls_are_those_that_were_asked_for():
    frame = observed(
        call(test="test_a.py::test_one"),
        call(function="g"),
        call(test="conftest.py"),
        call(arguments={"x": "ints(", "y": "ints(min=2)", "a b": "ints()"}),
    )
    tests = ("test_a.py", "test_b.py")
    one, other = observed_of(frame, ("f", "Net.__init__"), tests)
    assert one == ObservedCall("f", {"x": "ints()"}, "test_a.py::test_one")
    assert other.arguments.keys() == {"y"}
    assert observe_frame(("f",), tests, 3.0, None)["tests"] == list(tests)


def test_made_arguments_are_no_more_than_said():
    assert made("1")["x"] == argument_frame(RecipeArgument("1"))
