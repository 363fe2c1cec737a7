"""What a guest may say, field by field (``docs/guest-protocol.md``).

A checker takes a decoded JSON value and raises ``BadFrame`` where it is not
what the protocol says.  They are plain functions, because thousands of
results come in one frame.
"""

from __future__ import annotations

import ast
import keyword
import math
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from analyzers.vocabulary import Form

Checker: TypeAlias = Callable[[object], None]

DEPTH = 64
MOST = 1 << 53
HUGE = 1 << 64
LONGEST_SOURCE = 20_000
MOST_FOUND = 2_000
MOST_ADDRESSES = 20
LONGEST_ADDRESS = 300
FORMS = frozenset(form.value for form in Form)
REPLIES: Mapping[object, frozenset[str]] = {
    None: frozenset(),
    "prepare": frozenset({"prepared", "unprepared"}),
    "run": frozenset({"ran", "done", "ask"}),
    "search": frozenset({"searched"}),
    "quit": frozenset(),
}


class BadFrame(Exception):  # noqa: N818 - a noun of the outside
    """The guest has said something that the protocol does not know."""


def text(value: object) -> None:
    """Expect a string."""
    if type(value) is not str:
        raise BadFrame("is no text")


def content(value: object) -> None:
    """Expect bytes, already decoded."""
    if type(value) is not bytes:
        raise BadFrame("is no bytes")


def boolean(value: object) -> None:
    """Expect true or false."""
    if type(value) is not bool:
        raise BadFrame("is neither true nor false")


def count(value: object) -> None:
    """Expect an integer from 0 to 2⁵³."""
    if type(value) is not int or not 0 <= value <= MOST:
        raise BadFrame("is no count")


def counts(value: object) -> None:
    """Expect a list of counts; the many of a result are looked at together."""
    if type(value) is not list:
        raise BadFrame("is no list")
    if value and (set(map(type, value)) != {int} or min(value) < 0 or max(value) > MOST):
        raise BadFrame("holds something that is no count")


def whole(value: object) -> None:
    """Expect an integer of 32 bits."""
    if type(value) is not int or not -(1 << 31) <= value < 1 << 31:
        raise BadFrame("is no integer")


def amount(value: object) -> None:
    """Expect a finite number from 0 up."""
    if type(value) not in (int, float) or not 0 <= value < 1e15:  # type: ignore[operator]
        raise BadFrame("is no amount")


def addresses(value: object) -> None:
    """Expect a list of a few short texts."""
    if type(value) is not list or len(value) > MOST_ADDRESSES:
        raise BadFrame("is no short list")
    for item in value:
        if type(item) is not str or len(item) > LONGEST_ADDRESS:
            raise BadFrame("holds something that is no address")


def anything(value: object, depth: int = 0) -> None:
    """Expect JSON that does not nest too deep, with numbers that others can read."""
    if depth > DEPTH:
        raise BadFrame(f"nests deeper than {DEPTH}")
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            anything(item, depth + 1)
    elif isinstance(value, float) and not math.isfinite(value):
        raise BadFrame("holds a number that is not finite")
    elif isinstance(value, int) and abs(value) > HUGE:
        raise BadFrame("holds a number of more than 64 bits")


def form(value: object) -> None:
    """Expect the name of a form in which an input is given."""
    if type(value) is not str or value not in FORMS:
        raise BadFrame("is no form of an input")


def literal(value: object) -> None:
    """Expect the source of a Python literal: it is written into reproducers."""
    if type(value) is not str or len(value) > LONGEST_SOURCE:
        raise BadFrame("is no short text")
    try:
        ast.literal_eval(value)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise BadFrame("is no Python literal") from error


def arguments(value: object) -> None:
    """Expect arguments by the names of parameters."""
    named(value)
    if not all(map(_is_name, value)):  # type: ignore[call-overload]
        raise BadFrame("holds a name that no parameter can have")


def _is_name(name: str) -> bool:
    return len(name) <= 200 and name.isidentifier() and not keyword.iskeyword(name)


def json_object(value: object) -> None:
    """Expect an object of any JSON."""
    if type(value) is not dict:
        raise BadFrame("is no object")
    anything(value)


def optional(checker: Checker) -> Checker:
    """Expect null or what ``checker`` expects."""

    def check_optional(value: object) -> None:
        if value is not None:
            checker(value)

    return check_optional


def many(checker: Checker, most: int | None = None) -> Checker:
    """Expect a list of what ``checker`` expects, of at most ``most``."""

    def check_many(value: object) -> None:
        if type(value) is not list or (most is not None and len(value) > most):
            raise BadFrame("is no list, or too long")
        for item in value:
            checker(item)

    return check_many


def mapping(checker: Checker) -> Checker:
    """Expect an object whose values are what ``checker`` expects."""

    def check_mapping(value: object) -> None:
        if type(value) is not dict:
            raise BadFrame("is no object")
        for item in value.values():
            checker(item)

    return check_mapping


def record(optional_fields: frozenset[str] = frozenset(), /, **fields: Checker) -> Checker:
    """Expect an object with exactly these fields, some of which may be absent."""
    required = fields.keys() - optional_fields

    def check_record(value: object) -> None:
        if type(value) is not dict:
            raise BadFrame("is no object")
        if not required <= value.keys() <= fields.keys():
            odd = ", ".join(sorted(map(repr, value.keys() ^ required)))
            raise BadFrame(f"lacks or has beyond its fields: {odd:.200}")
        for name, item in value.items():
            try:
                fields[name](item)
            except BadFrame as error:
                raise BadFrame(f"{name}: {error}") from None

    return check_record


def variant(**kinds: Checker) -> Checker:
    """Expect an object whose ``kind`` says which of ``kinds`` it is."""

    def check_variant(value: object) -> None:
        kind = value.get("kind") if type(value) is dict else None
        checker = kinds.get(kind) if type(kind) is str else None
        if checker is None:
            raise BadFrame(f"is of an unknown kind: {kind!r:.80}")
        checker(value)

    return check_variant


ENDING = variant(
    returned=record(kind=text, value=text),
    raised=record(
        kind=text,
        exception=text,
        message=text,
        path=text,
        line=count,
        function=text,
        refusal=boolean,
        standin=boolean,
    ),
    **{
        "timed-out": record(kind=text, seconds=amount),
        "not-run": record(kind=text, reason=text),
    },
)
ARGUMENT = variant(
    literal=record(kind=text, source=literal),
    content=record(
        frozenset({"blob", "suffix"}),
        kind=text,
        form=form,
        blob=optional(text),
        suffix=optional(text),
    ),
    inert=record(kind=text),
)
named = mapping(ARGUMENT)
ARGUMENTS = arguments
SCRIPT = optional(
    many(record(frozenset({"digest"}), api=text, answer=json_object, digest=optional(text)))
)
EXCHANGE = record(api=text, digest=text, answer=json_object)
RESULT = record(
    frozenset({"outside"}),
    index=count,
    ending=ENDING,
    hits=counts,
    exchanges=many(EXCHANGE),
    seconds=amount,
    outside=addresses,
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
        type=text,
        points=many(text),
        parameters=many(PARAMETER),
        standins=many(text),
        notes=many(text),
    ),
    "unprepared": record(type=text, reason=text),
    "ran": record(type=text, results=many(RESULT)),
    "done": record(type=text, ended=optional(record(index=count, signal=whole))),
    "ask": record(type=text, api=text, request=REQUEST),
    "searched": record(
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
    ),
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
