"""What a parameter of ``forward`` may be given, by its name, its annotation and the layers."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from typing import Any, Callable, Dict, FrozenSet, List, Sequence, Tuple

from .leading import Need

_AXES = frozenset(("batch", "side", "length"))
_MOST = 12
_COMMON = """x input inputs layer layers net model module embed embedding embeddings emb
    features conv fc linear encoder norm proj in out data"""
_GENERIC = frozenset(re.findall("[a-z]+", _COMMON))


@dataclass(frozen=True)
class Size:
    """How long the free axes are."""

    batch: int
    side: int
    length: int


@dataclass(frozen=True)
class Way:
    """One way to make an argument: its recipe for a size, and the axes that it depends on."""

    text: Callable[[Size], str]
    axes: FrozenSet[str] = frozenset()

    def __call__(self, size: Size) -> str:
        """The recipe of the argument."""
        return self.text(size)


def candidates(parameter: inspect.Parameter, place: int, needs: Sequence[Need]) -> List[Way]:
    """Ways to make the parameter at a place, the likeliest first; few of them."""
    plain = _annotated(parameter)
    if plain:
        return plain
    named = _named(parameter.name)
    layers = _of_layers(parameter.name, place, needs)
    return [*named, *layers][:_MOST]


def _annotated(parameter: inspect.Parameter) -> List[Way]:
    """Ways to make a number or text that the annotation asks for; none for tensors."""
    said = parameter.annotation
    name = said if isinstance(said, str) else getattr(said, "__name__", "")
    found: Dict[str, Sequence[str]] = {
        "int": ("length", "2", "1"),
        "float": ("0.5", "1.0"),
        "bool": ("False", "True"),
        "str": ("'mean'",),
    }
    return [_constant(each) for each in found.get(name, ())]


def _constant(text: str) -> Way:
    if text == "length":
        return Way(lambda size: str(size.length), frozenset(("length",)))
    return Way(lambda _: text)


def _named(name: str) -> List[Way]:
    words = set(_words(name))
    for known, ways in _BY_NAME:
        if words & known:
            return ways
    return []


def _of_layers(name: str, place: int, needs: Sequence[Need]) -> List[Way]:
    """What the layer of the same name is fed, then what the one at the same place is, then others.

    Two parameters of one module are often fed to layers of the same kind, or to the first.
    """
    own = set(_words(name)) - _GENERIC
    akin = [each for each in needs if own & set(_words(each.name))]
    order = [*akin, *needs[place : place + 1], *needs[:1], *needs[1:4]]
    if place == 0 and not akin:
        order = list(needs[:4])
    ways: List[Tuple[Tuple[Any, ...], int]] = []
    for rank in range(4):
        ways += [(each.shapes[rank], each.high) for each in order if rank < len(each.shapes)]
    return [_tensor(shape, high, place + 1) for shape, high in dict.fromkeys(ways)]


def _words(name: str) -> List[str]:
    parts = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", name)
    return [each.lower() for each in parts]


def _tensor(shape: Tuple[Any, ...], high: int, seed: int) -> Way:
    """Random numbers of a shape: indices up to ``high``, in [0, 1] for pictures, else [-1, 1]."""

    def text(size: Size) -> str:
        sizes = tuple(getattr(size, each) if isinstance(each, str) else each for each in shape)
        if high >= 0:
            return f"tensor({sizes!r}, 'int64', seed={seed}, high={high})"
        picture = shape.count("side") > 1
        return f"tensor({sizes!r}, seed={seed}{'' if picture else ', low=-1'})"

    return Way(text, _AXES.intersection(each for each in shape if isinstance(each, str)))


def _full(shape: Tuple[str, ...], dtype: str, fill: str) -> Way:
    """A tensor full of one number, or of the length."""

    def text(size: Size) -> str:
        sizes = tuple(getattr(size, each) for each in shape)
        value = str(size.length) if fill == "length" else fill
        return f"tensor({sizes!r}, {dtype!r}, {value})"

    return Way(text, frozenset((*shape, fill)) & _AXES)


def _picture(shape: Tuple[Any, ...]) -> Way:
    return _tensor(shape, -1, 1)


_NONE = _constant("None")
_SEQUENCE = ("batch", "length")
_BY_NAME: List[Tuple[FrozenSet[str], List[Way]]] = [
    (
        frozenset(("img", "imgs", "image", "images", "pixel", "picture", "pictures")),
        [_picture(("batch", channels, "side", "side")) for channels in (3, 1)],
    ),
    (
        frozenset(("video", "videos", "clip", "clips")),
        [_picture(("batch", 3, "length", "side", "side"))],
    ),
    (
        frozenset(("mask", "masks", "padding")),
        [
            _full(_SEQUENCE, "bool", "True"),
            _full(_SEQUENCE, "float32", "1"),
            _full(_SEQUENCE, "int64", "1"),
            _NONE,
            _full(("length", "length"), "bool", "True"),
            _full(_SEQUENCE, "bool", "False"),
        ],
    ),
    (
        frozenset(("lengths", "lens", "length", "len")),
        [_full(("batch",), "int64", "length"), _constant("length")],
    ),
    (
        frozenset(("hidden", "state", "states", "hx", "h0", "memory", "cache")),
        [_NONE],
    ),
    (
        frozenset(("t", "time", "times", "timestep", "timesteps", "step", "sigma", "noise")),
        [_full(("batch",), "int64", "1"), _full(("batch",), "float32", "0.5"), _constant("1")],
    ),
    (
        frozenset(("label", "labels", "target", "targets", "y", "type", "segment")),
        [
            Way(lambda size: f"tensor({(size.batch,)!r}, 'int64', 1)"),
            _full(_SEQUENCE, "int64", "1"),
        ],
    ),
    (
        frozenset(("positions", "position", "pos")),
        [_full(_SEQUENCE, "int64", "1"), _full(("length",), "int64", "1")],
    ),
    (
        frozenset(("adj", "adjacency")),
        [
            _full(("length", "length"), "float32", "1"),
            _full(("batch", "length", "length"), "float32", "1"),
        ],
    ),
    (
        frozenset(("edge", "edges")),
        [Way(lambda _: "tensor((2, 8), 'int64', seed=1, high=1)")],
    ),
]
