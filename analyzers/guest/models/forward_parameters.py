"""Candidates for a parameter of ``forward``, from its name, its annotation and the layers."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from typing import Any, Callable, Dict, FrozenSet, Iterator, List, Sequence, Tuple

_WHOLE = ("MultiheadAttention", "TransformerEncoderLayer", "TransformerDecoderLayer", "Transformer")
_MOST_LAYERS = 24


@dataclass(frozen=True)
class LayerInput:
    """Input of a layer: ``name`` in the module, and ``shapes`` it may have, likeliest first.

    A shape has numbers and, by name, the axes that are free: ``batch``, ``side``, ``length``.
    ``high`` is the greatest index where the layer looks up, -1 for floating numbers.
    """

    name: str
    shapes: Tuple[Tuple[Any, ...], ...]
    high: int = -1


def layer_inputs_of(module: Any) -> List[LayerInput]:
    """Return what a module's first layers are fed, in order; generic inputs where none says."""
    found: List[LayerInput] = []
    for name, layer in _layers(module):
        found += _needed(name, layer)
        if len(found) >= _MOST_LAYERS:
            break
    return found or [_loose(module)]


def _layers(module: Any, prefix: str = "") -> Iterator[Tuple[str, Any]]:
    known = type(module).__module__.startswith("torch.nn.")
    if known and type(module).__name__ in _NEEDS:
        yield prefix, module
    if known and type(module).__name__ in _WHOLE:
        return
    for name, child in module.named_children():
        yield from _layers(child, f"{prefix}.{name}" if prefix else name)


def _needed(name: str, layer: Any) -> List[LayerInput]:
    try:
        return [
            LayerInput(name, tuple(shapes), high)
            for shapes, high in _NEEDS[type(layer).__name__](layer)
        ]
    except (AttributeError, TypeError):
        return []


def _loose(module: Any) -> LayerInput:
    widths = [each.shape[-1] for each in module.parameters() if getattr(each, "shape", ())]
    width = widths[0] if widths else 8
    shapes = [("batch", width), ("batch", "length", width), ("batch", width, "side", "side")]
    shapes += [("batch", 3, "side", "side"), ("batch", "length"), (width,), ()]
    return LayerInput("", tuple(dict.fromkeys(shapes)))


def _convolution(sides: int, attribute: str = "in_channels") -> Callable[[Any], List[Any]]:
    def needed(layer: Any) -> List[Any]:
        channels = getattr(layer, attribute)
        if not channels:
            return [([("batch", each, *["side"] * sides) for each in (3, 1)], -1)]
        shapes: List[Tuple[Any, ...]] = [("batch", channels, *["side"] * sides)]
        if sides == 1:
            shapes += [("batch", channels, "length"), ("batch", "length", channels)]
        elif sides == 2 and channels == 1:
            shapes.append(("batch", "side", "side"))
        return [(shapes, -1)]

    return needed


def _linear(layer: Any) -> List[Any]:
    width = layer.in_features or 16
    shapes: List[Tuple[Any, ...]] = [("batch", width), ("batch", "length", width)]
    for channels in (1, 3):
        side = round((width / channels) ** 0.5)
        if side > 3 and channels * side * side == width:
            shapes.append(("batch", channels, side, side))
    return [([*shapes, (width,), ("batch", width, "side", "side")], -1)]


def _recurrent(layer: Any) -> List[Any]:
    batched = ("batch", "length") if layer.batch_first else ("length", "batch")
    return [([(*batched, layer.input_size), ("length", layer.input_size)], -1)]


def _cell(layer: Any) -> List[Any]:
    return [([("batch", layer.input_size), ("batch", "length", layer.input_size)], -1)]


def _attention(layer: Any) -> List[Any]:
    attention = next(part for part in layer.modules() if type(part).__name__ == _WHOLE[0])
    axes = ("batch", "length") if attention.batch_first else ("length", "batch")
    return [([(*axes, attention.embed_dim)], -1)]


def _channels(sides: Tuple[int, ...], attribute: str) -> Callable[[Any], List[Any]]:
    def needed(layer: Any) -> List[Any]:
        width = getattr(layer, attribute)
        return [([("batch", width, *["side"] * each) for each in sides], -1)]

    return needed


def _layer_norm(layer: Any) -> List[Any]:
    last = tuple(layer.normalized_shape)
    return [([("batch", "length", *last), ("batch", *last), last], -1)]


_NEEDS: Dict[str, Callable[[Any], List[Any]]] = {
    **{
        f"{kind}{n}d": _convolution(n)
        for kind in ("Conv", "LazyConv", "ConvTranspose", "LazyConvTranspose")
        for n in (1, 2, 3)
    },
    **{f"InstanceNorm{n}d": _channels((n,), "num_features") for n in (1, 2, 3)},
    "BatchNorm1d": _channels((0, 1), "num_features"),
    "BatchNorm2d": _channels((2,), "num_features"),
    "BatchNorm3d": _channels((3,), "num_features"),
    "GroupNorm": _channels((2, 1, 0), "num_channels"),
    "Linear": _linear,
    "NonDynamicallyQuantizableLinear": _linear,
    "LazyLinear": _linear,
    "Bilinear": lambda layer: [
        ([("batch", width)], -1) for width in (layer.in1_features, layer.in2_features)
    ],
    **dict.fromkeys(
        ("Embedding", "EmbeddingBag"),
        lambda layer: [([("batch", "length"), ("batch",), ("length",)], layer.num_embeddings - 1)],
    ),
    **dict.fromkeys(("RNN", "LSTM", "GRU"), _recurrent),
    **dict.fromkeys(("RNNCell", "LSTMCell", "GRUCell"), _cell),
    **dict.fromkeys(("LayerNorm", "RMSNorm"), _layer_norm),
    **dict.fromkeys(_WHOLE, _attention),
}


_AXES = frozenset(("batch", "side", "length"))
_MOST_CANDIDATES = 12
_COMMON = """x input inputs layer layers net model module embed embedding embeddings emb
    features conv fc linear encoder norm proj in out data"""
_GENERIC = frozenset(re.findall("[a-z]+", _COMMON))


@dataclass(frozen=True)
class AxisLengths:
    """Lengths of the free axes."""

    batch: int
    side: int
    length: int


@dataclass(frozen=True)
class ArgumentCandidate:
    """One way to make an argument: its recipe for a size, and the axes that it depends on."""

    text: Callable[[AxisLengths], str]
    axes: FrozenSet[str] = frozenset()

    def __call__(self, size: AxisLengths) -> str:
        """Return the recipe of the argument."""
        return self.text(size)


def candidates(
    parameter: inspect.Parameter, place: int, needs: Sequence[LayerInput]
) -> List[ArgumentCandidate]:
    """Return ways to make the parameter at a place, the likeliest first; few of them."""
    plain = _annotated(parameter)
    if plain:
        return plain
    words = set(_words(parameter.name))
    named: List[ArgumentCandidate] = next((ways for known, ways in _BY_NAME if words & known), [])
    layers = _of_layers(parameter.name, place, needs)
    return [*named, *layers][:_MOST_CANDIDATES]


def _annotated(parameter: inspect.Parameter) -> List[ArgumentCandidate]:
    said = parameter.annotation
    name = said if isinstance(said, str) else getattr(said, "__name__", "")
    found: Dict[str, Sequence[str]] = {
        "int": ("length", "2", "1"),
        "float": ("0.5", "1.0"),
        "bool": ("False", "True"),
        "str": ("'mean'",),
    }
    return [_constant(each) for each in found.get(name, ())]


def _constant(text: str) -> ArgumentCandidate:
    if text == "length":
        return ArgumentCandidate(lambda size: str(size.length), frozenset(("length",)))
    return ArgumentCandidate(lambda _: text)


def _of_layers(name: str, place: int, needs: Sequence[LayerInput]) -> List[ArgumentCandidate]:
    """Return inputs of the layer of the same name, of the one at the same place, then others."""
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


def _tensor(shape: Tuple[Any, ...], high: int, seed: int) -> ArgumentCandidate:
    def text(size: AxisLengths) -> str:
        sizes = tuple(getattr(size, each) if isinstance(each, str) else each for each in shape)
        if high >= 0:
            return f"tensor({sizes!r}, 'int64', seed={seed}, high={high})"
        picture = shape.count("side") > 1
        return f"tensor({sizes!r}, seed={seed}{'' if picture else ', low=-1'})"

    return ArgumentCandidate(
        text, _AXES.intersection(each for each in shape if isinstance(each, str))
    )


def _full(shape: Tuple[str, ...], dtype: str, fill: str) -> ArgumentCandidate:
    def text(size: AxisLengths) -> str:
        sizes = tuple(getattr(size, each) for each in shape)
        value = str(size.length) if fill == "length" else fill
        return f"tensor({sizes!r}, {dtype!r}, {value})"

    return ArgumentCandidate(text, frozenset((*shape, fill)) & _AXES)


def _picture(shape: Tuple[Any, ...]) -> ArgumentCandidate:
    return _tensor(shape, -1, 1)


_NONE = _constant("None")
_SEQUENCE = ("batch", "length")
_BY_NAME: List[Tuple[FrozenSet[str], List[ArgumentCandidate]]] = [
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
            ArgumentCandidate(lambda size: f"tensor({(size.batch,)!r}, 'int64', 1)"),
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
        [ArgumentCandidate(lambda _: "tensor((2, 8), 'int64', seed=1, high=1)")],
    ),
]
