"""What a guest says of inputs that it drew: only what may be written into files of ours."""

import pytest

from worker.sandbox.protocol.exploration_frames import (
    LONGEST_CONSTRAINT,
    MOST_CALLS,
    MOST_EXECUTIONS,
    MOST_FAILURES,
    MOST_PASSING,
)
from worker.sandbox.protocol.frame_shapes import BadFrame
from worker.sandbox.protocol.guest_frames import check

RETURNED = {"kind": "returned", "value": "1"}
RAISED = {
    "kind": "raised",
    "exception": "IndexError",
    "message": "",
    "path": "app.py",
    "line": 3,
    "function": "f",
    "refusal": False,
    "standin": False,
}


def made(recipe):
    return {"x": {"kind": "made", "recipe": recipe}}


def failure(**changes):
    found = {"arguments": made("tensor((2, 3))"), "ending": RAISED, "matters": ["x"], "seen": 2}
    return {name: value for name, value in {**found, **changes}.items() if value is not None}


def explored(**changes):
    frame = {
        "type": "explored",
        "executions": 9,
        "passed": 5,
        "refused": 1,
        "rejected": 40,
        "timed_out": 0,
        "seconds": 0.5,
        "failures": [failure()],
        "passing": [made("1")],
        "failing": [made("2")],
        "unmet": None,
        "obstacle": None,
        "notes": ["a note"],
        "hits": [0, 1],
    }
    return {**frame, **changes}


def said(frame, asked="explore"):
    check(frame, {"type": asked}, points=2)


@pytest.mark.parametrize(
    "frame",
    [
        explored(),
        explored(unmet={"annotation": "ints(min=2, max=1)", "problem": "no integer"}),
        explored(failures=[failure(ending=None, signal=11)]),
        explored(failures=[failure(ending={"kind": "violated", "condition": "c", "detail": "d"})]),
        explored(failures=[failure(arguments=made('Net(sizes=[1, 2], gain=-inf, kind="a")'))]),
        explored(failures=[failure(arguments={"self": made("Net()")["x"]})]),
        {name: value for name, value in explored().items() if name != "hits"},
    ],
)
def test_exploration_of_the_protocol_is_heard(frame):
    said(frame)


@pytest.mark.parametrize(
    "recipe",
    [
        "__import__('os').system('id')",
        "(lambda: 1)()",
        "[n for n in (1, 2)]",
        "tensor((2,)).numpy()",
        "tensor((2,)).shape",
        "f'{1}'",
        "1 + 1",
        "x if y else z",
        "Net(**{'a': 1})",
        "Net.__class__.__subclasses__()",
        "a[0]",
        "(y := 1)",
        "",
        "tensor((2,)",
        "[" * 3000 + "]" * 3000,
        "(" + "1," * 12_000 + ")",
        5,
    ],
)
def test_recipe_that_is_none_ends_the_guest(recipe):
    with pytest.raises(BadFrame, match=r"recipe|short text"):
        said(explored(passing=[made(recipe)]))


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"passed": 10}, "outcomes"),
        ({"passed": 5, "refused": 3, "timed_out": 2}, "outcomes"),
        ({"executions": MOST_EXECUTIONS + 1}, "outcomes"),
        ({"executions": -1}, "int.*executions"),
        ({"executions": True}, "int.*executions"),
        ({"failures": [failure(seen=10)]}, "more often"),
        ({"failures": [failure()] * (MOST_FAILURES + 1)}, "length.*failures"),
        ({"passing": [made("1")] * (MOST_PASSING + 1)}, "length.*passing"),
        ({"failures": [failure(signal=11)]}, "signal beside it"),
        ({"failures": [failure(ending=None)]}, "lacks"),
        ({"failures": [failure(ending=RETURNED, matters=["x"] * 1000)]}, "length.*matters"),
        ({"failures": [failure(arguments={"import os": {"kind": "inert"}})]}, "parameter"),
        ({"notes": ["x" * 10_000]}, "length.*notes"),
        ({"unmet": "ints()"}, "object"),
        ({"hits": [2]}, "beyond 2 points"),
        ({"seconds": float("inf")}, "float.*seconds"),
    ],
)
def test_exploration_that_lies_ends_the_guest(changes, why):
    with pytest.raises(BadFrame, match=why):
        said(explored(**changes))


def call(**changes):
    found = {"function": "f", "arguments": {"x": "ints()"}, "test": "test_a.py", "raised": False}
    return {**found, **changes}


def observed(*calls):
    return {"type": "observed", "calls": list(calls), "outcomes": {}, "notes": []}


def test_observed_calls_are_heard():
    said(observed(call(), call(arguments={})), "observe")


@pytest.mark.parametrize(
    "frame",
    [
        observed(*[call()] * (MOST_CALLS + 1)),
        observed(call(arguments={"x": "x" * (LONGEST_CONSTRAINT + 1)})),
        observed(call(arguments={"x": 3})),
        observed(call(raised="no")),
        {**observed(), "outcomes": {"test_a.py::test": 1}},
        {**observed(), "outcomes": {"t" * 1000: True}},
        observed(call(function="f" * 1000)),
    ],
)
def test_observed_calls_beyond_bounds_end_the_guest(frame):
    with pytest.raises(BadFrame):
        said(frame, "observe")


def test_exploration_answers_nothing_else():
    with pytest.raises(BadFrame, match="no reply"):
        said(explored(), "search")
    with pytest.raises(BadFrame, match="no reply"):
        said(observed(), "explore")


@pytest.mark.parametrize("states", [{"a.b": "maybe"}, {"a" * 1000: "there"}, ["a"]])
def test_states_of_names_are_checked(states):
    said({"type": "resolved", "states": {"a.b": "missing"}}, "resolve")
    with pytest.raises(BadFrame):
        said({"type": "resolved", "states": states}, "resolve")
