"""Constraints from a description's words: types, shapes, ranges, lists of values."""

# ruff: noqa: E501 - patterns stand on one line

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from analyzers.guest.annotations.constraints import Constraint
from analyzers.guest.annotations.syntax import parse
from analyzers.inference.constraints.constraint_builders import (
    build,
    build_if_possible,
    one_of,
    union_of,
)
from analyzers.inference.constraints.intervals import Interval
from analyzers.inference.constraints.lattice import coerced, meet
from analyzers.inference.facts import Confidence, all_known

_NUMBER = r"[-+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?|[-+]?\.\d+"
_TYPES: tuple[tuple[str, str], ...] = (
    (r"(torch\.)?longtensor|(torch\.)?tensor of (ints?|longs?)", 'tensors(dtype="int64")'),
    (r"(torch\.)?booltensor", 'tensors(dtype="bool")'),
    (r"(torch\.)?(float)?tensors?|torch tensor", "tensors()"),
    (r"(np\.|numpy\.)?(nd)?arrays?|numpy array|(np|numpy)\.ndarray", "np_arrays()"),
    (r"jax\.array|jnp\.(nd)?array", "jax_arrays()"),
    (r"bool(ean)?", "bools()"),
    (r"int(eger)?", "ints()"),
    (r"float|double|scalar|real", "floats()"),
    (r"number|numeric", "anys(ints(), floats())"),
    (r"str(ing)?", "strings()"),
    (r"(list|sequence|iterable)(\[| of )(int|integer)s?\]?", "int_lists()"),
    (r"(list|sequence|iterable)(\[| of )floats?\]?", "float_lists()"),
    (r"(list|sequence|iterable)(\[| of )(str|string)s?\]?", "string_lists()"),
    (r"(torch\.)?nn\.module|module|model", "modules()"),
    (r"callable|function", "callables()"),
    (r"(pathlib\.)?path|path-like", "paths()"),
    (r"(torch\.optim\.)?optimizer", "optimizers()"),
    (r"pil\.image(\.image)?|pil image", 'images(form="pil")'),
    (r"none", "froms([None])"),
)
_WORDS = tuple((re.compile(pattern, re.IGNORECASE), text) for pattern, text in _TYPES)
_SHAPE = re.compile(
    r"(?:shape|size|dimensions?|dims?|tensor|array)\s*(?:is|of|:|=|with shape|of shape|of size)?\s*"
    r"[`:]*(?:math:)?`*[\(\[](?P<dims>[^()\[\]]*)[\)\]]",
    re.IGNORECASE,
)
_LEADING = re.compile(r"^\W*[\(\[](?P<dims>\s*[\w*]+(?:\s*,\s*[\w*.]+)*\s*,?\s*)[\)\]]")
_COMPACT = re.compile(r"\b(?P<dims>[BN](?:\s*x\s*|×)[A-Z0-9](?:(?:\s*x\s*|×)[A-Z0-9])*)\b")
_BETWEEN = re.compile(
    rf"(?:between|from)\s+(?P<low>{_NUMBER})\s+(?:and|to)\s+(?P<high>{_NUMBER})", re.I
)
_RANGE = re.compile(
    rf"(?:in|range|within|interval|values?)\s*(?:the\s+)?(?:range|interval)?\s*(?:of|:|is)?\s*"
    rf"(?P<open>[\[\(])\s*(?P<low>{_NUMBER})\s*,\s*(?P<high>{_NUMBER})\s*(?P<close>[\]\)])",
    re.I,
)
_SIGNS: tuple[tuple[re.Pattern[str], Interval], ...] = (
    (re.compile(r"\bnon-?\s?negative\b", re.I), Interval(low=0)),
    (re.compile(r"\b(strictly )?positive (int|integer|float|number|scalar|value|real)|must be (strictly )?positive|should be positive", re.I),
     Interval(low=0, open_low=True)),
)  # fmt: skip
_MUST = re.compile(
    rf"(?:must|should|has to|needs to) be\s+(?P<op>at least|at most|greater than or equal to|less than or equal to|"
    rf"greater than|less than|larger than|smaller than|>=|<=|>|<)\s*(?P<value>{_NUMBER})",
    re.I,
)
_BOUNDS = {
    "at least": "ge", "at most": "le", "greater than or equal to": "ge",
    "less than or equal to": "le", "greater than": "gt", "less than": "lt", "larger than": "gt",
    "smaller than": "lt", ">=": "ge", "<=": "le", ">": "gt", "<": "lt",
}  # fmt: skip
_ONE_OF = re.compile(
    r"(?:one of|either|options?|choices?|can be|must be|available|supported)[^\w'\"]{0,6}(?P<values>.{3,160})",
    re.I,
)
_BRACED = re.compile(r"\{(?P<values>[^{}]+)\}")
_QUOTED = re.compile(r"(?P<quote>['\"])(?P<word>[^'\"]{1,30})(?P=quote)")
_DTYPES = tuple(
    (re.compile(pattern, re.I), dtype)
    for pattern, dtype in (
        (
            r"\blong\s?tensor|\bint64|\b(integer|long|index) (tensor|array)|class ind(ex|ices)",
            "int64",
        ),
        (r"\bbool(ean)?\s?(tensor|array|mask)", "bool"),
        (r"\bfloat32|\bfloat\s?(tensor|array)", "float32"),
        (r"\buint8|\bbyte\s?tensor", "uint8"),
    )
)
MAY_BE_EMPTY = re.compile(r"\b(?:(?:may|can) be|possibly|perhaps) empty\b", re.I)
_DIVIDED = re.compile(r"(?:divisible by|multiple of)\s+(?P<by>\d+)", re.I)


@dataclass(frozen=True, slots=True)
class ParameterDescription:
    """A description to be read; ``arrays`` is the kind of array that the function takes."""

    name: str
    type: str
    text: str
    arrays: str


@dataclass(frozen=True, slots=True)
class Phrase:
    """The constraint that a phrase states, with its confidence."""

    constraint: Constraint
    confidence: Confidence


def read_description(entry: ParameterDescription) -> Iterator[Phrase]:
    """Yield what a description says, phrase by phrase; at most one for each kind of phrase."""
    base = typed(entry.type)
    whole = f"{entry.type}. {entry.text}"
    shape = shape_in(entry)
    bounds = bounds_in(whole)
    if shape is not None:
        same = None if base is None else coerced(shape, base.kind)
        array = shape if base is None or same is None else meet(base, same) or base
        yield Phrase(array if bounds is None else _bounded(array, bounds), Confidence.LIKELY)
        return
    values = values_in(entry)
    if values is not None:
        yield Phrase(values, Confidence.LIKELY)
        return
    if base is not None and bounds is not None:
        yield Phrase(_bounded(base, bounds), Confidence.LIKELY)
    elif base is not None:
        yield Phrase(base, Confidence.GUESS)
    elif bounds is not None:
        yield Phrase(union_of(bounds.numbers()), Confidence.LIKELY)
    divided = _DIVIDED.search(whole)
    if divided is not None and int(divided["by"]) > 0:
        yield Phrase(build("ints", multiple_of=int(divided["by"])), Confidence.LIKELY)


def typed(text: str) -> Constraint | None:
    """The type at the beginning of a description: ``int, optional``, ``float or None``."""
    plain = re.sub(r"[`~]|:\w+:|\boptional\b|default.*$", "", text).strip(" ,.:")
    plain = re.sub(r",?\s*(of )?(with )?shape.*$|[\(].*$", "", plain, flags=re.I).strip(" ,.:")
    parts = [part.strip() for part in re.split(r"\s+or\s+|\s*\|\s*|,\s*", plain) if part.strip()]
    known = all_known(
        next((parse(said) for pattern, said in _WORDS if pattern.fullmatch(part)), None)
        for part in parts
    )
    return union_of(known) if known else None


def shape_in(entry: ParameterDescription) -> Constraint | None:
    """The arrays of a shape that is written down: ``(B, C, H, W)``, ``of shape (n, 3)``."""
    if any(word in entry.type.lower().split() for word in ("int", "float", "bool", "str", "tuple")):
        return None
    for text in (entry.type, entry.text):
        dims = _dims(_written(text))
        if dims:
            whole = f"{entry.type} {entry.text}"
            dtype = next((dtype for pattern, dtype in _DTYPES if pattern.search(whole)), None)
            return build_if_possible(entry.arrays, dtype=dtype, shape=dims)
    return None


def _written(text: str) -> str:
    compact = _COMPACT.search(text)
    match = _SHAPE.search(text) or _LEADING.search(text)
    if match is not None:
        return match["dims"]
    return re.sub(r"\s*[x×]\s*", ", ", compact["dims"]) if compact is not None else ""


def _dims(text: str) -> tuple[object, ...] | None:
    words = (
        re.split(r"\s*[,x×]\s*", text.strip(" ,"))
        if re.search(r"[,×]|\bx\b", text)
        else text.split()
    )
    known = all_known(_dim(word.strip(" `'\"\\")) for word in words if word.strip())
    return tuple(known) if known and len(known) <= 6 else None


def _dim(word: str) -> object | None:
    if word.isdigit():
        return int(word)
    if word in ("*", "...", "…"):
        return "..."
    plain = re.sub(r"[\s-]+", "_", word)
    plain = re.sub(r"_?\{(?:in|out|\w+)\}", lambda m: "_" + re.sub(r"\W", "", m[0]), plain)
    if re.fullmatch(r"[A-Za-z]\w*", plain):
        return plain.lower()
    return None


def least_size(dimension: str, docstring: str) -> int | None:
    """The least size that a docstring says of a dimension: ``n >= 0``, ``N > 1``, "n may be zero"."""
    word = re.escape(dimension)
    bound = re.search(rf"(?<![\w.]){word}\s*(>=|≥|>)\s*(\d+)(?!\w|\.\d)", docstring, re.I)
    if bound is not None:
        return int(bound[2]) + (bound[1] == ">")
    zero = re.search(rf"(?<![\w.]){word}\s+(?:may|can) be (?:0|zero)\b", docstring, re.I)
    return None if zero is None else 0


def bounds_in(text: str) -> Interval | None:
    """The interval that a description names; ``None`` where it names none."""
    match = _RANGE.search(text)
    if match is not None:
        low, high = float(match["low"]), float(match["high"])
        found = Interval(_plain(low), _plain(high), match["open"] == "(", match["close"] == ")")
        return found if low < high else None
    between = _BETWEEN.search(text)
    if between is not None:
        low, high = float(between["low"]), float(between["high"])
        return Interval(_plain(low), _plain(high)) if low < high else None
    must = _MUST.search(text)
    if must is not None:
        word = _BOUNDS[must["op"].lower()]
        value = _plain(float(must["value"]))
        if word in ("ge", "gt"):
            return Interval(low=value, open_low=word == "gt")
        return Interval(high=value, open_high=word == "lt")
    return next((interval for pattern, interval in _SIGNS if pattern.search(text)), None)


def _plain(value: float) -> float:
    return int(value) if value.is_integer() else value


def _bounded(base: Constraint, bounds: Interval) -> Constraint:
    if base.kind == "ints":
        return bounds.ints() or base
    if base.kind == "floats":
        return bounds.floats() or base
    if base.kind in ("tensors", "np_arrays", "jax_arrays"):
        return (
            build_if_possible(base.kind, **{**dict(base.arguments), **bounds.arguments()}) or base
        )
    return base


def values_in(entry: ParameterDescription) -> Constraint | None:
    """The values of ``{'a', 'b'}`` or ``one of 'a', 'b'``; ``None`` for fewer than two."""
    braced = _BRACED.search(entry.type) or _BRACED.search(entry.text)
    if braced is not None:
        try:
            found = [
                ast.literal_eval(part.strip().strip("`")) for part in braced["values"].split(",")
            ]
        except (ValueError, SyntaxError):
            found = []
        if len(found) > 1:
            return one_of(found)
    named = _ONE_OF.search(entry.text)
    if named is not None:
        sentence = re.split(r"\.(?:\s|$)|;|\bdefault", named["values"], maxsplit=1, flags=re.I)[0]
        words = [match["word"] for match in _QUOTED.finditer(sentence)]
        if len(words) > 1:
            return one_of(words)
    return None
