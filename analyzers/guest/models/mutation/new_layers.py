"""The layers that mutations put into a model; all are continuous, so that rounding stays small."""

from __future__ import annotations

import math
import random
from functools import cache
from typing import Any, Callable, List, Sequence, Tuple

from .mutation_grammar import layer, layers_of

Shape = Tuple[int, ...]

REPLACEMENTS: Sequence[str] = (
    "ReLU()",
    "ReLU6()",
    "LeakyReLU(0.1)",
    "PReLU()",
    "RReLU()",
    "ELU()",
    "SELU()",
    "CELU(0.5)",
    "GELU()",
    "GELU(approximate='tanh')",
    "SiLU()",
    "Mish()",
    "Hardswish()",
    "Hardtanh()",
    "Hardsigmoid()",
    "Sigmoid()",
    "Tanh()",
    "Softplus()",
    "Softplus(beta=2.0, threshold=5.0)",
    "Softsign()",
    "Tanhshrink()",
    "Softshrink()",
    "LogSigmoid()",
    "Softmax(dim=-1)",
    "Softmin(dim=-1)",
    "LogSoftmax(dim=-1)",
)
"""The universal set of activation functions (rule AFRp)."""
ACTIVATIONS = frozenset(["Hardshrink", "Threshold", *(it.split("(")[0] for it in REPLACEMENTS)])
"""Layers that are activation functions."""

_SPATIAL = ("Conv", "ConvTranspose", "BatchNorm", "InstanceNorm", "AvgPool", "MaxPool")
MAKEABLE = (
    ACTIVATIONS
    | {f"{kind}{axes}d" for kind in (*_SPATIAL, "AdaptiveAvgPool") for axes in (1, 2, 3)}
    | {"Linear", "LayerNorm", "RMSNorm", "GroupNorm", "LocalResponseNorm", "Dropout", "Identity"}
    | {"ChannelShuffle", "Flatten", "Unflatten", "Upsample", "PixelShuffle", "PixelUnshuffle"}
    | {"ZeroPad2d", "ReflectionPad2d", "ReplicationPad2d", "LPPool2d", "ConstantPad1d"}
)
"""The kinds of torch.nn that a mutation may make."""

_WIDE = 1024
_DEAR = 2**26
_MODES = {3: "linear", 4: "bilinear", 5: "trilinear"}


def shape_preserving_layers(shape: Shape) -> List[str]:
    """Return layers that give an activation of this shape its shape back (rule LA)."""
    found = [*REPLACEMENTS, layer("Dropout", 0.5), *_flat(shape)]
    if len(shape) in _MODES:
        found += _spatial(shape, len(shape) - 2)
    if len(shape) == 4:
        found.append(layer("LocalResponseNorm", 3))
        if _divisor(shape[1]) > 1:
            found.append(layer("ChannelShuffle", _divisor(shape[1])))
    return found


def _flat(shape: Shape) -> List[str]:
    last = shape[-1]
    found = [layer("LayerNorm", last), layer("RMSNorm", last)] if last > 1 else []
    if last <= _WIDE and _cost(shape, last) <= _DEAR:
        found += [layer("Linear", last, last), layer("Linear", last, last, bias=False)]
    if len(shape) == 2:
        found.append(layer("BatchNorm1d", last))
    return found


def _spatial(shape: Shape, axes: int) -> List[str]:
    channels = shape[1]
    found = [layer(f"BatchNorm{axes}d", channels)]
    found.append(layer(f"AdaptiveAvgPool{axes}d", shape[2:] if axes > 1 else shape[2]))
    if math.prod(shape[2:]) > 1:
        found.append(layer(f"InstanceNorm{axes}d", channels, affine=True))
        found += [layer("GroupNorm", group, channels) for group in {1, _divisor(channels)}]
        found.append(layer(f"AvgPool{axes}d", 3, stride=1, padding=1))
        found.append(layer(f"AvgPool{axes}d", 3, stride=1, padding=1, count_include_pad=False))
        found.append(layer(f"MaxPool{axes}d", 3, stride=1, padding=1))
    if _cost(shape, channels * 5**axes) <= _DEAR:
        found += _convolutions(channels, axes)
    return found


def _convolutions(channels: int, axes: int) -> List[str]:
    kind, turned = f"Conv{axes}d", f"ConvTranspose{axes}d"
    return [
        layer(kind, channels, channels, 1),
        layer(kind, channels, channels, 3, padding=1),
        layer(kind, channels, channels, 5, padding=2, bias=False),
        layer(kind, channels, channels, 3, padding=1, groups=channels),
        layer(kind, channels, channels, 3, padding=2, dilation=2),
        layer(kind, channels, channels, 3, padding="same", groups=_divisor(channels)),
        layer(turned, channels, channels, 3, padding=1),
    ]


def _cost(shape: Shape, each: int) -> int:
    return math.prod(shape) * each


def _divisor(channels: int) -> int:
    return next((each for each in (4, 2, 3, 5, 7) if channels % each == 0), 1)


Opened = Tuple[str, str, Shape]
"""A layer that changes a shape, one that changes it back, and the shape between."""


def layer_bundle(shape: Shape, rng: random.Random) -> List[str]:
    """Return layers that change a shape, may keep it, and change it back (rule MLA), or none."""
    openings: List[Callable[[Shape, random.Random], List[Opened]]] = [_narrowed]
    if len(shape) in _MODES:
        openings += [_channelled, _shrunk]
    if len(shape) == 4:
        openings += [_padded, _rearranged]
    if len(shape) > 2:
        openings.append(_flattened)
    opened = [each for opening in openings for each in opening(shape, rng)]
    if not opened:
        return []
    first, last, between = rng.choice(opened)
    count = rng.randrange(3)
    kept = [rng.choice(shape_preserving_layers(between)) for _ in range(count)]
    return [first, *kept, last]


def _narrowed(shape: Shape, rng: random.Random) -> List[Opened]:
    last = shape[-1]
    width = rng.choice((3, 8, 16, 33))
    if _cost(shape, width) > _DEAR:
        return []
    between = (*shape[:-1], width)
    return [(layer("Linear", last, width), layer("Linear", width, last), between)]


def _channelled(shape: Shape, rng: random.Random) -> List[Opened]:
    axes, channels = len(shape) - 2, shape[1]
    width = rng.choice((2, 4, 8, 16))
    if _cost(shape, width * 3**axes) > _DEAR:
        return []
    between = (shape[0], width, *shape[2:])
    kind = f"Conv{axes}d"
    wide = layer(kind, channels, width, 3, padding=1)
    narrow = layer(kind, width, channels, 1)
    turned = layer(f"ConvTranspose{axes}d", width, channels, 3, padding=1)
    return [(wide, narrow, between), (layer(kind, channels, width, 1), turned, between)]


def _shrunk(shape: Shape, rng: random.Random) -> List[Opened]:
    axes, sizes = len(shape) - 2, shape[2:]
    if min(sizes) < 4:
        return []
    pool = rng.choice((f"MaxPool{axes}d", f"AvgPool{axes}d"))
    between = (*shape[:2], *(size // 2 for size in sizes))
    size = sizes if axes > 1 else sizes[0]
    return [
        (layer(pool, 2), layer("Upsample", size=size), between),
        (layer(pool, 2), layer("Upsample", size=size, mode=_MODES[len(shape)]), between),
    ]


def _padded(shape: Shape, rng: random.Random) -> List[Opened]:
    batch, channels, height, width = shape
    if min(height, width) < 3:
        return []
    pad = rng.choice(("ZeroPad2d", "ReflectionPad2d", "ReplicationPad2d"))
    between = (batch, channels, height + 2, width + 2)
    closing = [layer("AvgPool2d", 3, stride=1), layer("MaxPool2d", 3, stride=1)]
    if _cost(shape, channels * 9) <= _DEAR:
        closing.append(layer("Conv2d", channels, channels, 3))
    return [(layer(pad, 1), last, between) for last in closing]


def _rearranged(shape: Shape, _rng: random.Random) -> List[Opened]:
    batch, channels, height, width = shape
    found: List[Opened] = []
    if height % 2 == 0 and width % 2 == 0:
        between = (batch, channels * 4, height // 2, width // 2)
        found.append((layer("PixelUnshuffle", 2), layer("PixelShuffle", 2), between))
    if channels % 4 == 0:
        between = (batch, channels // 4, height * 2, width * 2)
        found.append((layer("PixelShuffle", 2), layer("PixelUnshuffle", 2), between))
    return found


def _flattened(shape: Shape, _rng: random.Random) -> List[Opened]:
    features = math.prod(shape[1:])
    if features > _WIDE * 8:
        return []
    between = (shape[0], features)
    return [(layer("Flatten", 1), layer("Unflatten", 1, shape[1:]), between)]


class MutationInapplicable(Exception):  # noqa: N818 - a limit, not an error
    """A mutation cannot be made of a model; says why."""


def build_layers(detail: str, seed: int) -> Any:
    """Return a detail's layers, weights by seed; raises :class:`MutationInapplicable`."""
    import torch

    layers = layers_of(detail)
    unknown = [made.kind for made in layers if made.kind not in MAKEABLE]
    if unknown:
        raise MutationInapplicable(f"{unknown[0]} is no layer to put in")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        try:
            made = [
                getattr(torch.nn, each.kind)(*each.arguments, **each.keywords).eval()
                for each in layers
            ]
        except (TypeError, ValueError, RuntimeError, AttributeError) as error:
            raise MutationInapplicable(f"{detail}: {error}") from error
    return made[0] if len(made) == 1 else torch.nn.Sequential(*made).eval()


def passing() -> Any:
    """Return what stands where a layer was: gives its input, as a tensor of its own."""
    return _removed()()


@cache
def _removed() -> Callable[[], Any]:
    import torch

    class Removed(torch.nn.Module):  # type: ignore[misc]
        def forward(self, value: Any) -> Any:
            return value.clone()

    return Removed


def is_removed(module: Any) -> bool:
    """Return whether a layer was removed here."""
    return type(module) is _removed()
