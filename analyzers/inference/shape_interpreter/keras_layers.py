"""Keras's layers: channels come last, and what enters sets the weights' sizes."""

from __future__ import annotations

from typing import Any

from .abstract_values import UNKNOWN, Tensor, sized
from .layer_windows import (
    ApplyLayer,
    Layer,
    SizeAfter,
    convolved,
    floats,
    pooled,
    ranked,
    sizes_after,
)
from .sizes import Size, SizeConstraints, product
from .tensor_operations import flattened


def _dense(layer: Layer, tensor: Tensor) -> Any:
    tensor.elements.floating()
    dims = tensor.shape.dims or tensor.shape.close(max(2, len(tensor.shape.last)))
    units = sized(layer.get("units"))
    return UNKNOWN if dims is None or units is None else floats(tensor, [*dims[:-1], units])


def _windowed(rank: int, after: SizeAfter) -> ApplyLayer:
    """Return a layer of windows; one with filters makes as many channels."""

    def act(layer: Layer, tensor: Tensor) -> Any:
        dims = ranked(tensor, rank)
        if dims is None:
            return UNKNOWN
        channels = sized(layer["filters"]) if "filters" in layer else dims[-1]
        if channels is None:
            return UNKNOWN
        sizes = sizes_after(tensor, layer, dims[1:-1], after)
        return floats(tensor, [dims[0], *sizes, channels])

    return act


def _convolved(ledger: SizeConstraints, size: Size, layer: Layer, index: int) -> Size | None:
    like = {**layer, "stride": layer.get("strides"), "dilation": layer.get("dilation_rate")}
    if layer.get("padding") != "same":
        return convolved(ledger, size, like, index)
    return convolved(ledger, size, like | {"padding": 0, "kernel_size": 1}, index)


def _pooled(ledger: SizeConstraints, size: Size, layer: Layer, index: int) -> Size | None:
    like = {
        "kernel_size": layer.get("pool_size"),
        "stride": layer.get("strides"),
        "padding": 0,
        "ceil_mode": layer.get("padding") == "same",
    }
    return pooled(ledger, size, like, index)


def _global(rank: int) -> ApplyLayer:
    def act(_: Layer, tensor: Tensor) -> Any:
        dims = ranked(tensor, rank)
        return UNKNOWN if dims is None else floats(tensor, [dims[0], dims[-1]])

    return act


def _embedding(layer: Layer, tensor: Tensor) -> Any:
    tensor.elements.indices(sized(layer.get("input_dim")))
    dims, width = tensor.shape.dims or tensor.shape.close(2), sized(layer.get("output_dim"))
    return UNKNOWN if dims is None or width is None else floats(tensor, [*dims, width])


def _recurrent(layer: Layer, tensor: Tensor) -> Any:
    dims, units = ranked(tensor, 3), sized(layer.get("units"))
    if dims is None or units is None:
        return UNKNOWN
    kept = dims[:2] if layer.get("return_sequences") is True else dims[:1]
    return floats(tensor, [*kept, units])


def _same(_: Layer, tensor: Tensor) -> Any:
    tensor.elements.floating()
    if tensor.shape.dims is None:
        tensor.shape.at(0)
    return floats(tensor, tensor.shape)


def _upsample(layer: Layer, tensor: Tensor) -> Any:
    dims, scale = ranked(tensor, 4), sized(layer.get("size"))
    if dims is None or scale is None:
        return UNKNOWN
    return floats(tensor, [dims[0], *(product([size, scale]) for size in dims[1:3]), dims[3]])


_SAME = (
    "Dropout", "SpatialDropout1D", "SpatialDropout2D", "GaussianDropout", "GaussianNoise",
    "AlphaDropout", "BatchNormalization", "LayerNormalization", "Activation", "ReLU",
    "LeakyReLU", "Softmax",
)  # fmt: skip
KERAS_LAYERS: dict[str, ApplyLayer] = {
    "Dense": _dense,
    **{f"Conv{n}D": _windowed(n + 2, _convolved) for n in (1, 2, 3)},
    **dict.fromkeys(("Convolution2D", "SeparableConv2D"), _windowed(4, _convolved)),
    **{f"{kind}Pooling{n}D": _windowed(n + 2, _pooled)
       for n in (1, 2) for kind in ("Max", "Average")},
    "MaxPool2D": _windowed(4, _pooled),
    **{f"Global{kind}Pooling{n}D": _global(n + 2) for n in (1, 2) for kind in ("Max", "Average")},
    "Embedding": _embedding,
    **dict.fromkeys(("LSTM", "GRU", "SimpleRNN"), _recurrent),
    "Flatten": lambda _, tensor: flattened(tensor, 1, -1),
    "UpSampling2D": _upsample,
    **dict.fromkeys(_SAME, _same),
}  # fmt: skip
