"""Checkers of decoded JSON: plain values, and what is put together from them.

A checker takes a decoded JSON value and raises ``BadFrame`` where it is not
what is expected.  They are plain functions, because thousands of results come
in one frame.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

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
