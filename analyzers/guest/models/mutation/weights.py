"""Which tensors of a layer are weights of its neurons, and along which axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Optional

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
    """The weights that a module holds itself, by name: its floating tensors but the biases."""
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
