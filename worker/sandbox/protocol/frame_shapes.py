"""Checkers of decoded JSON: plain values, and what is put together from them.

A checker takes a decoded JSON value and raises ``BadFrame`` where it is not
what is expected.  They are plain functions, because thousands of results come
in one frame.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import TypeAlias, cast

from analyzers.guest.annotations.constraints import Constraint, Expression
from analyzers.guest.annotations.syntax import AnnotationError
from analyzers.guest.annotations.syntax import parse as parse_constraint
from analyzers.guest.inputs.recipes import BadRecipe
from analyzers.guest.inputs.recipes import parse as parse_recipe
from analyzers.guest.protocol.input_paths import parse as parse_place
from analyzers.vocabulary import ErrorOrigin, Form

Checker: TypeAlias = Callable[[object], None]

DEPTH = 64
MOST = 1 << 53
HUGE = 1 << 64


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


LONGEST_SOURCE = 20_000
LONGEST_NAME = 100
ORIGINS = frozenset(origin.value for origin in ErrorOrigin)
FORMS = frozenset(form.value for form in Form)


def short(length: int) -> Checker:
    """Expect a text of at most ``length`` characters."""

    def check_short(value: object) -> None:
        if type(value) is not str or len(value) > length:
            raise BadFrame(f"is no text of at most {length} characters")

    return check_short


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


def recipe(value: object) -> None:
    """Expect the source of a recipe: it is written into reproducers."""
    if type(value) is not str or len(value) > LONGEST_SOURCE:
        raise BadFrame("is no short text")
    try:
        parse_recipe(value)
    except (BadRecipe, MemoryError, RecursionError) as error:
        raise BadFrame("is no recipe") from error


def is_constraint(value: object, longest: int, *, literal: bool = False) -> bool:
    """Whether a value is a constraint in the words of aN; ``literal``: it computes nothing."""
    if type(value) is not str or len(value) > longest:
        return False
    try:
        constraint = parse_constraint(value)
    except (AnnotationError, MemoryError, RecursionError):
        return False
    return not literal or _is_literal(constraint)


def _is_literal(argument: object) -> bool:
    if isinstance(argument, Constraint):
        return all(_is_literal(each) for _, each in argument.arguments)
    if isinstance(argument, tuple):
        return all(map(_is_literal, cast("tuple[object, ...]", argument)))
    return not isinstance(argument, Expression) or argument.literal


def arguments(value: object) -> None:
    """Expect arguments by places: they are written into reproducers."""
    _named(value)
    try:
        for name in value:  # type: ignore[attr-defined]
            parse_place(name)
    except ValueError as error:
        raise BadFrame("holds a name that no parameter or place can have") from error


def origin(value: object) -> None:
    """Expect a word for where an exception comes from."""
    if type(value) is not str or value not in ORIGINS:
        raise BadFrame("is no origin of an exception")


def name(value: object) -> None:
    """Expect a short name on one line, or nothing."""
    if type(value) is not str or len(value) > LONGEST_NAME or not value.isprintable():
        raise BadFrame("is no short name")


ENDING = variant(
    returned=record(kind=text, value=text),
    raised=record(
        frozenset({"origin", "meant"}),
        kind=text,
        exception=text,
        message=text,
        path=text,
        line=count,
        function=text,
        refusal=boolean,
        standin=boolean,
        origin=origin,
        meant=name,
    ),
    violated=record(kind=text, condition=text, detail=text),
    **{
        "timed-out": record(kind=text, seconds=amount),
        "not-run": record(frozenset({"our_fault"}), kind=text, reason=text, our_fault=boolean),
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
    made=record(kind=text, recipe=recipe),
)
_named = mapping(ARGUMENT)
ARGUMENTS = arguments
