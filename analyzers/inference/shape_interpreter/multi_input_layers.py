"""Recurrent layers and attention: layers of sequences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .abstract_values import UNKNOWN, LibraryLayer, Tensor, TensorElements, TensorShape, sized
from .operators import broadcast, tensor_of
from .sizes import Size, SizeConstraints, product

MultiInputLayer = Callable[[SizeConstraints, Mapping[str, Any], list[Any], Mapping[str, Any]], Any]


def _floats(ledger: SizeConstraints, dims: list[Size]) -> Tensor:
    return Tensor(TensorShape(ledger, dims), TensorElements("float32", drawn=True))


def _sequence(
    ledger: SizeConstraints, value: Any, width: Size | None
) -> tuple[Tensor, list[Size]] | None:
    """A batch of sequences of floats, with its dimensions."""
    tensor = tensor_of(ledger, value)
    dims = tensor.shape.close(3) if tensor is not None else None
    if tensor is None or dims is None:
        return None
    tensor.elements.floating()
    if width is not None:
        ledger.equal(dims[2], width)
    return tensor, dims


def _recurrent(*, cell: bool) -> MultiInputLayer:
    def act(
        ledger: SizeConstraints,
        layer: Mapping[str, Any],
        args: list[Any],
        kwargs: Mapping[str, Any],
    ) -> Any:
        del kwargs
        hidden, count = sized(layer.get("hidden_size")), sized(layer.get("num_layers"))
        found = _sequence(ledger, args[0], sized(layer.get("input_size"))) if args else None
        if found is None or hidden is None or count is None:
            ledger.doubt()
            return UNKNOWN
        dims = found[1]
        ways = 2 if layer.get("bidirectional") is True else 1
        output = _floats(ledger, [*dims[:2], product([ways, hidden])])
        batch = dims[0] if layer.get("batch_first") is True else dims[1]
        state = _floats(ledger, [product([ways, count]), batch, hidden])
        if len(args) > 1:
            _state(ledger, args[1], state)
        return output, (state, state) if cell else state

    return act


def _state(ledger: SizeConstraints, given: Any, state: Tensor) -> None:
    """A first state has the shape of the last one."""
    for each in given if isinstance(given, tuple | list) else [given]:
        tensor = tensor_of(ledger, each)
        if tensor is not None:
            tensor.elements.floating()
            broadcast(ledger, tensor.shape, state.shape)


def _attention(
    ledger: SizeConstraints, layer: Mapping[str, Any], args: list[Any], kwargs: Mapping[str, Any]
) -> Any:
    width = sized(layer.get("embed_dim"))
    given = args[:3] if len(args) >= 3 else [kwargs.get(k) for k in ("query", "key", "value")]
    ledger.divides(sized(layer.get("num_heads")) or 1, width or 1)
    found = [_sequence(ledger, each, width) for each in given]
    query, key, value = found
    if query is None or key is None or value is None:
        ledger.doubt()
        return UNKNOWN, UNKNOWN
    batch, length = (0, 1) if layer.get("batch_first") is True else (1, 0)
    ledger.equal(query[1][batch], key[1][batch])
    for index in (batch, length):
        ledger.equal(key[1][index], value[1][index])
    weights = [query[1][batch], query[1][length], key[1][length]]
    return _floats(ledger, query[1]), _floats(ledger, weights)


def _encoder_layer(
    ledger: SizeConstraints, layer: Mapping[str, Any], args: list[Any], kwargs: Mapping[str, Any]
) -> Any:
    del kwargs
    width = sized(layer.get("d_model"))
    ledger.divides(sized(layer.get("nhead")) or 1, width or 1)
    found = _sequence(ledger, args[0], width) if args else None
    return UNKNOWN if found is None else _floats(ledger, found[1])


def _decoder_layer(
    ledger: SizeConstraints, layer: Mapping[str, Any], args: list[Any], kwargs: Mapping[str, Any]
) -> Any:
    del kwargs
    width = sized(layer.get("d_model"))
    found = [_sequence(ledger, each, width) for each in args[:2]]
    if len(found) < 2 or found[0] is None or found[1] is None:
        return UNKNOWN
    batch = 0 if layer.get("batch_first") is True else 1
    ledger.equal(found[0][1][batch], found[1][1][batch])
    target = found[-1] if "num_encoder_layers" in layer else found[0]
    return _floats(ledger, target[1]) if target else UNKNOWN


def _stack(
    ledger: SizeConstraints, layer: Mapping[str, Any], args: list[Any], kwargs: Mapping[str, Any]
) -> Any:
    inner = layer.get("layer", layer.get("encoder_layer", layer.get("decoder_layer")))
    if not isinstance(inner, LibraryLayer) or inner.name not in ATTENTION:
        ledger.doubt()
        return UNKNOWN
    return ATTENTION[inner.name](ledger, inner.arguments, args, kwargs)


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


def _pair(ledger: SizeConstraints, args: list[Any]) -> tuple[Tensor, Tensor] | None:
    first, second = (tensor_of(ledger, each) for each in (*args, None, None)[:2])
    return None if first is None or second is None else (first, second)


def _classes(
    ledger: SizeConstraints, layer: Mapping[str, Any], args: list[Any], kwargs: Mapping[str, Any]
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


def _each(ledger: SizeConstraints, dims: list[Size] | None) -> Any:
    """A loss for each example."""
    return (
        UNKNOWN
        if dims is None
        else Tensor(TensorShape(ledger, dims), TensorElements("float32", drawn=True))
    )


def _scalar(ledger: SizeConstraints) -> Tensor:
    return Tensor(TensorShape(ledger, []), TensorElements("float32", drawn=True))


def _alike(*, first: bool = False, second: bool = False) -> MultiInputLayer:
    """Two tensors of the same shape; those that are set hold probabilities."""

    def act(
        ledger: SizeConstraints,
        layer: Mapping[str, Any],
        args: list[Any],
        kwargs: Mapping[str, Any],
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


LOSSES: dict[str, MultiInputLayer] = {
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
