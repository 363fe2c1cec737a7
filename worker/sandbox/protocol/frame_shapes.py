"""Types of what comes out of a guest: checked by msgspec, field by field.

A subclass of ``Frame`` has exactly its fields.  A subclass of ``CheckedText`` is a
text that a parser of ours accepts.  Nothing is converted: the frame stays decoded JSON.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable
from typing import Annotated, ClassVar, TypeAlias, cast
from typing import Literal as OneOf

import msgspec
from msgspec import Meta, field

from analyzers.guest.annotations.constraints import Constraint, Expression
from analyzers.guest.annotations.syntax import AnnotationError
from analyzers.guest.annotations.syntax import parse as parse_constraint
from analyzers.guest.inputs.recipes import BadRecipe
from analyzers.guest.inputs.recipes import parse as parse_recipe
from analyzers.guest.protocol.input_paths import parse as parse_place
from analyzers.vocabulary import ErrorOrigin, Form
from analyzers.vocabulary.conversion import convert

DEPTH = 64
HUGE = 1 << 64
LONGEST_SOURCE = 20_000
_PARSE_ERRORS = (BadRecipe, ValueError, SyntaxError, TypeError, MemoryError, RecursionError)


class BadFrame(Exception):  # noqa: N818 - a noun of the outside
    """The guest has said something that the protocol does not know."""


class Frame(msgspec.Struct, forbid_unknown_fields=True):
    """An object of the protocol."""


class Tagged(Frame, tag_field="kind"):
    """An object of the protocol whose ``kind`` says which one it is."""


class JsonData:
    """An object of any JSON that does not nest too deep, with numbers that others can read."""


class CheckedText(str):
    """A text that is written into code or reports: ``parse`` raises where it may not be."""

    __slots__ = ()
    parse: ClassVar[Callable[[str], object]]
    what: ClassVar[str]
    longest: ClassVar[int] = LONGEST_SOURCE


class Literal(CheckedText):
    """The source of a Python literal."""

    parse, what = ast.literal_eval, "Python literal"


class Recipe(CheckedText):
    """The source of a recipe."""

    parse, what = parse_recipe, "recipe"


class Arguments:
    """Arguments by their places."""


def checked(value: object, kind: object) -> None:
    """Raise ``BadFrame`` unless decoded JSON is of a type made of the classes here."""
    try:
        convert(value, kind, builtin_types=(bytes,), dec_hook=_check_custom)
    except msgspec.ValidationError as error:
        shown = str(error).encode("unicode_escape").decode()
        raise BadFrame(f"{shown:.300}") from None


def _check_custom(kind: type, value: object) -> object:
    if issubclass(kind, CheckedText):
        if type(value) is not str or len(value) > kind.longest:
            raise ValueError("is no short text")
        try:
            kind.parse(value)
        except _PARSE_ERRORS as error:
            raise ValueError(f"is no {kind.what}") from error
        return kind(value)
    if kind is Arguments:
        checked(value, dict[str, Argument])
        try:
            for name in cast("dict[str, object]", value):
                parse_place(name)
        except ValueError as error:
            raise ValueError("holds a name that no parameter or place can have") from error
    else:
        if type(value) is not dict:
            raise ValueError("is no object")
        _check_data(value)
    return kind()


def _check_data(value: object, depth: int = 0) -> None:
    if depth > DEPTH:
        raise ValueError(f"nests deeper than {DEPTH}")
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            _check_data(item, depth + 1)
    elif isinstance(value, float) and not math.isfinite(value):
        raise ValueError("holds a number that is not finite")
    elif isinstance(value, int) and abs(value) > HUGE:
        raise ValueError("holds a number of more than 64 bits")


def is_constraint(value: object, longest: int, *, literal: bool = False) -> bool:
    """Return whether a value is a constraint; ``literal``: it computes nothing."""
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


def matching(pattern: str, longest: int) -> Meta:
    """Return the bounds of a text that a pattern matches as a whole."""
    return Meta(pattern=rf"\A(?:{pattern})\Z", max_length=longest)


def _check_printable(value: str) -> None:
    if not value.isprintable():
        raise ValueError


class PrintableName(CheckedText):
    """A short name on one line, or nothing."""

    parse, what, longest = _check_printable, "short name", 100


def _check_parts(names: Iterable[str]) -> None:
    """Raise ``ValueError`` unless all are indices, keys or names; msgspec checks no keys."""
    for name in names:
        try:
            if len(name) > 300 or not (name.isidentifier() or ast.literal_eval(name) is not None):
                raise ValueError
        except _PARSE_ERRORS as error:
            raise ValueError("has a part that is no index, key or name") from error


TypeName: TypeAlias = Annotated[str, matching(r"[\w.<>\[\]=, ]*", 100)]
Real: TypeAlias = float | OneOf["nan", "inf", "-inf"]
Numbers: TypeAlias = Annotated[list[Real], Meta(max_length=64)]
Count: TypeAlias = Annotated[int, Meta(ge=0, le=1 << 53)]
Whole: TypeAlias = Annotated[int, Meta(ge=-(1 << 31), lt=1 << 31)]
Amount: TypeAlias = Annotated[float, Meta(ge=0, lt=1e15)]
Name: TypeAlias = Annotated[str, Meta(max_length=300)]
Note: TypeAlias = Annotated[str, Meta(max_length=2_000)]
Libraries: TypeAlias = Annotated[list[Annotated[str, Meta(max_length=200)]], Meta(max_length=1000)]
Notes: TypeAlias = Annotated[list[Note], Meta(max_length=100)]


class Message(Frame, kw_only=True):
    """An answer of the guest; ``used`` are the libraries whose stand-ins were used."""

    type: str
    used: Libraries = field(default_factory=list)


class _Array(Tagged, tag="array"):
    type: TypeName
    dtype: TypeName
    shape: Annotated[list[Count], Meta(max_length=64)]
    device: Annotated[str, matching(r"[\w.:]*", 40)]
    numbers: Numbers
    sum: Real
    absolute: Real
    finite: Count = 0

    def __post_init__(self) -> None:
        size = math.prod(self.shape)
        if self.numbers and len(self.numbers) != len(range(0, size, max(1, -(-size // 64)))):
            raise ValueError("as many numbers as steps over the elements are needed")


class _Number(Tagged, tag="number"):
    type: TypeName
    number: Real


class _Text(Tagged, tag="text"):
    type: TypeName
    text: Note


class _Object(Tagged, tag="object"):
    type: TypeName


class _Parts(Tagged, tag="parts"):
    type: TypeName
    access: OneOf["index", "key", "attribute", "state"]
    size: Count
    parts: Annotated[dict[str, _Value], Meta(max_length=64)]

    def __post_init__(self) -> None:
        _check_parts(self.parts)


_Value: TypeAlias = _Array | _Number | _Text | _Object | _Parts


class _Observation(Frame):
    result: _Value
    arguments: Annotated[dict[str, _Value], Meta(max_length=64)]
    random: bool
    state: Annotated[str, matching(r"[0-9a-f]*", 16)] = ""

    def __post_init__(self) -> None:
        _check_parts(self.arguments)


class _Returned(Tagged, tag="returned"):
    value: str
    observation: _Observation | None = None


class _Raised(Tagged, tag="raised"):
    exception: str
    message: str
    path: str
    line: Count
    function: str
    refusal: bool
    standin: bool
    origin: ErrorOrigin = ErrorOrigin("")
    meant: PrintableName = PrintableName()


class _Violated(Tagged, tag="violated"):
    condition: str
    detail: str


class _TimedOut(Tagged, tag="timed-out"):
    seconds: Amount


class _NotRun(Tagged, tag="not-run"):
    reason: str
    our_fault: bool = False


class _Literal(Tagged, tag="literal"):
    source: Literal


class _Content(Tagged, tag="content"):
    form: Form
    blob: str | None = None
    suffix: str | None = None


class _Inert(Tagged, tag="inert"):
    pass


class _Recipe(Tagged, tag="made"):
    recipe: Recipe


Ending: TypeAlias = _Returned | _Raised | _Violated | _TimedOut | _NotRun
Argument: TypeAlias = _Literal | _Content | _Inert | _Recipe
