"""What the layers of a module are fed: the shapes and dtypes that they are made for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, List, Sequence, Tuple

_WHOLE = ("MultiheadAttention", "TransformerEncoderLayer", "TransformerDecoderLayer", "Transformer")
_MOST = 24


@dataclass(frozen=True)
class Need:
    """What a layer is fed: ``name`` in the module, and ``shapes`` it may have, likeliest first.

    A shape has numbers and, by name, the axes that are free: ``batch``, ``side``, ``length``.
    ``high`` is the greatest index where the layer looks up, -1 for floating numbers.
    """

    name: str
    shapes: Tuple[Tuple[Any, ...], ...]
    high: int = -1


def needs_of(module: Any) -> List[Need]:
    """What the first layers of a module are fed, in the order in which they are registered.

    A module without a layer that says is thought to take vectors as long as an axis of its
    first parameters, sequences of them, or pictures.
    """
    found: List[Need] = []
    for name, layer in _layers(module):
        found += _needed(name, layer)
        if len(found) >= _MOST:
            break
    return found or [_loose(module)]


def _layers(module: Any, prefix: str = "") -> Iterator[Tuple[str, Any]]:
    """The layers of a module from its first; attention and the like count as one."""
    known = type(module).__module__.startswith("torch.nn.")
    if known and type(module).__name__ in _NEEDS:
        yield prefix, module
    if known and type(module).__name__ in _WHOLE:
        return
    for name, child in module.named_children():
        yield from _layers(child, f"{prefix}.{name}" if prefix else name)


def _needed(name: str, layer: Any) -> List[Need]:
    try:
        return [
            Need(name, tuple(shapes), high) for shapes, high in _NEEDS[type(layer).__name__](layer)
        ]
    except (AttributeError, TypeError):
        return []


def _loose(module: Any) -> Need:
    widths = [each.shape[-1] for each in module.parameters() if getattr(each, "shape", ())]
    width = widths[0] if widths else 8
    shapes = [("batch", width), ("batch", "length", width), ("batch", width, "side", "side")]
    shapes += [("batch", 3, "side", "side"), ("batch", "length"), (width,), ()]
    return Need("", tuple(dict.fromkeys(shapes)))


Shapes = Sequence[Tuple[Any, ...]]


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


def _bilinear(layer: Any) -> List[Any]:
    return [([("batch", width)], -1) for width in (layer.in1_features, layer.in2_features)]


def _embedding(layer: Any) -> List[Any]:
    return [([("batch", "length"), ("batch",), ("length",)], layer.num_embeddings - 1)]


def _recurrent(layer: Any) -> List[Any]:
    batched = ("batch", "length") if layer.batch_first else ("length", "batch")
    return [([(*batched, layer.input_size), ("length", layer.input_size)], -1)]


def _cell(layer: Any) -> List[Any]:
    return [([("batch", layer.input_size), ("batch", "length", layer.input_size)], -1)]


def _attention(layer: Any) -> List[Any]:
    return [(_sequences(layer.embed_dim, layer.batch_first), -1)]


def _transforming(layer: Any) -> List[Any]:
    attention = next(part for part in layer.modules() if type(part).__name__ == _WHOLE[0])
    return [(_sequences(attention.embed_dim, attention.batch_first), -1)]


def _sequences(width: int, batch_first: bool) -> Shapes:
    return [("batch", "length", width) if batch_first else ("length", "batch", width)]


def _channels(sides: Tuple[int, ...], attribute: str) -> Callable[[Any], List[Any]]:
    def needed(layer: Any) -> List[Any]:
        width = getattr(layer, attribute)
        return [([("batch", width, *["side"] * each) for each in sides], -1)]

    return needed


def _layer_norm(layer: Any) -> List[Any]:
    last = tuple(layer.normalized_shape)
    return [([("batch", "length", *last), ("batch", *last), last], -1)]


_NEEDS: Dict[str, Callable[[Any], List[Any]]] = {
    **{f"{kind}Conv{n}d": _convolution(n) for kind in ("", "Lazy") for n in (1, 2, 3)},
    **{f"{kind}ConvTranspose{n}d": _convolution(n) for kind in ("", "Lazy") for n in (1, 2, 3)},
    **{f"InstanceNorm{n}d": _channels((n,), "num_features") for n in (1, 2, 3)},
    "BatchNorm1d": _channels((0, 1), "num_features"),
    "BatchNorm2d": _channels((2,), "num_features"),
    "BatchNorm3d": _channels((3,), "num_features"),
    "GroupNorm": _channels((2, 1, 0), "num_channels"),
    "Linear": _linear,
    "NonDynamicallyQuantizableLinear": _linear,
    "LazyLinear": _linear,
    "Bilinear": _bilinear,
    "Embedding": _embedding,
    "EmbeddingBag": _embedding,
    "RNN": _recurrent,
    "LSTM": _recurrent,
    "GRU": _recurrent,
    "RNNCell": _cell,
    "LSTMCell": _cell,
    "GRUCell": _cell,
    "LayerNorm": _layer_norm,
    "RMSNorm": _layer_norm,
    **dict.fromkeys(_WHOLE[:1], _attention),
    **dict.fromkeys(_WHOLE[1:], _transforming),
}
