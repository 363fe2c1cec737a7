"""What a guest says of library calls: only what may be written into reproducers."""

import pytest

from worker.sandbox.protocol.exploration_frames import (
    LONGEST_NAME,
    LONGEST_TEXT,
    MOST_BEYOND,
    MOST_COMPARISONS,
    MOST_REACHED,
    MOST_RECORDED,
)
from worker.sandbox.protocol.frame_shapes import BadFrame
from worker.sandbox.protocol.guest_frames import check

AT = {
    "api": "torch.lcm",
    "path": "app.py",
    "line": 6,
    "function": "f",
    "source": "torch.lcm(torch.tensor([6]), 4)",
}
DIVERGENCE = {
    "api": "torch.lcm",
    "rule": "crash",
    "relation": "status",
    "related": "the process goes on",
    "call": "torch.nn.Softshrink(0.5)(torch.tensor([1.0]))",
    "outcome": "SIGFPE",
    "expected": "a result",
}
LEADS = {
    "divergence": DIVERGENCE,
    "at": AT,
    "arguments": {"x": {"kind": "made", "recipe": "tensor((1,), fill=5)"}},
    "ensures": [],
    "signal": 8,
}


def without(frame, *names):
    return {name: value for name, value in frame.items() if name not in names}


def related(**changes):
    return {
        "type": "related",
        "reached": [LEADS],
        "beyond": [{"divergence": DIVERGENCE, "at": AT}],
        "executions": 9,
        "seconds": 0.5,
        "obstacle": None,
        "notes": ["a note"],
        **changes,
    }


def recorded(**changes):
    call = {**AT, "probe": 0, **changes}
    return {"type": "recorded", "library": "torch", "version": "2", "calls": [call], "notes": []}


def said(frame, apis=("torch.lcm",)):
    asked = "relate" if frame["type"] == "related" else "record"
    check(frame, {"type": asked, "probes": [{}], "apis": apis}, points=0)


VIOLATED = {"kind": "violated", "condition": "agrees('a', 'b', 'c')", "detail": "d"}


@pytest.mark.parametrize(
    "frame",
    [
        recorded(),
        recorded(source=""),
        related(),
        related(reached=[{**without(LEADS, "signal"), "ending": VIOLATED, "ensures": ["x"]}]),
        related(reached=[], beyond=[], obstacle="nothing"),
        related(reached=[{**LEADS, "divergence": {**DIVERGENCE, "call": ""}}]),
        {**recorded(), "library": "", "version": "", "calls": []},
    ],
)
def test_calls_are_taken(frame):
    said(frame)
    said(frame, apis=())


def at(**changes):
    return related(reached=[{**LEADS, "at": {**AT, **changes}}])


def divergence(**changes):
    return related(reached=[{**LEADS, "divergence": {**DIVERGENCE, **changes}}])


@pytest.mark.parametrize(
    "frame",
    [
        recorded(probe=1),
        recorded(line=0),
        recorded(line=1 << 60),
        recorded(api="torch.lcm and more"),
        recorded(api="torch.lcm\n"),
        recorded(api="<b>torch</b>.lcm"),
        recorded(api="torch"),
        recorded(api="os.system"),
        recorded(api="numpy.lcm"),
        recorded(function="f`](https://evil.example)"),
        recorded(source="torch.lcm(1, 2)  # @all"),
        recorded(source="torch.lcm(1,\n2)"),
        recorded(source="torch.lcm('\u202e')"),
        recorded(source="torch.lcm(" + "-" * 900 + "1)(1)"),
        recorded(source="torch.lcm(" + "1" * 10_000_000 + ")"),
        {**recorded(), "version": ""},
        {**recorded(), "version": "2.0 @all"},
        {**recorded(), "library": "os"},
        {**recorded(), "library": "", "version": ""},
        {**recorded(), "calls": recorded()["calls"] * (MOST_RECORDED + 1)},
        {**recorded(), "notes": ["n" * (LONGEST_TEXT + 1)]},
        recorded(line=-1),
        recorded(source="import os"),
        recorded(source="torch.lcm"),
        recorded(source="(lambda: 0)()"),
        recorded(source="torch.relu(x)(y)(z)"),
        recorded(source="torch.nn.ReLU()(x, k=1)"),
        recorded(source="torch.tensor([1 for _ in x])"),
        recorded(source="torch.lcm(x.__class__)"),
        at(api="torch.gcd"),
        at(path=7),
        at(line=0),
        divergence(relation="a <b>word</b>"),
        divergence(relation=""),
        divergence(api="torch.lcm\n"),
        divergence(call="torch.lcm(1, 2) or 1"),
        divergence(call="torch.lcm(1, 2)  # @all"),
        divergence(outcome="o" * 10_000_000),
        related(seconds=float("inf")),
        related(seconds=float("nan")),
        at(function="f" * (LONGEST_NAME + 1)),
        divergence(rule="false"),
        divergence(related="r" * (LONGEST_TEXT + 1)),
        divergence(note="n"),
        related(reached=[LEADS] * (MOST_REACHED + 1)),
        related(beyond=[{"divergence": DIVERGENCE, "at": AT}] * (MOST_BEYOND + 1)),
        related(reached=[without(LEADS, "signal")]),
        related(reached=[{**LEADS, "ending": VIOLATED}]),
        related(reached=[{**LEADS, "ensures": ["a", "b"]}]),
        related(executions=MOST_COMPARISONS + 1),
        related(executions=-1),
    ],
    ids=lambda frame: f"{frame!r:.40}",
)
def test_what_is_no_call_ends_the_guest(frame):
    with pytest.raises(BadFrame):
        said(frame)


def test_divergence_of_what_was_not_asked_ends_the_guest():
    with pytest.raises(BadFrame):
        said(related(), apis=("torch.gcd",))
