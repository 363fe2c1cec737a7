"""The rules that change neurons of a layer: GF, WS, NAI, NEB, NS."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, Mapping, Optional

from ..model_types import Mutation
from .mutation_grammar import BLOCKING, EXCHANGE, FUZZING, INVERSION, SHUFFLING
from .new_layers import MutationInapplicable

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
    """Return the tensors that stand for a layer's own (by ``id``) after the mutation.

    Raises :class:`MutationInapplicable` where the layer has no such weight or too few neurons.
    """
    import torch

    weight = weights(module).get(mutation.detail)
    if weight is None:
        raise MutationInapplicable(f"{mutation.layer} has no weight {mutation.detail}")
    own = module.__dict__["_parameters"]
    generator = torch.Generator().manual_seed(mutation.seed)
    with torch.no_grad():
        made = _RULES[mutation.rule](own, weight, generator)
    return {id(own[name]): _parameter(value, own[name]) for name, value in made.items()}


def _parameter(value: Any, old: Any) -> Any:
    import torch

    return torch.nn.Parameter(value, requires_grad=old.requires_grad)


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
