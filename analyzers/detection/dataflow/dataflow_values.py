"""Possible values of an expression and their origins: a bounded lattice.

A :class:`Value` joins three things: *marks* (what the value depends on),
*references* (what it may be) and the values of its *fields* (attributes,
keys, positions).  Depth and size are bounded, so every fixpoint over values
ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Final, TypeAlias

import libcst as cst

from analyzers.vocabulary import ApiCall

MAX_DEPTH: Final = 7
MAX_FIELDS: Final = 48
MAX_SIZE: Final = 1000
MAX_REFERENCES: Final = 24
MAX_PATH: Final = 3
MAX_MARKS: Final = 64
"""Marks of one value; of more, parameters count whole."""
MAX_NAME: Final = 160

Key: TypeAlias = "str | int"
ELEMENT: Final = "*"
"""The field of the elements that have no known position or key."""
SHAPE: Final = "#"
"""The field of what a container's length or keys depend on."""


@dataclass(frozen=True, slots=True)
class AnswerMark:
    """The answer of an ML API; ``transport``: still wrapped in HTTP."""

    call: ApiCall
    transport: bool = False


@dataclass(frozen=True, slots=True)
class ParameterMark:
    """Whatever a function is given: a parameter, or a part of it."""

    function: str
    parameter: str
    path: tuple[Key, ...] = ()


@dataclass(frozen=True, slots=True)
class ChangedResultMark:
    """The result of a changed function."""

    function: str


Mark: TypeAlias = AnswerMark | ParameterMark | ChangedResultMark
Marks: TypeAlias = frozenset[Mark]
NOTHING: Final[Marks] = frozenset()


@dataclass(frozen=True, slots=True)
class ExternalName:
    """A thing outside the project, by its canonical dotted path."""

    path: str


@dataclass(frozen=True, slots=True)
class StringValue:
    """A string; ``…`` stands for the parts that are not known."""

    text: str


@dataclass(frozen=True, slots=True)
class ModuleName:
    """A module of the project, by its file or (with a slash) its folder."""

    path: str


@dataclass(frozen=True, slots=True)
class UnreadName:
    """A name in a module of the project that nobody had to read so far."""

    path: str
    name: str


@dataclass(frozen=True, slots=True)
class FunctionValue:
    """A function of the project; ``receiver``: the class it is bound to."""

    id: str
    receiver: str | None = None


@dataclass(frozen=True, slots=True)
class ClassValue:
    """A class of the project."""

    id: str


@dataclass(frozen=True, slots=True)
class InstanceValue:
    """An instance of a class of the project."""

    id: str


@dataclass(frozen=True, slots=True)
class LambdaValue:
    """A ``lambda``, by its node."""

    node: cst.Lambda


Reference: TypeAlias = (
    ExternalName
    | StringValue
    | ModuleName
    | UnreadName
    | FunctionValue
    | ClassValue
    | InstanceValue
    | LambdaValue
)
References: TypeAlias = frozenset[Reference]


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """One element of the lattice; build it with :func:`make`.

    ``total`` are the marks of the value and of all its fields, ``size`` is how many values
    these are.
    """

    marks: Marks
    refs: References
    fields: Mapping[Key, Value]
    total: Marks
    depth: int
    size: int

    def same(self, other: Value) -> bool:
        """Return whether both say the same."""
        return self is other or (
            self.marks == other.marks
            and self.refs == other.refs
            and self.fields.keys() == other.fields.keys()
            and all(self.fields[key].same(other.fields[key]) for key in self.fields)
        )

    def plus(self, marks: Marks) -> Value:
        """This value, depending on ``marks`` too."""
        if marks <= self.marks:
            return self
        return make(self.marks | marks, self.refs, self.fields)

    def shaped(self, marks: Marks) -> Value:
        """This container, its length depending on ``marks`` too."""
        return self.extended(SHAPE, make(marks)) if marks else self

    def extended(self, key: Key, value: Value) -> Value:
        """This value with ``value`` joined into one of its fields."""
        old = self.fields.get(key)
        joined = value if old is None else join(old, value)
        return make(self.marks, self.refs, {**self.fields, key: joined})

    def only_marks(self) -> Value:
        """This value without what it may be."""
        if not self.refs and not self.fields:
            return self
        fields = {key: value.only_marks() for key, value in self.fields.items()}
        return make(self.marks, frozenset(), fields)

    def only_refs(self) -> Value:
        """This value without what it depends on."""
        if not self.total:
            return self
        fields = {key: value.only_refs() for key, value in self.fields.items()}
        return make(NOTHING, self.refs, fields)

    def get(self, key: Key) -> Value:
        """The value of one attribute, key or position."""
        found = [value for at in (key, ELEMENT) if (value := self.fields.get(at))]
        return join_all(found).plus(_stepped(self.marks, key))

    def element(self) -> Value:
        """The value of any element, as in iteration."""
        found = [
            value for key, value in self.fields.items() if isinstance(key, int) or key == ELEMENT
        ]
        return join_all(found).plus(_stepped(self.marks, ELEMENT))

    def any_field(self) -> Value:
        """The value of any field, as for a key that is not known."""
        found = [value for key, value in self.fields.items() if key != SHAPE]
        return join_all(found).plus(_stepped(self.marks, ELEMENT))

    def at(self, path: Iterable[Key]) -> Value:
        """The value at the end of a path of keys."""
        return reduce(lambda at, key: at.any_field() if key == ELEMENT else at.get(key), path, self)

    def substituted(self, replace: Callable[[ParameterMark], Value | None]) -> Value:
        """This value with what stands in a slot put in its place."""
        slots = [mark for mark in self.marks if isinstance(mark, ParameterMark)]
        filled = [(slot, value) for slot in slots if (value := replace(slot)) is not None]
        rest = self.marks.difference(slot for slot, _ in filled)
        fields = {key: field.substituted(replace) for key, field in self.fields.items()}
        own = make(rest, self.refs, fields)
        return join_all([own, *(value.only_marks() for _, value in filled)])

    def words(self) -> frozenset[str]:
        """The strings and dotted names in the value and its fields."""
        own = {ref.text for ref in self.refs if isinstance(ref, StringValue)}
        own |= {ref.path for ref in self.refs if isinstance(ref, ExternalName)}
        own |= {key for key in self.fields if isinstance(key, str)}
        return frozenset(own).union(*(field.words() for field in self.fields.values()))

    def texts(self) -> tuple[str, ...]:
        """The strings that the value may be, sorted."""
        return tuple(sorted(ref.text for ref in self.refs if isinstance(ref, StringValue)))


def make(
    marks: Marks = NOTHING,
    refs: Iterable[Reference] = (),
    fields: Mapping[Key, Value] | None = None,
) -> Value:
    """A value within the bounds of the lattice."""
    marks = marks if len(marks) <= MAX_MARKS else _of_whole_parameters(marks)
    known = frozenset(refs)
    if len(known) > MAX_REFERENCES:
        known = frozenset(ref for ref in known if not isinstance(ref, StringValue | ExternalName))
    if not fields:
        return Value(marks, known, {}, marks, 0, 1)
    total = marks.union(*(value.total for value in fields.values()))
    total = total if len(total) <= MAX_MARKS else _of_whole_parameters(total)
    depth = 1 + max(value.depth for value in fields.values())
    size = 1 + sum(value.size for value in fields.values())
    if len(fields) > MAX_FIELDS or depth > MAX_DEPTH or size > MAX_SIZE:
        return Value(total, known, {}, total, 0, 1)
    return Value(marks, known, fields, total, depth, size)


BOTTOM: Final = make()


def join(left: Value, right: Value) -> Value:
    """Return what may be either."""
    if left is right or right is BOTTOM:
        return left
    if left is BOTTOM:
        return right
    fields = dict(left.fields)
    for key, value in right.fields.items():
        fields[key] = join(fields[key], value) if key in fields else value
    return make(left.marks | right.marks, left.refs | right.refs, fields)


def join_all(values: Iterable[Value]) -> Value:
    """Return what may be any of them."""
    return reduce(join, values, BOTTOM)


def text(value: str) -> Value:
    """A string constant."""
    return make(refs=(StringValue(value),)) if len(value) <= MAX_NAME else BOTTOM


def _of_whole_parameters(marks: Marks) -> Marks:
    """Return the marks without the paths into parameters."""
    return frozenset(
        ParameterMark(mark.function, mark.parameter) if isinstance(mark, ParameterMark) else mark
        for mark in marks
    )


def _stepped(marks: Marks, key: Key) -> Marks:
    if not any(isinstance(mark, ParameterMark) for mark in marks):
        return marks
    return frozenset(
        ParameterMark(mark.function, mark.parameter, (*mark.path, key))
        if isinstance(mark, ParameterMark) and len(mark.path) < MAX_PATH
        else mark
        for mark in marks
    )
