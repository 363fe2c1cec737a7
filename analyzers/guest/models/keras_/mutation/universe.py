"""The layers of Keras that mutations put into a model, all of them continuous."""

from __future__ import annotations

import random
from typing import Any, List, Tuple

from ...mutation.crafting import Inapplicable
from ...mutation.spelling import layer, layers_of
from .surveying import Shape

FUNCTIONS = (
    *("relu", "relu6", "elu", "selu", "celu", "gelu", "silu", "mish", "tanh", "sigmoid"),
    *("softplus", "softsign", "softmax", "log_softmax", "hard_sigmoid", "hard_silu"),
)
"""The universal set of activation functions, by Keras's names."""

_LAYERS = (
    *("Activation", "Dense", "LayerNormalization", "BatchNormalization", "RMSNormalization"),
    *("GroupNormalization", "UnitNormalization", "LeakyReLU", "PReLU", "Dropout", "Reshape"),
    *("Flatten", "LSTM", "GRU", "SimpleRNN", "UpSampling2D", "ZeroPadding2D", "Cropping2D"),
)
_SPATIAL = ("Conv{}D", "Conv{}DTranspose", "AveragePooling{}D", "MaxPooling{}D")
MAKEABLE = frozenset(_LAYERS) | frozenset(
    [each.format(axes) for each in _SPATIAL for axes in (1, 2, 3)] + ["DepthwiseConv2D"]
)
_WIDE = 1024


def replacements() -> List[str]:
    """Activations as layers (rule AFRp)."""
    return [layer("Activation", each) for each in FUNCTIONS]


def additions(shape: Shape) -> List[str]:
    """Layers that give an activation of this shape its shape back (rule LA)."""
    last = shape[-1]
    found = [*replacements(), layer("LeakyReLU"), layer("Dropout", 0.5)]
    if last is None or len(shape) < 2:
        return found
    found += [layer("LayerNormalization"), layer("BatchNormalization"), layer("RMSNormalization")]
    if last <= _WIDE:
        found.append(layer("Dense", last))
    if len(shape) == 3:
        found += [layer(kind, last, return_sequences=True) for kind in ("LSTM", "GRU", "SimpleRNN")]
    if 3 <= len(shape) <= 5:
        found += _spatial(len(shape) - 2, last)
    return found


def _spatial(axes: int, channels: int) -> List[str]:
    same = {"padding": "same"}
    found = [
        layer(f"Conv{axes}D", channels, 3, **same),
        layer(f"Conv{axes}D", channels, 3, dilation_rate=2, **same),
        layer(f"Conv{axes}DTranspose", channels, 3, **same),
        layer(f"AveragePooling{axes}D", 3, strides=1, **same),
        layer(f"MaxPooling{axes}D", 3, strides=1, **same),
        layer("GroupNormalization", 1),
    ]
    return [*found, layer("DepthwiseConv2D", 3, **same)] if axes == 2 else found


def bundle(shape: Shape, rng: random.Random) -> List[str]:
    """A layer that changes the shape, up to two that keep it, and one that undoes it (MLA)."""
    last = shape[-1]
    if last is None or last > _WIDE or len(shape) < 2:
        return []
    width = rng.choice((3, 8, 16, 33))
    opened = [(layer("Dense", width), layer("Dense", last), (*shape[:-1], width))]
    sizes = shape[1:]
    if len(shape) > 2 and None not in sizes:
        count = 1
        for size in sizes:
            count *= size or 1
        opened.append((layer("Flatten"), layer("Reshape", sizes), (shape[0], count)))
    if len(shape) == 4:
        opened += _planes(shape, last)
    first, end, between = rng.choice(opened)
    return [first, *(rng.choice(additions(between)) for _ in range(rng.randrange(3))), end]


def _planes(shape: Shape, last: int) -> List[Tuple[str, str, Shape]]:
    """Layers of images whose sizes another layer gives back."""
    if shape[1] is None or shape[2] is None:
        return []
    padded = (shape[0], shape[1] + 2, shape[2] + 2, last)
    doubled = (shape[0], shape[1] * 2, shape[2] * 2, last)
    return [
        (layer("ZeroPadding2D", 1), layer("Conv2D", last, 3), padded),
        (layer("UpSampling2D", 2), layer("AveragePooling2D", 2), doubled),
        (layer("UpSampling2D", 2, interpolation="bilinear"), layer("MaxPooling2D", 2), doubled),
    ]


def crafted(detail: str, seed: int) -> List[Any]:
    """The layers of a mutation's detail; their weights are drawn from ``seed`` once built.

    Raises :class:`Inapplicable` for what Keras lacks or refuses.
    """
    import keras  # type: ignore[import-untyped]

    made = layers_of(detail)
    unknown = [each.kind for each in made if each.kind not in MAKEABLE]
    if unknown:
        raise Inapplicable(f"{unknown[0]} is no layer to put in")
    keras.utils.set_random_seed(seed)
    try:
        return [getattr(keras.layers, each.kind)(*each.arguments, **each.keywords) for each in made]
    except Exception as error:
        raise Inapplicable(f"keras.layers: {error}") from error
