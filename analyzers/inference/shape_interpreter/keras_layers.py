"""Keras's layers: channels come last, and what enters sets the weights' sizes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .abstract_values import UNKNOWN, Tensor, TensorElements, TensorShape, sized
from .reshaping import convolved, flattened, pooled
from .sizes import Size, SizeConstraints, SizeVariable, product

Apply = Callable[[SizeConstraints, Mapping[str, Any], Tensor], Any]


def _floats(ledger: SizeConstraints, tensor: Tensor, dims: list[Size]) -> Tensor:
    return Tensor(TensorShape(ledger, dims), TensorElements("float32", drawn=True), tensor.kind)


def _ranked(ledger: SizeConstraints, tensor: Tensor, rank: int) -> list[Size] | None:
    tensor.elements.floating()
    dims = tensor.shape.close(rank)
    if dims is None:
        ledger.doubt()
    return dims


def _dense(ledger: SizeConstraints, layer: Mapping[str, Any], tensor: Tensor) -> Any:
    tensor.elements.floating()
    dims = tensor.shape.dims or tensor.shape.close(max(2, len(tensor.shape.last)))
    units = sized(layer.get("units"))
    if dims is None or units is None:
        return UNKNOWN
    return _floats(ledger, tensor, [*dims[:-1], units])


def _convolution(rank: int) -> Apply:
    def act(ledger: SizeConstraints, layer: Mapping[str, Any], tensor: Tensor) -> Any:
        dims, filters = _ranked(ledger, tensor, rank), sized(layer.get("filters"))
        if dims is None or filters is None:
            return UNKNOWN
        like = {**layer, "stride": layer.get("strides"), "dilation": layer.get("dilation_rate")}
        if layer.get("padding") == "same":
            like |= {"padding": None, "kernel_size": 1, "ceil_mode": True}
            sizes = [
                pooled(ledger, size, {**like, "padding": 0}, i) for i, size in enumerate(dims[1:-1])
            ]
        else:
            sizes = [convolved(ledger, size, like, i) for i, size in enumerate(dims[1:-1])]
        after = [SizeVariable("n") if each is None else each for each in sizes]
        return _floats(ledger, tensor, [dims[0], *after, filters])

    return act


def _pool(rank: int) -> Apply:
    def act(ledger: SizeConstraints, layer: Mapping[str, Any], tensor: Tensor) -> Any:
        dims = _ranked(ledger, tensor, rank)
        if dims is None:
            return UNKNOWN
        like = {
            "kernel_size": layer.get("pool_size"),
            "stride": layer.get("strides"),
            "padding": 0,
            "ceil_mode": layer.get("padding") == "same",
        }
        sizes = [pooled(ledger, size, like, i) for i, size in enumerate(dims[1:-1])]
        after = [SizeVariable("n") if each is None else each for each in sizes]
        return _floats(ledger, tensor, [dims[0], *after, dims[-1]])

    return act


def _global(rank: int) -> Apply:
    def act(ledger: SizeConstraints, layer: Mapping[str, Any], tensor: Tensor) -> Any:
        del layer
        dims = _ranked(ledger, tensor, rank)
        return UNKNOWN if dims is None else _floats(ledger, tensor, [dims[0], dims[-1]])

    return act


def _embedding(ledger: SizeConstraints, layer: Mapping[str, Any], tensor: Tensor) -> Any:
    tensor.elements.indices(sized(layer.get("input_dim")))
    dims, width = tensor.shape.dims or tensor.shape.close(2), sized(layer.get("output_dim"))
    return UNKNOWN if dims is None or width is None else _floats(ledger, tensor, [*dims, width])


def _recurrent(ledger: SizeConstraints, layer: Mapping[str, Any], tensor: Tensor) -> Any:
    dims, units = _ranked(ledger, tensor, 3), sized(layer.get("units"))
    if dims is None or units is None:
        return UNKNOWN
    kept = dims[:2] if layer.get("return_sequences") is True else dims[:1]
    return _floats(ledger, tensor, [*kept, units])


def _same(ledger: SizeConstraints, layer: Mapping[str, Any], tensor: Tensor) -> Any:
    del ledger, layer
    tensor.elements.floating()
    if tensor.shape.dims is None:
        tensor.shape.at(0)
    return Tensor(tensor.shape, TensorElements("float32", drawn=True), tensor.kind)


def _flatten(ledger: SizeConstraints, layer: Mapping[str, Any], tensor: Tensor) -> Any:
    del layer
    return flattened(ledger, tensor, 1, -1)


def _upsample(ledger: SizeConstraints, layer: Mapping[str, Any], tensor: Tensor) -> Any:
    dims, scale = _ranked(ledger, tensor, 4), sized(layer.get("size"))
    if dims is None or scale is None:
        return UNKNOWN
    sizes = [product([size, scale]) for size in dims[1:3]]
    return _floats(ledger, tensor, [dims[0], *sizes, dims[3]])


KERAS_LAYERS: dict[str, Apply] = {
    "Dense": _dense,
    "Conv1D": _convolution(3),
    "Conv2D": _convolution(4),
    "Convolution2D": _convolution(4),
    "SeparableConv2D": _convolution(4),
    "Conv3D": _convolution(5),
    "MaxPooling1D": _pool(3),
    "AveragePooling1D": _pool(3),
    "MaxPooling2D": _pool(4),
    "MaxPool2D": _pool(4),
    "AveragePooling2D": _pool(4),
    "GlobalAveragePooling1D": _global(3),
    "GlobalMaxPooling1D": _global(3),
    "GlobalAveragePooling2D": _global(4),
    "GlobalMaxPooling2D": _global(4),
    "Embedding": _embedding,
    "LSTM": _recurrent,
    "GRU": _recurrent,
    "SimpleRNN": _recurrent,
    "Flatten": _flatten,
    "UpSampling2D": _upsample,
    **dict.fromkeys(
        (
            "Dropout", "SpatialDropout1D", "SpatialDropout2D", "GaussianDropout", "GaussianNoise",
            "AlphaDropout", "BatchNormalization", "LayerNormalization", "Activation", "ReLU",
            "LeakyReLU", "Softmax",
        ),
        _same,
    ),
}  # fmt: skip
