"""Mutations of a model: those that fit, and the model after them."""

from __future__ import annotations

import copy
import random
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Set, Tuple

from ..model_types import ModelUnderTest, Mutation
from .layered_model import copy_sharing_tensors, with_functions_as_layers
from .mutation_grammar import (
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
    SEEDS,
    SHUFFLING,
    SWITCH,
    is_writable_name,
)
from .new_layers import (
    ACTIVATIONS,
    REPLACEMENTS,
    MutationInapplicable,
    build_layers,
    is_removed,
    layer_bundle,
    passing,
    shape_preserving_layers,
)

_TURNED = ("ConvTranspose", "LazyConvTranspose", "Embedding")


@dataclass(frozen=True)
class Weight:
    """A weight of a layer.

    ``neurons`` is the axis along which the layer's own neurons lie, ``before`` that of the
    neurons that feed them (the same where each has one), ``bias`` the name of the
    neurons' bias, if there is one.
    """

    name: str
    neurons: int
    before: int
    bias: Optional[str] = None


def weights(module: Any) -> Dict[str, Weight]:
    """Return the weights that a module holds itself, by name: its floating tensors but biases."""
    turned = type(module).__name__.startswith(_TURNED)
    own = module.__dict__["_parameters"]
    found = {}
    for name, tensor in own.items():
        if tensor is None or not tensor.is_floating_point() or not tensor.numel():
            continue
        if "bias" in name or not name.isidentifier() or not tensor.dim():
            continue
        before = 0 if turned or tensor.dim() == 1 else 1
        neurons = 1 if turned and tensor.dim() > 1 else 0
        found[name] = Weight(name, neurons, before, _bias(own, name, int(tensor.shape[neurons])))
    return found


def _bias(own: Any, name: str, size: int) -> Optional[str]:
    bias = name.replace("weight", "bias")
    tensor = own.get(bias) if bias != name else None
    fits = tensor is not None and tensor.dim() == 1 and int(tensor.shape[0]) == size
    return bias if fits else None


SHARE = 0.3
"""The share of a layer's neurons that a rule changes, at least one."""
SPREAD = 0.5
"""The noise of GF, in standard deviations of the layer's weights."""

Tensors = Dict[int, Any]


def mutate_neurons(module: Any, mutation: Mutation) -> Tensors:
    """Return a layer's tensors by ``id`` once mutated; raises :class:`MutationInapplicable`."""
    import torch

    weight = weights(module).get(mutation.detail)
    if weight is None:
        raise MutationInapplicable(f"{mutation.layer} has no weight {mutation.detail}")
    own = module.__dict__["_parameters"]
    generator = torch.Generator().manual_seed(mutation.seed)
    with torch.no_grad():
        made = _RULES[mutation.rule](own, weight, generator)
    return {
        id(own[name]): torch.nn.Parameter(value, requires_grad=own[name].requires_grad)
        for name, value in made.items()
    }


def _chosen(count: int, generator: Any, least: int = 1) -> Any:
    import torch

    if count < least:
        raise MutationInapplicable(f"{count} neurons are too few")
    return torch.randperm(count, generator=generator)[: max(least, round(count * SHARE))]


def _fuzzed(own: Mapping[str, Any], weight: Weight, generator: Any) -> Dict[str, Any]:
    import torch

    value = own[weight.name].detach().clone()
    rows = _chosen(value.shape[weight.neurons], generator)
    part = value.index_select(weight.neurons, rows)
    spread = float(value.std(correction=0)) if value.numel() > 1 else float(value.abs().max())
    noise = torch.randn(part.shape, generator=generator).to(value.dtype)
    value.index_copy_(weight.neurons, rows, part + noise * spread * SPREAD)
    return {weight.name: value}


def _shuffled(own: Mapping[str, Any], weight: Weight, generator: Any) -> Dict[str, Any]:
    import torch

    value = own[weight.name].detach().clone()
    rows = _chosen(value.shape[weight.neurons], generator)
    part = value.index_select(weight.neurons, rows).movedim(weight.neurons, 0)
    flat = part.reshape(len(rows), -1)
    if flat.shape[1] < 2:
        raise MutationInapplicable("one weight alone cannot be shuffled")
    order = torch.rand(flat.shape, generator=generator).argsort(dim=1)
    mixed = flat.gather(1, order).reshape(part.shape).movedim(0, weight.neurons)
    return {weight.name: value.index_copy_(weight.neurons, rows, mixed)}


def _inverted(own: Mapping[str, Any], weight: Weight, generator: Any) -> Dict[str, Any]:
    rows = _chosen(own[weight.name].shape[weight.neurons], generator)
    names = {weight.name: weight.neurons}
    if weight.bias is not None:
        names[weight.bias] = 0
    made = {}
    for name, axis in names.items():
        value = own[name].detach().clone()
        made[name] = value.index_copy_(axis, rows, -value.index_select(axis, rows))
    return made


def _blocked(own: Mapping[str, Any], weight: Weight, generator: Any) -> Dict[str, Any]:
    value = own[weight.name].detach().clone()
    rows = _chosen(value.shape[weight.before], generator)
    return {weight.name: value.index_fill_(weight.before, rows, 0.0)}


def _exchanged(own: Mapping[str, Any], weight: Weight, generator: Any) -> Dict[str, Any]:
    value = own[weight.name].detach().clone()
    rows = _chosen(value.shape[weight.before], generator, least=2)
    part = value.index_select(weight.before, rows.roll(1))
    return {weight.name: value.index_copy_(weight.before, rows, part)}


_RULES: Mapping[str, Callable[[Mapping[str, Any], Weight, Any], Dict[str, Any]]] = {
    FUZZING: _fuzzed,
    SHUFFLING: _shuffled,
    INVERSION: _inverted,
    BLOCKING: _blocked,
    EXCHANGE: _exchanged,
}

Shape = Tuple[int, ...]
_CONTAINERS = ("Sequential", "ModuleList", "ModuleDict")


@dataclass(frozen=True)
class SurveyedLayer:
    """A layer of a model: what one run saw of it.

    ``given`` and ``gives`` are the shapes of its one input and its one output where each
    is one float tensor and the same at every call, else ``None``.  ``whole`` says that the
    layer may be taken out or have others put beside it: it is not a part of a layer of
    torch.nn, which may use its weights without calling it.  ``weights`` names the
    weights that rules for neurons change.
    """

    name: str
    kind: str
    given: Optional[Shape]
    gives: Optional[Shape]
    whole: bool
    weights: Tuple[str, ...] = ()

    @property
    def keeps(self) -> bool:
        """Return whether output and input have one shape."""
        return self.whole and self.gives is not None and self.given == self.gives


def survey_layers(model: ModelUnderTest) -> List[SurveyedLayer]:
    """Return the layers that one run reaches, in order; raises :class:`MutationInapplicable`."""
    import torch

    seen: Dict[str, List[Tuple[Optional[Shape], Optional[Shape]]]] = {}
    names = {name: module for name, module in model.module.named_modules() if name}

    def record(name: str, _module: Any, arguments: Any, keywords: Any, output: Any) -> None:
        given = arguments[0] if len(arguments) == 1 and not keywords else None
        seen.setdefault(name, []).append((_shape(given), _shape(output)))

    hooks = [
        module.register_forward_hook(partial(record, name), with_kwargs=True)
        for name, module in names.items()
        if is_writable_name(name)
    ]
    inputs, keywords = copy.deepcopy((model.inputs, dict(model.keywords)))
    try:
        with torch.no_grad():
            model.module(*inputs, **keywords)
    except Exception as error:
        raise MutationInapplicable(f"the model does not run: {error}") from error
    finally:
        for hook in hooks:
            hook.remove()
    parts = _parts(names)
    layers = [_layer(name, names[name], calls, name not in parts) for name, calls in seen.items()]
    unseen = [(name, module) for name, module in names.items() if name not in seen]
    used = [  # modules whose weights are used though they are not called themselves
        _layer(name, module, [], whole=False)
        for name, module in [(".", model.module), *unseen]
        if is_writable_name(name)
    ]
    return [*layers, *(layer for layer in used if layer.weights)]


def _shape(value: Any) -> Optional[Shape]:
    import torch

    plain = isinstance(value, torch.Tensor) and value.is_floating_point() and not value.is_nested
    return tuple(value.shape) if plain and value.layout == torch.strided else None


def _parts(names: Dict[str, Any]) -> Set[str]:
    closed = {
        name
        for name, module in names.items()
        if type(module).__module__.startswith("torch.nn.")
        and type(module).__name__ not in _CONTAINERS
    }
    return {
        name
        for name in names
        if any(name[:end] in closed for end, sign in enumerate(name) if sign == ".")
    }


def _layer(
    name: str, module: Any, calls: List[Tuple[Optional[Shape], Optional[Shape]]], whole: bool
) -> SurveyedLayer:
    given, gives = calls[0] if len(set(calls)) == 1 else (None, None)
    whole = whole and not is_removed(module)
    return SurveyedLayer(name, type(module).__name__, given, gives, whole, tuple(weights(module)))


def _paired(layer: SurveyedLayer) -> bool:
    return layer.whole and layer.given is not None and layer.gives is not None


FITS: Mapping[str, Callable[[SurveyedLayer], bool]] = {
    **dict.fromkeys(INNER, lambda layer: bool(layer.weights)),
    **dict.fromkeys((REMOVAL, COPY), lambda layer: layer.keeps),
    SWITCH: _paired,
    **dict.fromkeys((ADDITION, BUNDLE), lambda layer: layer.whole and bool(layer.gives)),
    **dict.fromkeys(
        (DEACTIVATION, REACTIVATION), lambda layer: layer.keeps and layer.kind in ACTIVATIONS
    ),
}
"""Conditions of the rules on a layer."""


def switchable(one: SurveyedLayer, other: SurveyedLayer) -> bool:
    """Return whether two layers have equal shapes and neither holds the other."""
    names = sorted((f"{one.name}.", f"{other.name}."))
    apart = not names[1].startswith(names[0])
    same = (one.given, one.gives) == (other.given, other.gives)
    return apart and same and _paired(one) and _paired(other)


def draw_mutation(
    layers: Sequence[SurveyedLayer], rule: str, rng: random.Random
) -> Optional[Mutation]:
    """Return a mutation by one rule, drawn from all that fit; ``None`` where none does."""
    fitting = [layer for layer in layers if FITS[rule](layer)]
    if rule == SWITCH:
        couples = combinations(fitting, 2)
        pairs = [(one.name, other.name) for one, other in couples if switchable(one, other)]
        return Mutation(SWITCH, *rng.choice(pairs)) if pairs else None
    if not fitting:
        return None
    layer = rng.choice(fitting)
    detail, seeded = _detail(layer, rule, rng)
    if detail is None:
        return None
    return Mutation(rule, layer.name, detail, rng.randrange(1, SEEDS) if seeded else 0)


def _detail(layer: SurveyedLayer, rule: str, rng: random.Random) -> Tuple[Optional[str], bool]:
    if rule in INNER:
        return rng.choice(layer.weights), True
    if rule in (REMOVAL, COPY, DEACTIVATION):
        return "", False
    if rule == REACTIVATION:
        others = [each for each in REPLACEMENTS if each.split("(")[0] != layer.kind]
        return rng.choice(others), True
    shape = layer.gives or ()
    if rule == ADDITION:
        return rng.choice(shape_preserving_layers(shape)), True
    layers = layer_bundle(shape, rng)
    return (" > ".join(layers) if layers else None), True


def apply_mutations(model: ModelUnderTest, mutations: Sequence[Mutation]) -> ModelUnderTest:
    """Return the model after the mutations, one after another; the model given stays as it was.

    The same model and mutations give the same mutant.  Raises :class:`MutationInapplicable` where a
    mutation has no place in the model, keeps no shape, or leaves a model that does not run.
    """
    if not mutations:
        return model
    if model.framework != "torch":
        raise MutationInapplicable("only models of torch are mutated")
    mutant = with_functions_as_layers(model)
    for mutation in mutations:
        _check(mutation, survey_layers(mutant))
        mutant = apply_mutation(mutant, mutation)
    survey_layers(mutant)
    return mutant


def apply_mutation(model: ModelUnderTest, mutation: Mutation) -> ModelUnderTest:
    """Return a :func:`with_functions_as_layers` model after one mutation, without running it."""
    root = model.module
    module = _found(root, mutation.layer)
    if mutation.rule in INNER:
        made = copy_sharing_tensors(root, {}, mutate_neurons(module, mutation))
    else:
        made = copy_sharing_tensors(root, _swaps(root, module, mutation), {})
    return ModelUnderTest(made, model.inputs, model.keywords, model.framework)


def _found(root: Any, name: str) -> Any:
    if name == ".":
        return root
    try:
        return root.get_submodule(name)
    except AttributeError as error:
        raise MutationInapplicable(f"no layer {name}") from error


def _swaps(root: Any, module: Any, mutation: Mutation) -> Mapping[int, Any]:
    import torch

    rule = mutation.rule
    if rule in (REMOVAL, DEACTIVATION):
        return {id(module): passing()}
    if rule == SWITCH:
        other = _found(root, mutation.detail)
        return {id(module): other, id(other): module}
    if rule == REACTIVATION:
        return {id(module): build_layers(mutation.detail, mutation.seed)}
    added = (
        copy_sharing_tensors(module, {}, {})
        if rule == COPY
        else build_layers(mutation.detail, mutation.seed)
    )
    return {id(module): torch.nn.Sequential(module, added).eval()}


def _check(mutation: Mutation, layers: Sequence[SurveyedLayer]) -> None:
    names = [mutation.layer] + ([mutation.detail] if mutation.rule == SWITCH else [])
    known = {layer.name: layer for layer in layers}
    for name in names:
        if name not in known:
            raise MutationInapplicable(f"no layer {name} that the model uses")
    chosen = [known[name] for name in names]
    if not FITS[mutation.rule](chosen[0]):
        raise MutationInapplicable(f"{RULES[mutation.rule]} is not for {mutation.layer}")
    if mutation.rule == SWITCH and not switchable(chosen[0], chosen[1]):
        raise MutationInapplicable(f"{names[0]} and {names[1]} differ in their shapes")
