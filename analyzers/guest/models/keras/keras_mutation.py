"""Mutations of a Keras model: which there are, and the model after them.

A mutant is a clone of the model's graph in which some layers are passed by, followed by
others, or made otherwise; weights are those of the model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from ..model_types import ModelUnderTest, Mutation
from ..mutation.mutation_grammar import (
    ADDITION,
    BLOCKING,
    BUNDLE,
    COPY,
    DEACTIVATION,
    EXCHANGE,
    FUZZING,
    INNER,
    INVERSION,
    REACTIVATION,
    REMOVAL,
    RULES,
    SHUFFLING,
    SWITCH,
    is_writable_name,
    layers_of,
)
from ..mutation.neuron_rules import SHARE, SPREAD
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
    """Return the model as a functional one; may raise :class:`MutationInapplicable`."""
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

    Raises :class:`MutationInapplicable` for what Keras lacks or refuses.
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


Axes = Tuple[int, int]


def mutate_keras_neurons(layer: Any, mutation: Mutation) -> None:
    """Give a layer its weights after the mutation; raises :class:`MutationInapplicable`."""
    import numpy

    own = {str(each.name): each for each in layer.trainable_weights}
    variable = own.get(mutation.detail)
    if variable is None:
        raise MutationInapplicable(f"{mutation.layer} has no weight {mutation.detail}")
    rng = numpy.random.default_rng(mutation.seed)
    value = numpy.array(variable.numpy())
    axes = _axes(layer, value.ndim)
    changed = _RULES[mutation.rule](value, axes, rng)
    variable.assign(changed.astype(value.dtype))
    bias = own.get("bias")
    if mutation.rule == INVERSION and bias is not None and mutation.detail == "kernel":
        _invert_bias(bias, value.shape[axes[0]], mutation.seed)


def _axes(layer: Any, rank: int) -> Axes:
    """Return along which axes its neurons lie, and those that feed them."""
    if rank == 1:
        return 0, 0
    kind = type(layer).__name__
    if kind.startswith("DepthwiseConv"):
        return rank - 2, rank - 2
    return (rank - 2, rank - 1) if kind.endswith("Transpose") else (rank - 1, rank - 2)


def _chosen(count: int, rng: Any, least: int = 1) -> Any:
    if count < least:
        raise MutationInapplicable(f"{count} neurons are too few")
    return rng.permutation(count)[: max(least, round(count * SHARE))]


def _rule(
    change: Callable[[Any, Any, Any], None], axis: int, least: int = 1
) -> Callable[[Any, Axes, Any], Any]:
    """Return a rule that changes the rows of some neurons, which lie along one of the axes."""

    def changed(value: Any, axes: Axes, rng: Any) -> Any:
        import numpy

        moved = numpy.moveaxis(value.copy(), axes[axis], 0)
        change(moved, _chosen(moved.shape[0], rng, least), rng)
        return numpy.moveaxis(moved, 0, axes[axis])

    return changed


def _fuzz(weights: Any, rows: Any, rng: Any) -> None:
    import numpy

    spread = float(weights.std()) if weights.size > 1 else float(numpy.abs(weights).max())
    weights[rows] += rng.standard_normal(weights[rows].shape) * spread * SPREAD


def _shuffle(weights: Any, rows: Any, rng: Any) -> None:
    if weights[0].size < 2:
        raise MutationInapplicable("one weight alone cannot be shuffled")
    for row in rows:
        weights[row] = rng.permutation(weights[row].ravel()).reshape(weights[row].shape)


def _invert(weights: Any, rows: Any, _rng: Any) -> None:
    weights[rows] = -weights[rows]


def _block(weights: Any, rows: Any, _rng: Any) -> None:
    weights[rows] = 0.0


def _exchange(weights: Any, rows: Any, _rng: Any) -> None:
    import numpy

    weights[rows] = weights[numpy.roll(rows, 1)]


def _invert_bias(bias: Any, count: int, seed: int) -> None:
    """Change the sign of the biases of the neurons whose kernels were inverted."""
    import numpy

    value = numpy.array(bias.numpy())
    if value.shape == (count,):
        rows = _chosen(count, numpy.random.default_rng(seed))
        value[rows] = -value[rows]
        bias.assign(value)


_RULES: Mapping[str, Callable[[Any, Axes, Any], Any]] = {
    FUZZING: _rule(_fuzz, 0),
    SHUFFLING: _rule(_shuffle, 0),
    INVERSION: _rule(_invert, 0),
    BLOCKING: _rule(_block, 1),
    EXCHANGE: _rule(_exchange, 1, least=2),
}

FITS: Mapping[str, Callable[[SurveyedKerasLayer], bool]] = {
    **dict.fromkeys(INNER, lambda each: bool(each.weights)),
    REMOVAL: lambda each: each.keeps,
    COPY: lambda each: each.keeps,
    SWITCH: lambda each: each.given is not None,
    ADDITION: lambda each: each.gives is not None,
    BUNDLE: lambda each: each.gives is not None,
    DEACTIVATION: lambda each: each.activates,
    REACTIVATION: lambda each: each.activates,
}
"""What a rule asks of a layer."""


def apply_keras_mutations(model: ModelUnderTest, mutations: Sequence[Mutation]) -> ModelUnderTest:
    """Return the model after the mutations, one after another; the model given stays as it was.

    Raises :class:`MutationInapplicable` where a mutation has no place in the model, keeps no shape,
    or leaves a model that does not run.
    """
    module = model.module
    for mutation in mutations:
        module = _applied(functional(module, model.inputs), mutation)
    return ModelUnderTest(module, model.inputs, model.keywords, model.framework)


def _applied(model: Any, mutation: Mutation) -> Any:
    known = {each.name: each for each in survey_keras_layers(model)}
    names = [mutation.layer, *([mutation.detail] if mutation.rule == SWITCH else [])]
    for name in names:
        if name not in known or not FITS[mutation.rule](known[name]):
            raise MutationInapplicable(f"{RULES[mutation.rule]} is not for {name}")
    one, other = known[names[0]], known[names[-1]]
    if (one.given, one.gives) != (other.given, other.gives):
        raise MutationInapplicable(f"{names[0]} and {names[1]} differ in their shapes")
    try:
        return _Clone(model, mutation, one, other).made()
    except MutationInapplicable:
        raise
    except Exception as error:
        raise MutationInapplicable(f"the mutant is not made: {error}") from error


class _Clone:
    """One clone of a graph, changed at ``one`` layer (for a switch, at ``other``, too)."""

    def __init__(
        self, model: Any, mutation: Mutation, one: SurveyedKerasLayer, other: SurveyedKerasLayer
    ) -> None:
        self._model, self._mutation = model, mutation
        self._one, self._other = one, other
        self._weights: Dict[int, Any] = {}
        self._clones: List[Any] = []

    def made(self) -> Any:
        """Return the mutant, with the model's weights."""
        import keras

        clone = keras.models.clone_model(
            self._model, clone_function=self._cloned, call_function=self._called
        )
        for each in self._clones:
            if each.built:  # one that is passed by has none
                each.set_weights(self._weights[id(each)])
        if self._mutation.rule in INNER:
            mutate_keras_neurons(clone.get_layer(self._one.name), self._mutation)
        return clone

    def _cloned(self, layer: Any) -> Any:
        """Return a layer of the same configuration, but for what is changed."""
        source = layer
        if self._mutation.rule == SWITCH and layer in (self._one.layer, self._other.layer):
            source = self._other.layer if layer is self._one.layer else self._one.layer
        config = source.get_config()
        if layer is self._one.layer and self._has_activation:
            config["activation"] = self._activation()
        return self._remade(source, {**config, "name": layer.name})

    def _remade(self, source: Any, config: Dict[str, Any]) -> Any:
        clone = type(source).from_config(config)
        self._weights[id(clone)] = source.get_weights()
        self._clones.append(clone)
        return clone

    @property
    def _has_activation(self) -> bool:
        """Return whether the activation that goes is part of a layer."""
        apart = type(self._one.layer).__name__ in ACTIVATIONS
        return self._mutation.rule in (DEACTIVATION, REACTIVATION) and not apart

    def _activation(self) -> str:
        if self._mutation.rule == DEACTIVATION:
            return "linear"
        made = layers_of(self._mutation.detail)[0]
        if made.kind != "Activation":
            raise MutationInapplicable(f"{made.kind} is no activation by name")
        return str(made.arguments[0])

    def _called(self, layer: Any, *args: Any, **kwargs: Any) -> Any:
        rule = self._mutation.rule
        if rule == SWITCH and layer.name in (self._one.name, self._other.name):
            return layer(*args)  # the other's masks and the like are not its own
        if layer.name != self._one.name:
            return layer(*args, **kwargs)
        if not self._has_activation:
            if rule in (REMOVAL, DEACTIVATION):
                return args[0]
            if rule == REACTIVATION:
                return self._through(args[0])
        value = layer(*args, **kwargs)
        if rule == COPY:
            named = {**layer.get_config(), "name": f"{layer.name}_copy"}
            return self._remade(self._one.layer, named)(value)
        return self._through(value) if rule in (ADDITION, BUNDLE) else value

    def _through(self, value: Any) -> Any:
        given = value.shape
        for number, each in enumerate(
            build_keras_layers(self._mutation.detail, self._mutation.seed)
        ):
            each.name = f"{self._one.name}_{self._mutation.rule.lower()}{number}"
            value = each(value)
        if value.shape != given:
            raise MutationInapplicable(f"{self._mutation.detail} makes {value.shape} of {given}")
        return value
