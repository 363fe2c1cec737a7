"""What losses take: scores and targets that belong together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .arithmetic import broadcast, tensor_of
from .ledger import Ledger
from .recurrent import Several
from .sizes import Size
from .values import UNKNOWN, Elements, Shape, Tensor


def _pair(ledger: Ledger, args: list[Any]) -> tuple[Tensor, Tensor] | None:
    first, second = (tensor_of(ledger, each) for each in (*args, None, None)[:2])
    return None if first is None or second is None else (first, second)


def _classes(
    ledger: Ledger, layer: Mapping[str, Any], args: list[Any], kwargs: Mapping[str, Any]
) -> Any:
    """Scores ``b k ...`` and labels ``b ...`` below ``k``."""
    pair = _pair(ledger, args)
    if pair is None:
        ledger.doubt()
        return UNKNOWN
    scores, labels = pair
    whole = _is_reduced(layer, kwargs)
    scores.elements.floating()
    if labels.elements.dtype is not None and labels.elements.dtype.startswith("float"):
        broadcast(ledger, scores.shape, labels.shape)
        return _scalar(ledger) if whole else UNKNOWN
    known = labels.shape.dims
    if known is None and scores.shape.dims is None:
        ledger.guess()
    if known in ([1], []):
        return _scalar(ledger) if whole else UNKNOWN
    dims = scores.shape.dims or scores.shape.close(2 if known is None else len(known) + 1)
    if dims is None or len(dims) < 2:
        ledger.doubt()
        return UNKNOWN
    targets = labels.shape.close(len(dims) - 1)
    for left, right in zip([dims[0], *dims[2:]], targets or (), strict=False):
        ledger.equal(left, right)
    labels.elements.indices(dims[1])
    return _scalar(ledger) if whole else _each(ledger, targets)


def _is_reduced(layer: Mapping[str, Any], kwargs: Mapping[str, Any]) -> bool:
    """Whether there is one loss for all examples."""
    return str(kwargs.get("reduction", layer.get("reduction"))) != "none"


def _each(ledger: Ledger, dims: list[Size] | None) -> Any:
    """A loss for each example."""
    return UNKNOWN if dims is None else Tensor(Shape(ledger, dims), Elements("float32", drawn=True))


def _scalar(ledger: Ledger) -> Tensor:
    return Tensor(Shape(ledger, []), Elements("float32", drawn=True))


def _alike(*, first: bool = False, second: bool = False) -> Several:
    """Two tensors of the same shape; those that are set hold probabilities."""

    def act(
        ledger: Ledger, layer: Mapping[str, Any], args: list[Any], kwargs: Mapping[str, Any]
    ) -> Any:
        pair = _pair(ledger, args)
        if pair is None:
            ledger.doubt()
            return UNKNOWN
        for tensor, probable in zip(pair, (first, second), strict=True):
            tensor.elements.floating()
            if probable and not tensor.elements.drawn:
                tensor.elements.low, tensor.elements.high = 0, 1
        together = broadcast(ledger, pair[0].shape, pair[1].shape)
        return _scalar(ledger) if _is_reduced(layer, kwargs) else _each(ledger, together.dims)

    return act


LOSSES: dict[str, Several] = {
    "CrossEntropyLoss": _classes,
    "NLLLoss": _classes,
    "BCELoss": _alike(first=True, second=True),
    "BCEWithLogitsLoss": _alike(second=True),
    "MSELoss": _alike(),
    "L1Loss": _alike(),
    "SmoothL1Loss": _alike(),
    "HuberLoss": _alike(),
    "KLDivLoss": _alike(second=True),
}

FUNCTIONS: dict[str, str] = {
    "cross_entropy": "CrossEntropyLoss",
    "nll_loss": "NLLLoss",
    "binary_cross_entropy": "BCELoss",
    "binary_cross_entropy_with_logits": "BCEWithLogitsLoss",
    "mse_loss": "MSELoss",
    "l1_loss": "L1Loss",
    "smooth_l1_loss": "SmoothL1Loss",
    "huber_loss": "HuberLoss",
    "kl_div": "KLDivLoss",
}
"""The functions that are those losses."""
