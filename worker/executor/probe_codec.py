"""Probes and runs in the words of docs/guest-protocol.md.

What comes from the guest has the right shape (the channel checked it); here
it is bounded to what the host knows: points that exist, APIs that were sent.
"""

from __future__ import annotations

import hashlib
import io
import re
import wave
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import cache
from typing import Any, assert_never

from PIL import Image

from analyzers import catalogue
from analyzers.vocabulary import (
    Argument,
    AskedInput,
    ErrorOrigin,
    Exchange,
    Form,
    InertArgument,
    Input,
    InputArgument,
    InputKind,
    LiteralArgument,
    NotRun,
    ObservedCall,
    Origin,
    Probe,
    Raised,
    RecipeArgument,
    Returned,
    Run,
    RunOutcome,
    SearchResult,
    TimedOut,
    Violated,
    Witness,
)
from worker.engines.engine import ApiRequest
from worker.sandbox.protocol.exploration_frames import LONGEST_CONSTRAINT
from worker.sandbox.protocol.frame_shapes import is_constraint

LONGEST_ASKED_TEXT = 4000


def asked_inputs(api: str, request: ApiRequest) -> Iterator[AskedInput]:
    """The inputs of a question that the broker has seen: a file, a text, an address."""
    if request.content is not None:
        yield _asked(api, "content", request.content, None)
    for part, text in (("text", request.text), ("uri", request.uri or None)):
        if text is not None:
            yield _asked(api, part, text.encode("utf-8", "replace"), text)


def asked_input_of(frame: Mapping[str, Any]) -> AskedInput:
    """An input of a question from its frame, which the guest has sent."""
    api = frame["api"]
    return AskedInput(
        api, _kind(api, frame["part"]), frame["digest"], frame["size"], frame.get("text")
    )


def _asked(api: str, part: str, sent: bytes, text: str | None) -> AskedInput:
    digest = hashlib.sha256(sent).hexdigest()
    return AskedInput(api, _kind(api, part), digest, len(sent), text and text[:LONGEST_ASKED_TEXT])


def _kind(api: str, part: str) -> InputKind:
    if part == "text":
        return InputKind.TEXT
    described = catalogue.load_catalogue().apis.get(api)
    if part == "uri" or described is None or described.input is None:
        return InputKind.VALUE
    kind = InputKind(described.input.kind)
    return InputKind.VALUE if kind is InputKind.TEXT else kind


PLAIN = Origin("plain")
SIZE = (160, 120)
GREY = (128, 128, 128)
TEXT = "The quick brown fox jumps over the lazy dog."


SOUNDS = ".wav"
TEXTS = ".txt"
RATE = 16_000


@cache
def plain_input(form: Form, suffix: str = "") -> Input:
    """Return a grey picture, a pangram or a second of silence; ``suffix`` says which file."""
    if form is Form.TEXT or suffix == TEXTS:
        return Input(InputKind.TEXT, TEXT.encode(), "any text", None, TEXTS, PLAIN)
    file = io.BytesIO()
    if suffix == SOUNDS:
        with wave.open(file, "wb") as sound:
            sound.setparams((1, 2, RATE, 0, "NONE", ""))
            sound.writeframes(bytes(2 * RATE))
        return Input(InputKind.AUDIO, file.getvalue(), "silence", None, SOUNDS, PLAIN)
    Image.new("RGB", SIZE, GREY).save(file, "PNG")
    return Input(InputKind.IMAGE, file.getvalue(), "any picture", None, ".png", PLAIN)


Frame = Mapping[str, Any]

LONGEST_TEXT = 2000
MOST_CRASHES = 100
MOST_CONSTANTS = 200
OPENING = re.compile(r"opening-([0-9]{1,6})")


def argument_frame(argument: Argument) -> Frame:
    """An argument as the guest reads it."""
    match argument:
        case LiteralArgument():
            return {"kind": "literal", "source": argument.source}
        case InputArgument():
            item = argument.input
            return {
                "kind": "content",
                "form": argument.form.value,
                "blob": None if item is None else item.digest,
                "suffix": "" if item is None else item.suffix,
            }
        case InertArgument():
            return {"kind": "inert"}
        case RecipeArgument():
            return {"kind": "made", "recipe": argument.recipe}
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
                **({"ensures": list(probe.ensures)} if probe.ensures else {}),
                **({"observed": True} if probe.observed else {}),
                **({"program": probe.program.source} if probe.program else {}),
                **({"watched": list(probe.watched)} if probe.watched else {}),
                **({"recorded": list(probe.recorded)} if probe.recorded else {}),
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
    asked = tuple(asked_input_of(each) for each in result.get("asked", ()))
    ending, seconds = ending_of(result["ending"]), float(result["seconds"])
    completed = int(result.get("completed", 0))
    lines = {_text(path): frozenset(ran) for path, ran in result.get("lines", {}).items()}
    calls = tuple(map(call_of, result.get("calls", ())))
    return Run(ending, hits, exchanges, seconds, outside, asked, completed, lines, calls)


def call_of(frame: Frame) -> ObservedCall:
    """Return a call of a project's function from its frame."""
    return ObservedCall(
        frame["function"],
        _constraints(frame["arguments"]),
        frame["test"],
        frame["raised"],
        frame.get("owner", ""),
        _constraints(frame.get("constructor", {})),
    )


def _constraints(arguments: Mapping[str, str]) -> dict[str, str]:
    return {
        name: said
        for name, said in arguments.items()
        if name.isidentifier() and is_constraint(said, LONGEST_CONSTRAINT, literal=True)
    }


def ending_of(frame: Frame) -> RunOutcome:
    """An ending from its frame."""
    kind = frame["kind"]
    if kind == "returned":
        return Returned(_text(frame["value"]), frame.get("observation"))
    if kind == "raised":
        return Raised(
            _text(frame["exception"]),
            _text(frame["message"]),
            _text(frame["path"]),
            int(frame["line"]),
            _text(frame["function"]),
            refusal=bool(frame["refusal"]),
            standin=bool(frame["standin"]),
            origin=ErrorOrigin(frame.get("origin", "")),
            meant=_text(frame.get("meant", "")),
        )
    if kind == "timed-out":
        return TimedOut(float(frame["seconds"]))
    if kind == "violated":
        return Violated(_text(frame["condition"]), _text(frame["detail"]))
    return NotRun(_text(frame["reason"]), our_fault=bool(frame.get("our_fault")))


def searched_of(
    frame: Frame, target: str, goals: AbstractSet[str], texts: Sequence[str] = ()
) -> SearchResult:
    """Return the outcome of a search for ``goals``, which ``texts`` were to be tried for.

    Other goals are left out, and proofs of unreachability that a witness contradicts.
    """
    template = frame["template"]
    witnesses = [w for w in frame["witnesses"] if w["goal"] in goals]
    reached = {w["goal"] for w in witnesses}
    return SearchResult(
        template=None if template is None else _filled(target, template["arguments"], None, texts),
        witnesses=tuple(
            Witness(
                w["goal"],
                _filled(target, w["arguments"], w["script"], texts),
                confirmed=w["confirmed"],
            )
            for w in witnesses
        ),
        crashes=tuple(_crash(target, crash, texts) for crash in frame["crashes"][:MOST_CRASHES]),
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


def _crash(target: str, frame: Frame, texts: Sequence[str]) -> tuple[Probe, Run]:
    probe = _filled(target, frame["arguments"], frame["script"], texts)
    return probe, Run(ending_of(frame["ending"]), exchanges=probe.script or ())


def _filled(
    target: str, arguments: Frame, script: Sequence[Frame] | None, texts: Sequence[str]
) -> Probe:
    """A probe of the search, with a plain input in its slot: its answers are given."""
    return Probe(
        target,
        {name: argument_of(frame, texts) for name, frame in arguments.items()},
        None if script is None else tuple(Exchange(e["api"], "", e["answer"]) for e in script),
    )


def argument_of(frame: Frame, texts: Sequence[str] = ()) -> Argument:
    """An argument from its frame, with a plain input where it takes one."""
    kind = frame["kind"]
    if kind == "literal":
        return LiteralArgument(frame["source"])
    if kind == "made":
        return RecipeArgument(frame["recipe"])
    if kind == "inert":
        return InertArgument()
    form = Form(frame["form"])
    suffix = frame.get("suffix")
    item = plain_input(form, suffix if suffix in (TEXTS, SOUNDS) else "")
    chosen = OPENING.fullmatch(frame.get("blob") or "")
    if chosen and form is Form.TEXT and int(chosen[1]) < len(texts):
        item = replace(item, content=texts[int(chosen[1])].encode("utf-8", "replace"))
    return InputArgument(form, item)


def _text(value: str) -> str:
    return value[:LONGEST_TEXT]
