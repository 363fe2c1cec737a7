"""Tables of the layers of a library, one file for each version, and the likeness of layers."""

from __future__ import annotations

import json
import math
import random
import re
import string
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import takewhile
from types import MappingProxyType
from typing import TypeVar

import msgspec

from analyzers.vocabulary import JsonObject
from analyzers.vocabulary.conversion import convert


@dataclass(frozen=True, slots=True)
class Edge:
    """Reaction of the library to a value just outside a legal range.

    ``value`` is its source.  ``refused`` is where it is refused: ``construction``,
    ``forward`` or ``backward``; empty where it is taken silently, and ``consequence`` then
    says what comes of it (``NaN``, ``negative running_var``, ``nothing to be seen``).
    """

    value: str
    refused: str = ""
    consequence: str = ""


@dataclass(frozen=True, slots=True)
class LayerParameter:
    """One parameter of a layer's constructor.

    ``kinds`` are ``int``, ``float``, ``bool``, ``str``, ``ints`` (a tuple of integers; ``int``
    may stand for one of equal integers), ``floats``, ``none``, ``module``, ``dtype``, ``device`` or
    ``other``.  ``low`` and ``high`` are the ends of the legal range (of a tuple: of each
    item), each within it unless ``open_low`` or ``open_high``; ``choices`` the sources of
    all legal values.  ``default`` is a source, empty where a caller has to give it.
    ``said_by`` is ``signature``, ``documentation``, ``error`` (torch's own error inputs),
    ``code`` (a check in the constructor) or ``probing``; ``quote`` the words it rests on.

    ``checked`` tells whether the library itself refuses a value outside (probed); where it
    does not, ``consequence`` is what comes of it (``NaN``, ``negative running_var``), and
    ``edges`` tell it for each value tried.  ``tied``: what the layer is called with has to
    change with it.
    """

    name: str
    kinds: tuple[str, ...]
    default: str = ""
    low: float | None = None
    high: float | None = None
    open_low: bool = False
    open_high: bool = False
    choices: tuple[str, ...] = ()
    length: int | None = None
    said_by: str = "signature"
    quote: str = ""
    checked: bool = True
    consequence: str = ""
    edges: tuple[Edge, ...] = ()
    tied: bool = False


@dataclass(frozen=True, slots=True)
class LayerApi:
    """One layer: ``name`` is its public dotted name (``torch.nn.Conv2d``).

    ``describes`` is the first sentence of its documentation.  ``requires`` are Python
    conditions over its parameters (``in_channels % groups == 0``), where these are numbers.
    ``example`` is a call that works, ``inputs`` the sources of what it is called with then
    (``torch.rand((2, 3, 8, 8))``); ``keeps_shape``: the output then has the input's shape.
    ``container``: it holds other layers, or is made to be derived from.
    """

    name: str
    parameters: tuple[LayerParameter, ...]
    describes: str = ""
    requires: tuple[str, ...] = ()
    example: str = ""
    inputs: tuple[str, ...] = ()
    keeps_shape: bool = False
    container: bool = False

    def parameter(self, name: str) -> LayerParameter | None:
        """Return the parameter of this name."""
        return next((each for each in self.parameters if each.name == name), None)


SCHEMA = "assayer-layers/1"
_NO_LAYERS: Mapping[str, LayerApi] = MappingProxyType({})


class InvalidLayerTableError(Exception):
    """A file that does not say what layers take."""


def load(version: str) -> Mapping[str, LayerApi]:
    """Return the layers of the newest torch up to a version, none where all known are newer."""
    found = loaded(version)
    return _NO_LAYERS if found is None else _read(found)


def loaded(version: str) -> str | None:
    """Return the version of which :func:`load` gives the layers: the newest that is not newer."""
    return next((each for each in reversed(versions()) if _key(each) <= _key(version)), None)


@cache
def versions() -> tuple[str, ...]:
    """Return the versions of torch whose layers are known, from old to new."""
    names = [place.name for place in _folder().iterdir()]
    known = [
        name.removeprefix("torch-").removesuffix(".json")
        for name in names
        if name.startswith("torch-") and name.endswith(".json")
    ]
    return tuple(sorted(known, key=_key))


def read(text: str) -> Mapping[str, LayerApi]:
    """Return the layers that a file's text tells of; raises ``InvalidLayerTableError``."""
    try:
        document = json.loads(text)
        if document["schema"] != SCHEMA:
            raise InvalidLayerTableError(f"its schema is not {SCHEMA}")
        return MappingProxyType({row["name"]: layer(row) for row in document["layers"]})
    except (ValueError, TypeError, KeyError, msgspec.ValidationError) as error:
        raise InvalidLayerTableError(f"{type(error).__name__}: {error}") from error


def layer(row: JsonObject) -> LayerApi:
    """Return one layer of a file; raises ``msgspec.ValidationError`` for what is none."""
    return convert(row, LayerApi)


@cache
def _read(version: str) -> Mapping[str, LayerApi]:
    return read(_folder().joinpath(f"torch-{version}.json").read_text("utf-8"))


def _key(version: str) -> tuple[int, ...]:
    release = version.partition("+")[0].split(".")
    numbers = ["".join(takewhile(string.digits.__contains__, part)) for part in release[:3]]
    return tuple(int(number or 0) for number in [*numbers, "0", "0"][:3])


def _folder() -> Traversable:
    return files("analyzers.assembly").joinpath("data")


Item = TypeVar("Item")


def roulette_choice(choices: Sequence[tuple[Item, float]], rng: random.Random) -> Item | None:
    """Return a choice drawn by weight; ``None`` where all weigh nothing."""
    weights = [max(0.0, weight) for _, weight in choices]
    if not any(weights):
        return None
    return rng.choices([item for item, _ in choices], weights)[0]


_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|[a-z]+|\d+d?")
Vector = Mapping[str, float]
LEAST = 0.02
"""Likeness of a pair with no word and no type in common counts: nothing is out of reach."""


class Similarity:
    """The similarity of each pair of some APIs."""

    def __init__(self, apis: Mapping[str, LayerApi]) -> None:
        self._apis = apis
        self._vectors = _vectors({name: _words(api) for name, api in apis.items()})
        self._rows: dict[str, tuple[tuple[str, float], ...]] = {}

    def of(self, one: str, other: str) -> float:
        """Return how alike two APIs are, from 0 to 1; it depends on the order."""
        definitions = cosine(self._vectors[one], self._vectors[other])
        rate = word_correctness(self._apis[one].parameters, self._apis[other].parameters)
        return (definitions + rate) / 2

    def row(self, one: str) -> tuple[tuple[str, float], ...]:
        """Return all other APIs with their similarity to one, at least :data:`LEAST`."""
        if one not in self._rows:
            others = (other for other in self._apis if other != one)
            self._rows[one] = tuple((other, max(LEAST, self.of(one, other))) for other in others)
        return self._rows[one]


def _words(api: LayerApi) -> list[str]:
    name = api.name.rpartition(".")[2]
    return [word.lower() for word in _WORD.findall(f"{name} {api.describes}")]


def _vectors(texts: Mapping[str, Sequence[str]]) -> dict[str, Vector]:
    seen = Counter(word for words in texts.values() for word in set(words))
    vectors = dict[str, Vector]()
    for name, words in texts.items():
        weights = {
            word: count * (math.log((1 + len(texts)) / (1 + seen[word])) + 1)
            for word, count in Counter(words).items()
        }
        length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        vectors[name] = {word: weight / length for word, weight in weights.items()}
    return vectors


def cosine(one: Vector, other: Vector) -> float:
    """Return the cosine of the angle between two vectors of length 1."""
    return sum(weight * other.get(word, 0.0) for word, weight in one.items())


def word_correctness(
    reference: Sequence[LayerParameter], hypothesis: Sequence[LayerParameter]
) -> float:
    """Return the share of the reference's parameters that an edit of least cost keeps."""
    if not reference:
        return 0.0 if hypothesis else 1.0
    best = [(column, 0) for column in range(len(hypothesis) + 1)]
    for row, wanted in enumerate(reference, 1):
        previous, best = best, [(row, 0)]
        for column, given in enumerate(hypothesis, 1):
            same = wanted.name == given.name or (
                bool(wanted.kinds) and wanted.kinds[:1] == given.kinds[:1]
            )
            cost, kept = previous[column - 1]
            best.append(
                min(
                    (cost + (not same), kept - same),
                    (previous[column][0] + 1, previous[column][1]),
                    (best[column - 1][0] + 1, best[column - 1][1]),
                )
            )
    return -best[-1][1] / len(reference)
