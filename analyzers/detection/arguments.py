"""The arguments of a call, and the calls that only rearrange them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from analyzers.detection import library
from analyzers.detection.values import (
    BOTTOM,
    ELEMENT,
    NOTHING,
    Key,
    Marks,
    Value,
    join_all,
    make,
)


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of a call; ``rest`` are those behind ``*`` and ``**``."""

    positions: tuple[Value, ...] = ()
    names: dict[str, Value] = field(default_factory=dict[str, Value])
    rest: Value = BOTTOM

    def all(self) -> tuple[Value, ...]:
        """Every argument."""
        return (*self.positions, *self.names.values(), self.rest)

    @property
    def total(self) -> Marks:
        """What any argument depends on."""
        return NOTHING.union(*(value.total for value in self.all()))

    def words(self) -> frozenset[str]:
        """The strings and dotted names among the arguments."""
        names = frozenset(self.names)
        return names.union(*(value.words() for value in self.all()))

    def without_first(self) -> Arguments:
        """The arguments behind the first position."""
        return Arguments(self.positions[1:], self.names, self.rest)


def _default(arguments: Arguments) -> Value:
    return join_all(arguments.positions[1:])


def _partial(arguments: Arguments) -> Value:
    function = join_all(arguments.positions[:1])
    return function.plus(arguments.without_first().total)


def _enumerate(arguments: Arguments) -> Value:
    item = join_all(value.element() for value in arguments.positions[:1])
    return make(fields={ELEMENT: make(fields={1: item})}).shaped(arguments.total)


def _zip(arguments: Arguments) -> Value:
    parts: dict[Key, Value] = {at: value.element() for at, value in enumerate(arguments.positions)}
    return make(fields={ELEMENT: make(fields=parts)}).shaped(arguments.total)


def _pick(arguments: Arguments) -> Value:
    picked = [value.element() for value in arguments.positions]
    return join_all([*picked, *arguments.positions[1:]]).plus(arguments.total)


Rule = Callable[[Arguments], Value]
KNOWN: Final[Mapping[str, Rule]] = MappingProxyType(
    {
        "enumerate": _enumerate,
        "zip": _zip,
        "cast": _default,
        "typing.cast": _default,
        **dict.fromkeys(library.DEFAULTS, _default),
        **dict.fromkeys(library.PARTIAL, _partial),
        **dict.fromkeys(library.PICKS, _pick),
    }
)
"""Calls known by name, with what they return."""
