"""The layers of Keras that mutations put into a model, all of them continuous."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, List, Optional, Tuple

from ..mutation.mutation_grammar import is_writable_name, layer, layers_of
from ..mutation.new_layers import MutationInapplicable

Shape = Tuple[Optional[int], ...]
ACTIVATIONS = ("Activation", "ReLU", "LeakyReLU", "PReLU", "ELU", "Softmax")
_INPUT = "InputLayer"


@dataclass(frozen=True)
class SurveyedKerasLayer:
    """A layer of a model: the shapes of its one input and one output, else ``None``.

    ``given`` and ``gives`` leave the batch open.  ``weights`` are its own floating weights by
    name, without biases and statistics.
    """

    name: str
    layer: Any
    given: Optional[Shape]
    gives: Optional[Shape]
    weights: Tuple[str, ...]

    @property
    def keeps(self) -> bool:
        """Return whether output and input have one shape."""
        return self.gives is not None and self.given == self.gives

    @property
    def activates(self) -> bool:
        """Return whether it is, or has, an activation function."""
        is_one = type(self.layer).__name__ in ACTIVATIONS and self.keeps
        return is_one or self.activation not in ("", "linear")

    @property
    def activation(self) -> str:
        """The name of the activation function that it has; empty without one."""
        found = getattr(self.layer, "activation", None)
        return str(getattr(found, "__name__", ""))


def functional(module: Any, inputs: Tuple[Any, ...]) -> Any:
    """Return the model as a functional one; raises :class:`Inapplicable` for one that is none."""
    import keras  # type: ignore[import-untyped]

    if type(module).__name__ not in ("Sequential", "Functional"):
        raise MutationInapplicable("it is neither a Sequential nor a functional model")
    if not module.built:
        module(*inputs)
    if not isinstance(module, keras.Sequential):
        return module
    try:
        return keras.Model(module.inputs, module.outputs, name=module.name)
    except Exception as error:
        raise MutationInapplicable(f"its layers make no graph: {error}") from error


def survey_keras_layers(model: Any) -> List[SurveyedKerasLayer]:
    """Return the layers of a functional model that a mutation can name."""
    layers = [each for each in model.layers if type(each).__name__ != _INPUT]
    return [_surveyed(each) for each in layers if is_writable_name(each.name)]


def _surveyed(layer: Any) -> SurveyedKerasLayer:
    given, gives = _shapes(layer)
    return SurveyedKerasLayer(layer.name, layer, given, gives, tuple(weights_of(layer)))


def _shapes(layer: Any) -> Tuple[Optional[Shape], Optional[Shape]]:
    nodes = layer._inbound_nodes
    if len(nodes) != 1 or len(nodes[0].input_tensors) != 1 or len(nodes[0].output_tensors) != 1:
        return None, None
    tensors = (nodes[0].input_tensors[0], nodes[0].output_tensors[0])
    if any(not str(each.dtype).startswith(("float", "bfloat")) for each in tensors):
        return None, None
    one, other = (tuple(each.shape) for each in tensors)
    return one, other


def weights_of(layer: Any) -> List[str]:
    """Return the names of a layer's own trainable floating weights but the biases."""
    own = [each for each in layer.trainable_weights if "float" in str(each.dtype)]
    names = [str(each.name) for each in own]
    return [name for name in names if "bias" not in name and names.count(name) == 1]


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
    """Return activations as layers (rule AFRp)."""
    return [layer("Activation", each) for each in FUNCTIONS]


def additions(shape: Shape) -> List[str]:
    """Return layers that give an activation of this shape its shape back (rule LA)."""
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
    """Return layers of images whose sizes another layer gives back."""
    if shape[1] is None or shape[2] is None:
        return []
    padded = (shape[0], shape[1] + 2, shape[2] + 2, last)
    doubled = (shape[0], shape[1] * 2, shape[2] * 2, last)
    return [
        (layer("ZeroPadding2D", 1), layer("Conv2D", last, 3), padded),
        (layer("UpSampling2D", 2), layer("AveragePooling2D", 2), doubled),
        (layer("UpSampling2D", 2, interpolation="bilinear"), layer("MaxPooling2D", 2), doubled),
    ]


def build_keras_layers(detail: str, seed: int) -> List[Any]:
    """Return the layers of a mutation's detail; their weights are drawn from ``seed`` once built.

    Raises :class:`Inapplicable` for what Keras lacks or refuses.
    """
    import keras

    made = layers_of(detail)
    unknown = [each.kind for each in made if each.kind not in MAKEABLE]
    if unknown:
        raise MutationInapplicable(f"{unknown[0]} is no layer to put in")
    keras.utils.set_random_seed(seed)
    try:
        return [getattr(keras.layers, each.kind)(*each.arguments, **each.keywords) for each in made]
    except Exception as error:
        raise MutationInapplicable(f"keras.layers: {error}") from error
