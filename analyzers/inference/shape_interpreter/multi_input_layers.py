"""Recurrent layers and attention: layers of sequences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .abstract_values import (
    UNKNOWN,
    CallArguments,
    LibraryLayer,
    Tensor,
    TensorElements,
    TensorShape,
    sized,
)
from .layer_windows import Layer
from .operators import broadcast, tensor_of
from .sizes import Size, SizeConstraints, product

MultiInputLayer = Callable[[SizeConstraints, Layer, CallArguments], Any]


def _floats(ledger: SizeConstraints, dims: list[Size]) -> Tensor:
    return Tensor(TensorShape(ledger, dims), TensorElements("float32", drawn=True))


def _sequence(ledger: SizeConstraints, value: Any, width: Size | None) -> list[Size] | None:
    """Return the dimensions of a batch of sequences of floats."""
    tensor = tensor_of(ledger, value)
    dims = tensor.shape.close(3) if tensor is not None else None
    if tensor is None or dims is None:
        return None
    tensor.elements.floating()
    ledger.fit(dims[2], width)
    return dims


def _recurrent(*, cell: bool) -> MultiInputLayer:
    def act(ledger: SizeConstraints, layer: Layer, call: CallArguments) -> Any:
        hidden, count = sized(layer.get("hidden_size")), sized(layer.get("num_layers"))
        width = sized(layer.get("input_size"))
        dims = _sequence(ledger, call.args[0], width) if call.args else None
        if dims is None or hidden is None or count is None:
            ledger.doubt()
            return UNKNOWN
        ways = 2 if layer.get("bidirectional") is True else 1
        output = _floats(ledger, [*dims[:2], product([ways, hidden])])
        batch = dims[0] if layer.get("batch_first") is True else dims[1]
        state = _floats(ledger, [product([ways, count]), batch, hidden])
        if len(call.args) > 1:
            given = call.args[1]
            for each in given if isinstance(given, tuple | list) else [given]:
                tensor = tensor_of(ledger, each)
                if tensor is not None:
                    tensor.elements.floating()
                    broadcast(ledger, tensor.shape, state.shape)
        return output, (state, state) if cell else state

    return act


def _attention(ledger: SizeConstraints, layer: Layer, call: CallArguments) -> Any:
    width = sized(layer.get("embed_dim"))
    given = call.args[:3]
    if len(given) < 3:
        given = [call.kwargs.get(name) for name in ("query", "key", "value")]
    ledger.divides(sized(layer.get("num_heads")) or 1, width or 1)
    found = [_sequence(ledger, each, width) for each in given]
    query, key, value = found
    if query is None or key is None or value is None:
        ledger.doubt()
        return UNKNOWN, UNKNOWN
    batch, length = (0, 1) if layer.get("batch_first") is True else (1, 0)
    ledger.equal(query[batch], key[batch])
    for index in (batch, length):
        ledger.equal(key[index], value[index])
    weights = [query[batch], query[length], key[length]]
    return _floats(ledger, query), _floats(ledger, weights)


def _encoder_layer(ledger: SizeConstraints, layer: Layer, call: CallArguments) -> Any:
    width = sized(layer.get("d_model"))
    ledger.divides(sized(layer.get("nhead")) or 1, width or 1)
    found = _sequence(ledger, call.args[0], width) if call.args else None
    return UNKNOWN if found is None else _floats(ledger, found)


def _decoder_layer(ledger: SizeConstraints, layer: Layer, call: CallArguments) -> Any:
    width = sized(layer.get("d_model"))
    found = [_sequence(ledger, each, width) for each in call.args[:2]]
    if len(found) < 2 or found[0] is None or found[1] is None:
        return UNKNOWN
    batch = 0 if layer.get("batch_first") is True else 1
    ledger.equal(found[0][batch], found[1][batch])
    target = found[-1] if "num_encoder_layers" in layer else found[0]
    return _floats(ledger, target) if target else UNKNOWN


def _stack(ledger: SizeConstraints, layer: Layer, call: CallArguments) -> Any:
    inner = layer.get("layer", layer.get("encoder_layer", layer.get("decoder_layer")))
    if not isinstance(inner, LibraryLayer) or inner.name not in ATTENTION:
        ledger.doubt()
        return UNKNOWN
    return ATTENTION[inner.name](ledger, inner.arguments, call)


ATTENTION: dict[str, MultiInputLayer] = {
    "LSTM": _recurrent(cell=True),
    "GRU": _recurrent(cell=False),
    "RNN": _recurrent(cell=False),
    "MultiheadAttention": _attention,
    "TransformerEncoderLayer": _encoder_layer,
    "TransformerDecoderLayer": _decoder_layer,
    "TransformerEncoder": _stack,
    "TransformerDecoder": _stack,
    "Transformer": _decoder_layer,
}


def _pair(ledger: SizeConstraints, call: CallArguments) -> tuple[Tensor, Tensor] | None:
    first, second = (tensor_of(ledger, each) for each in (*call.args, None, None)[:2])
    if first is None or second is None:
        ledger.doubt()
        return None
    return first, second


def _classes(ledger: SizeConstraints, layer: Layer, call: CallArguments) -> Any:
    """Scores ``b k ...`` and labels ``b ...`` below ``k``."""
    pair = _pair(ledger, call)
    if pair is None:
        return UNKNOWN
    scores, labels = pair
    scores.elements.floating()
    if labels.elements.dtype is not None and labels.elements.dtype.startswith("float"):
        broadcast(ledger, scores.shape, labels.shape)
        return _loss(ledger, layer, call, None)
    known = labels.shape.dims
    if known is None and scores.shape.dims is None:
        ledger.guess()
    if known in ([1], []):
        return _loss(ledger, layer, call, None)
    dims = scores.shape.dims or scores.shape.close(2 if known is None else len(known) + 1)
    if dims is None or len(dims) < 2:
        ledger.doubt()
        return UNKNOWN
    targets = labels.shape.close(len(dims) - 1)
    for left, right in zip([dims[0], *dims[2:]], targets or (), strict=False):
        ledger.equal(left, right)
    labels.elements.indices(dims[1])
    return _loss(ledger, layer, call, targets)


def _loss(
    ledger: SizeConstraints, layer: Layer, call: CallArguments, dims: list[Size] | None
) -> Any:
    """One loss for all examples, or one for each."""
    if str(call.kwargs.get("reduction", layer.get("reduction"))) != "none":
        return _floats(ledger, [])
    return UNKNOWN if dims is None else _floats(ledger, dims)


def _alike(*, first: bool = False, second: bool = False) -> MultiInputLayer:
    """Two tensors of the same shape; those that are set hold probabilities."""

    def act(ledger: SizeConstraints, layer: Layer, call: CallArguments) -> Any:
        pair = _pair(ledger, call)
        if pair is None:
            return UNKNOWN
        for tensor, probable in zip(pair, (first, second), strict=True):
            tensor.elements.floating()
            if probable and not tensor.elements.drawn:
                tensor.elements.low, tensor.elements.high = 0, 1
        together = broadcast(ledger, pair[0].shape, pair[1].shape)
        return _loss(ledger, layer, call, together.dims)

    return act


LOSSES: dict[str, MultiInputLayer] = {
    **dict.fromkeys(("CrossEntropyLoss", "NLLLoss"), _classes),
    "BCELoss": _alike(first=True, second=True),
    **dict.fromkeys(("BCEWithLogitsLoss", "KLDivLoss"), _alike(second=True)),
    **dict.fromkeys(("MSELoss", "L1Loss", "SmoothL1Loss", "HuberLoss"), _alike()),
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
