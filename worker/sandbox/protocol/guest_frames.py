"""What a guest may say, field by field (``docs/guest-protocol.md``).

Each kind of message has a checker, put together from those of
:mod:`worker.sandbox.protocol.frame_shapes`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from worker.sandbox.protocol.exploration_frames import (
    EXPLORED,
    OBSERVED,
    RECORDED,
    RELATED,
    RESOLVED,
    check_counts,
    check_recorded,
    check_related,
)
from worker.sandbox.protocol.frame_shapes import (
    ARGUMENTS,
    ENDING,
    BadFrame,
    Checker,
    amount,
    boolean,
    content,
    count,
    counts,
    json_object,
    many,
    mapping,
    optional,
    record,
    short,
    text,
    whole,
)
from worker.sandbox.protocol.model_frames import (
    ASSEMBLED,
    EXECUTED,
    check_assembled,
    check_executed,
)

MOST_FOUND = 2_000
MOST_ADDRESSES = 20
LONGEST_ADDRESS = 300
MOST_ASKED = 100
LONGEST_EXCERPT = 4000
MOST_LIBRARIES = 1000
LONGEST_LIBRARY = 200
PARTS = frozenset({"content", "text", "uri"})
SHA_256 = re.compile("[0-9a-f]{64}")
REPLIES: Mapping[object, frozenset[str]] = {
    None: frozenset(),
    "prepare": frozenset({"prepared", "unprepared"}),
    "run": frozenset({"ran", "done", "ask"}),
    "resolve": frozenset({"resolved"}),
    "search": frozenset({"searched", "limited"}),
    "explore": frozenset({"explored", "limited"}),
    "observe": frozenset({"observed", "limited"}),
    "record": frozenset({"recorded", "limited"}),
    "relate": frozenset({"related", "limited"}),
    "execute": frozenset({"executed", "limited"}),
    "assemble": frozenset({"assembled", "limited"}),
    "quit": frozenset(),
}


def addresses(value: object) -> None:
    """Expect a list of a few short texts."""
    if type(value) is not list or len(value) > MOST_ADDRESSES:
        raise BadFrame("is no short list")
    for item in value:
        if type(item) is not str or len(item) > LONGEST_ADDRESS:
            raise BadFrame("holds something that is no address")


def part(value: object) -> None:
    """Expect the name of a part of a question to an API."""
    if type(value) is not str or value not in PARTS:
        raise BadFrame("is no part of a question")


def hexadecimal(value: object) -> None:
    """Expect a SHA-256."""
    if type(value) is not str or not SHA_256.fullmatch(value):
        raise BadFrame("is no SHA-256")


def excerpt(value: object) -> None:
    """Expect a text that is cut where it is long."""
    if type(value) is not str or len(value) > LONGEST_EXCERPT:
        raise BadFrame("is no short text")


def _using(checker: Checker) -> Checker:
    """Expect what ``checker`` expects, and the libraries whose stand-ins were used, if any."""

    def check_using(value: object) -> None:
        if type(value) is dict and "used" in value:
            LIBRARIES(value["used"])
            value = {name: item for name, item in value.items() if name != "used"}
        checker(value)

    return check_using


LIBRARIES = many(short(LONGEST_LIBRARY), MOST_LIBRARIES)
SCRIPT = optional(
    many(record(frozenset({"digest"}), api=text, answer=json_object, digest=optional(text)))
)
EXCHANGE = record(api=text, digest=text, answer=json_object)
ASKED = record(
    frozenset({"text"}), api=text, part=part, digest=hexadecimal, size=count, text=excerpt
)
RESULT = record(
    frozenset({"outside", "asked"}),
    index=count,
    ending=ENDING,
    hits=counts,
    exchanges=many(EXCHANGE),
    seconds=amount,
    outside=addresses,
    asked=many(ASKED, MOST_ASKED),
)
PARAMETER = record(name=text, kind=text, default=boolean, annotation=optional(text))
REQUEST = record(
    frozenset({"content", "text", "uri", "parameters"}),
    content=optional(content),
    text=optional(text),
    uri=optional(text),
    parameters=json_object,
)
WITNESS = record(goal=text, arguments=ARGUMENTS, script=SCRIPT, confirmed=boolean)
CRASH = record(arguments=ARGUMENTS, script=SCRIPT, ending=ENDING)

MESSAGES: Mapping[str, Checker] = {
    "prepared": record(
        frozenset({"replaced"}),
        type=text,
        points=many(text),
        parameters=many(PARAMETER),
        standins=many(text),
        replaced=LIBRARIES,
        notes=many(text),
    ),
    "unprepared": record(type=text, reason=text),
    "ran": record(type=text, results=many(RESULT)),
    "done": _using(record(type=text, ended=optional(record(index=count, signal=whole)))),
    "ask": record(type=text, api=text, request=REQUEST),
    "searched": _using(
        record(
            frozenset({"notes"}),
            type=text,
            template=optional(record(arguments=ARGUMENTS)),
            witnesses=many(WITNESS, MOST_FOUND),
            crashes=many(CRASH, MOST_FOUND),
            exhausted=many(text),
            bound=text,
            constants=mapping(many(text)),
            obstacle=optional(text),
            executions=count,
            notes=many(text),
        )
    ),
    "limited": _using(record(type=text, reason=text)),
    "explored": _using(EXPLORED),
    "observed": OBSERVED,
    "recorded": _using(RECORDED),
    "related": _using(RELATED),
    "executed": _using(EXECUTED),
    "assembled": _using(ASSEMBLED),
    "resolved": _using(RESOLVED),
}


def check(message: Mapping[str, Any], request: Mapping[str, Any], points: int) -> None:
    """Raise ``BadFrame`` unless ``message`` answers ``request``.

    ``points`` is how many points the guest has named when it was prepared:
    hits must be among them, and results among the probes of the request.
    """
    kind = message.get("type")
    asked = request.get("type")
    if not isinstance(kind, str) or kind not in MESSAGES:
        raise BadFrame(f"is of an unknown type: {kind!r:.80}")
    if kind not in REPLIES.get(asked, frozenset()):
        raise BadFrame(f"{kind} is no reply to {asked}")
    try:
        MESSAGES[kind](message)
    except BadFrame as error:
        raise BadFrame(f"{kind}: {error}") from None
    if kind in {"ran", "done"}:
        _check_places(message, request, points)
    if kind == "explored":
        check_counts(message, points)
    if kind == "recorded":
        check_recorded(message, len(request["probes"]))
    if kind == "related":
        check_related(message, frozenset(request["apis"]))
    if kind == "executed":
        check_executed(message, frozenset(request["executions"]))
    if kind == "assembled":
        check_assembled(message, len(request["files"]))


def _check_places(message: Mapping[str, Any], request: Mapping[str, Any], points: int) -> None:
    """Expect every index and hit to be one of those that exist."""
    probes = len(request["probes"])
    ended = message.get("ended")
    results = message.get("results") or ([ended] if ended else [])
    for result in results:
        if result["index"] >= probes:
            raise BadFrame(f"index {result['index']} of {probes} probes")
        if result.get("hits") and max(result["hits"]) >= points:
            raise BadFrame(f"a hit beyond {points} points")
