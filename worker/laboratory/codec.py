"""Probes and runs in the words of docs/guest-protocol.md.

What comes from the guest has the right shape (the channel checked it); here
it is bounded to what the host knows: points that exist, APIs that were sent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, assert_never

from analyzers.vocabulary import (
    Argument,
    Content,
    Ending,
    Exchange,
    Form,
    Inert,
    Literal,
    NotRun,
    Probe,
    Raised,
    Returned,
    Run,
    Searched,
    TimedOut,
    Witness,
)
from worker.sources.plain import plain_input

Frame = Mapping[str, Any]

LONGEST_TEXT = 2000
MOST_CRASHES = 100
MOST_CONSTANTS = 200


def argument_frame(argument: Argument) -> Frame:
    """An argument as the guest reads it."""
    match argument:
        case Literal():
            return {"kind": "literal", "source": argument.source}
        case Content():
            item = argument.input
            return {
                "kind": "content",
                "form": argument.form.value,
                "blob": None if item is None else item.digest,
                "suffix": "" if item is None else item.suffix,
            }
        case Inert():
            return {"kind": "inert"}
        case _:
            assert_never(argument)


def run_frame(probes: Sequence[Probe], seconds: float) -> Frame:
    """The ``run`` frame for these probes, with every input's bytes once."""
    blobs = {item.digest: item.content for probe in probes for item in probe.inputs}
    return {
        "type": "run",
        "blobs": blobs,
        "probes": [
            {
                "arguments": {k: argument_frame(a) for k, a in probe.arguments.items()},
                "script": None if probe.script is None else _script_frame(probe.script),
            }
            for probe in probes
        ],
        "seconds": seconds,
    }


def _script_frame(script: Sequence[Exchange]) -> list[Frame]:
    known = [{"digest": exchange.digest} if exchange.digest else {} for exchange in script]
    return [
        {"api": exchange.api, "answer": exchange.answer, **digest}
        for exchange, digest in zip(script, known, strict=True)
    ]


def run_of(result: Frame, points: Sequence[str]) -> Run:
    """A run from one result of a ``ran`` frame."""
    numbers: Sequence[int] = result["hits"]
    hits = frozenset(points[number] for number in numbers if number < len(points))
    exchanges = tuple(
        Exchange(each["api"], each["digest"], each["answer"]) for each in result["exchanges"]
    )
    outside = tuple(_text(address) for address in result.get("outside", ()))
    return Run(ending_of(result["ending"]), hits, exchanges, float(result["seconds"]), outside)


def ending_of(frame: Frame) -> Ending:
    """An ending from its frame."""
    kind = frame["kind"]
    if kind == "returned":
        return Returned(_text(frame["value"]))
    if kind == "raised":
        return Raised(
            _text(frame["exception"]),
            _text(frame["message"]),
            _text(frame["path"]),
            int(frame["line"]),
            _text(frame["function"]),
            refusal=bool(frame["refusal"]),
            standin=bool(frame["standin"]),
        )
    if kind == "timed-out":
        return TimedOut(float(frame["seconds"]))
    return NotRun(_text(frame["reason"]))


def searched_of(frame: Frame, target: str, goals: AbstractSet[str]) -> Searched:
    """The outcome of a search for ``goals`` from its ``searched`` frame.

    What it says of other goals is left out, and so is a proof that a goal
    cannot be reached of which it has a witness.  A few crashes are enough.
    """
    template = frame["template"]
    witnesses = [w for w in frame["witnesses"] if w["goal"] in goals]
    reached = {w["goal"] for w in witnesses}
    return Searched(
        template=None if template is None else _filled(target, template["arguments"], None),
        witnesses=tuple(
            Witness(
                w["goal"],
                _filled(target, w["arguments"], w["script"]),
                confirmed=w["confirmed"],
            )
            for w in witnesses
        ),
        crashes=tuple(_crash(target, crash) for crash in frame["crashes"][:MOST_CRASHES]),
        exhausted=tuple(goal for goal in frame["exhausted"] if goal in goals - reached),
        bound=_text(frame["bound"]),
        constants={
            goal: tuple(_text(string) for string in strings[:MOST_CONSTANTS])
            for goal, strings in frame["constants"].items()
            if goal in goals
        },
        obstacle=None if frame["obstacle"] is None else _text(frame["obstacle"]),
        executions=int(frame["executions"]),
    )


def _crash(target: str, frame: Frame) -> tuple[Probe, Run]:
    probe = _filled(target, frame["arguments"], frame["script"])
    return probe, Run(ending_of(frame["ending"]), exchanges=probe.script or ())


def _filled(target: str, arguments: Frame, script: Sequence[Frame] | None) -> Probe:
    """A probe of the search, with a plain input in its slot: its answers are given."""
    return Probe(
        target,
        {name: _argument(frame) for name, frame in arguments.items()},
        None if script is None else tuple(Exchange(e["api"], "", e["answer"]) for e in script),
    )


def _argument(frame: Frame) -> Argument:
    kind = frame["kind"]
    if kind == "literal":
        return Literal(frame["source"])
    if kind == "inert":
        return Inert()
    form = Form(frame["form"])
    return Content(form, plain_input(form))


def _text(value: str) -> str:
    return value[:LONGEST_TEXT]
