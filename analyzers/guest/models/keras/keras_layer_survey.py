"""The layers of Keras that mutations put into a model, all of them continuous."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, List, Optional, Tuple

from ..mutation.mutation_grammar import is_writable_name, layers_of
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


_LAYERS = (
    *("Activation", "Dense", "LayerNormalization", "BatchNormalization", "RMSNormalization"),
    *("GroupNormalization", "UnitNormalization", "LeakyReLU", "PReLU", "Dropout", "Reshape"),
    *("Flatten", "LSTM", "GRU", "SimpleRNN", "UpSampling2D", "ZeroPadding2D", "Cropping2D"),
)
_SPATIAL = ("Conv{}D", "Conv{}DTranspose", "AveragePooling{}D", "MaxPooling{}D")
MAKEABLE = frozenset(_LAYERS) | frozenset(
    [each.format(axes) for each in _SPATIAL for axes in (1, 2, 3)] + ["DepthwiseConv2D"]
)


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
