"""Layers of torch and Keras: their effect on the shapes of tensors, and what they take.

In Keras channels come last, and what enters sets the weights' sizes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .abstract_values import (
    UNKNOWN,
    CallArguments,
    Evaluator,
    LayerChain,
    Tensor,
    TensorShape,
    sized,
)
from .layer_windows import (
    ApplyLayer,
    Layer,
    SizeAfter,
    convolved,
    floats,
    of_rank,
    pooled,
    sizes_after,
    transposed_convolution,
    window,
    windowed,
)
from .multi_input_layers import ATTENTION, LOSSES
from .operators import tensor_of
from .sizes import Size, SizeConstraints, SizeVariable, minus, plus, product, quotient
from .tensor_operations import flattened


def _dense(layer: Layer, tensor: Tensor) -> Any:
    tensor.elements.floating()
    dims = tensor.shape.dims or tensor.shape.close(max(2, len(tensor.shape.last)))
    units = sized(layer.get("units"))
    return UNKNOWN if dims is None or units is None else floats(tensor, [*dims[:-1], units])


def _windowed(rank: int, after: SizeAfter) -> ApplyLayer:
    """Return a layer of windows; one with filters makes as many channels."""

    def act(layer: Layer, tensor: Tensor, dims: list[Size]) -> Any:
        channels = sized(layer["filters"]) if "filters" in layer else dims[-1]
        if channels is None:
            return UNKNOWN
        sizes = sizes_after(tensor, layer, dims[1:-1], after)
        return floats(tensor, [dims[0], *sizes, channels])

    return of_rank(rank, act)


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


def _keras_embedding(layer: Layer, tensor: Tensor) -> Any:
    tensor.elements.indices(sized(layer.get("input_dim")))
    dims, width = tensor.shape.dims or tensor.shape.close(2), sized(layer.get("output_dim"))
    return UNKNOWN if dims is None or width is None else floats(tensor, [*dims, width])


def _recurrent(layer: Layer, tensor: Tensor, dims: list[Size]) -> Any:
    units = sized(layer.get("units"))
    kept = dims[:2] if layer.get("return_sequences") is True else dims[:1]
    return UNKNOWN if units is None else floats(tensor, [*kept, units])


def _enlarged(layer: Layer, tensor: Tensor, dims: list[Size]) -> Any:
    scale = sized(layer.get("size"))
    if scale is None:
        return UNKNOWN
    return floats(tensor, [dims[0], *(product([size, scale]) for size in dims[1:3]), dims[3]])


def _same(_: Layer, tensor: Tensor) -> Any:
    tensor.elements.floating()
    if tensor.shape.dims is None:
        tensor.shape.at(0)
    return floats(tensor, tensor.shape)


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
    **{f"Global{kind}Pooling{n}D":
       of_rank(n + 2, lambda _, tensor, dims: floats(tensor, [dims[0], dims[-1]]))
       for n in (1, 2) for kind in ("Max", "Average")},
    "Embedding": _keras_embedding,
    **dict.fromkeys(("LSTM", "GRU", "SimpleRNN"), of_rank(3, _recurrent)),
    "Flatten": lambda _, tensor: flattened(tensor, 1, -1),
    "UpSampling2D": of_rank(4, _enlarged),
    **dict.fromkeys(_SAME, _same),
}  # fmt: skip


def apply_layer(machine: Evaluator, layer: Any, args: list[Any], kwargs: Mapping[str, Any]) -> Any:
    """Return the result of a layer, or of a chain of them."""
    if isinstance(layer, LayerChain):
        value: Any = args[0] if args else UNKNOWN
        for each in layer:
            value = machine.call(each, (value,), {})
        return value
    call = CallArguments([*args, *kwargs.values()], kwargs)
    several = ATTENTION.get(layer.name) or LOSSES.get(layer.name)
    if several is not None:
        return several(machine.ledger, layer.arguments, call)
    tensor = tensor_of(machine.ledger, call.args[0]) if call.args else None
    if tensor is None:
        return UNKNOWN
    act = _LAYERS.get(layer.name)
    if act is None:
        machine.ledger.doubt()
        return UNKNOWN
    return act(layer.arguments, tensor)


def _convolution(rank: int, after: SizeAfter) -> ApplyLayer:
    def act(layer: Layer, tensor: Tensor, dims: list[Size]) -> Any:
        entering, leaving = sized(layer.get("in_channels")), sized(layer.get("out_channels"))
        tensor.ledger.fit(dims[1], entering)
        channels = SizeVariable("c") if leaving is None else leaving
        sizes = sizes_after(tensor, layer, dims[2:], after)
        return floats(tensor, [dims[0], channels, *sizes])

    return of_rank(rank, act)


def _adapted(ledger: SizeConstraints, size: Size, layer: Layer, index: int) -> Size:
    del ledger
    wanted = window(layer, "output_size", index)
    return size if wanted is None else wanted


def _linear(layer: Layer, tensor: Tensor) -> Any:
    tensor.elements.floating()
    last, entering = tensor.shape.at(-1), sized(layer.get("in_features"))
    if last is None:
        return UNKNOWN
    tensor.ledger.fit(last, entering)
    leaving, dims = sized(layer.get("out_features")), tensor.shape.dims
    width = SizeVariable("d") if leaving is None else leaving
    if dims is not None:
        return floats(tensor, [*dims[:-1], width])
    return floats(tensor, _Follower(tensor.shape, width))


class _Follower(TensorShape):
    """The shape of another tensor whose rank is open, with another last dimension."""

    def __init__(self, leader: TensorShape, last: Size) -> None:
        super().__init__(leader.ledger)
        self._leader = leader
        self._last = last
        self.touched = True

    @property
    def dims(self) -> list[Size] | None:
        dims = self._leader.dims
        return None if dims is None else [*dims[:-1], self.ledger.resolved(self._last)]

    @property
    def last(self) -> list[Size]:
        return [*self._leader.last[:-1], self.ledger.resolved(self._last)]

    def at(self, index: int) -> Size | None:
        if index == -1:
            return self.ledger.resolved(self._last)
        dims = self.dims
        if dims is None:
            return self._leader.at(index)
        return dims[index] if -len(dims) <= index < len(dims) else None

    def close(self, rank: int) -> list[Size] | None:
        self._leader.close(rank)
        return self.dims if self.dims is not None and len(self.dims) == rank else None

    def merge(self, other: TensorShape) -> None:
        mine, its = self.at(-1), other.at(-1)
        if mine is not None and its is not None:
            self.ledger.equal(mine, its)
        dims = other.dims
        if dims is not None:
            for left, right in zip(self.close(len(dims)) or (), dims, strict=False):
                self.ledger.equal(left, right)


def _batch_norm(rank: int, *, statistics: bool) -> ApplyLayer:
    def act(layer: Layer, tensor: Tensor, dims: list[Size]) -> Any:
        features = sized(layer.get("num_features"))
        tensor.ledger.fit(dims[1], features)
        if statistics:
            tensor.ledger.least(product([dims[0], *dims[2:]]), 2)
        elif len(dims) > 2:
            tensor.ledger.least(product(dims[2:]), 2)
        return floats(tensor, dims)

    def apply(layer: Layer, tensor: Tensor) -> Any:
        known = tensor.shape.dims
        flat = rank == 3 and (known is None or len(known) == 2)
        if flat and known is None:
            tensor.ledger.guess()
        return of_rank(2 if flat else rank, act)(layer, tensor)

    return apply


def _group_norm(layer: Layer, tensor: Tensor) -> Any:
    channels, size = sized(layer.get("num_channels")), tensor.shape.at(1)
    tensor.elements.floating()
    if size is not None:
        tensor.ledger.fit(size, channels)
    dims = tensor.shape.dims
    if dims is not None:
        tensor.ledger.least(product([dims[0], *dims[2:], channels or 1]), 2)
    return floats(tensor, tensor.shape)


def _layer_norm(layer: Layer, tensor: Tensor) -> Any:
    tensor.elements.floating()
    wanted = layer.get("normalized_shape")
    sizes = wanted if isinstance(wanted, list | tuple) else [wanted]
    for index, each in enumerate(reversed(sizes), 1):
        size, last = sized(each), tensor.shape.at(-index)
        if last is not None:
            tensor.ledger.fit(last, size)
    return floats(tensor, tensor.shape)


def _embedding(layer: Layer, tensor: Tensor) -> Any:
    count, width = sized(layer.get("num_embeddings")), sized(layer.get("embedding_dim"))
    tensor.elements.indices(count)
    top, shape = sized(tensor.elements.high), tensor.shape
    if tensor.elements.drawn and count is not None and top is not None:
        tensor.ledger.least(minus(count, top), 1)
    dims = shape.dims
    if dims is None:
        dims = shape.close(max(tensor.ledger.guess(), len(shape.first), len(shape.last))) or []
    return floats(tensor, [*dims, SizeVariable("d") if width is None else width])


def _unflatten(layer: Layer, tensor: Tensor) -> Any:
    dim, wanted, dims = layer.get("dim"), layer.get("unflattened_size"), tensor.shape.dims
    sizes = [sized(each) for each in wanted] if isinstance(wanted, list | tuple) else []
    known = [each for each in sizes if each is not None and each != -1]
    if not isinstance(dim, int) or dims is None or len(known) != len(sizes) or not known:
        tensor.ledger.doubt()
        return UNKNOWN
    tensor.ledger.equal(dims[dim], product(known))
    at = dim % len(dims)
    return floats(tensor, [*dims[:at], *known, *dims[at + 1 :]])


def _active(layer: Layer, tensor: Tensor) -> Any:
    """An activation of floats; of one dimension, where it names one."""
    tensor.elements.floating()
    dim = layer.get("dim")
    if isinstance(dim, int):
        tensor.shape.at(dim)
    return tensor.computed(tensor.shape)


def _upsample(layer: Layer, tensor: Tensor) -> Any:
    dims = tensor.shape.dims or tensor.shape.close(4)
    if dims is None:
        return UNKNOWN
    tensor.elements.floating()
    return floats(tensor, [*dims[:2], *sizes_after(tensor, layer, dims[2:], _scaled)])


def _scaled(ledger: SizeConstraints, size: Size, layer: Layer, index: int) -> Size | None:
    del ledger
    factor, scale = layer.get("scale_factor"), window(layer, "scale_factor", index)
    if scale is not None:
        return window(layer, "size", index) or product([size, scale])
    if isinstance(factor, float):
        whole = factor.is_integer()
        return product([size, int(factor)]) if whole else quotient(size, round(1 / factor))
    return window(layer, "size", index)


def _shuffle(layer: Layer, tensor: Tensor, dims: list[Size]) -> Any:
    factor = sized(layer.get("upscale_factor"))
    if factor is None:
        return UNKNOWN
    square = product([factor, factor])
    tensor.ledger.divides(square, dims[1])
    sizes = [product([size, factor]) for size in dims[2:]]
    return floats(tensor, [dims[0], quotient(dims[1], square), *sizes])


def _pad(layer: Layer, tensor: Tensor, dims: list[Size]) -> Any:
    given = layer.get("padding")
    sides = list(given) if isinstance(given, list | tuple) else [given] * 4
    sizes = [each for each in map(sized, sides) if each is not None]
    if len(sizes) != 4:
        return UNKNOWN
    left, right, top, bottom = sizes
    height, width = plus(plus(dims[2], top), bottom), plus(plus(dims[3], left), right)
    return floats(tensor, [*dims[:2], height, width])


def _cell(layer: Layer, tensor: Tensor, dims: list[Size]) -> Any:
    entering, hidden = sized(layer.get("input_size")), sized(layer.get("hidden_size"))
    if entering is None or hidden is None:
        return UNKNOWN
    tensor.ledger.equal(dims[1], entering)
    return floats(tensor, [dims[0], hidden])


_ACTIVE = (
    "ReLU", "ReLU6", "ELU", "SELU", "CELU", "GELU",
    "SiLU", "Mish", "Sigmoid", "Tanh", "Softplus", "Softsign",
    "Hardtanh", "Hardswish", "Hardsigmoid", "LogSigmoid", "LeakyReLU", "PReLU",
    "Softmax", "LogSoftmax", "Softmin", "Threshold", "Dropout", "Dropout1d",
    "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout", "LocalResponseNorm",
)  # fmt: skip
_LAYERS: dict[str, ApplyLayer] = {
    **{f"keras.{name}": act for name, act in KERAS_LAYERS.items()},
    **{f"Conv{n}d": _convolution(n + 2, convolved) for n in (1, 2, 3)},
    **{f"ConvTranspose{n}d": _convolution(n + 2, transposed_convolution) for n in (1, 2, 3)},
    **{f"{kind}Pool{n}d": windowed(n + 2, pooled) for n in (1, 2, 3) for kind in ("Max", "Avg")},
    **{f"Adaptive{kind}Pool{n}d": windowed(n + 2, _adapted)
       for n in (1, 2, 3) for kind in ("Max", "Avg")},
    **{f"BatchNorm{n}d": _batch_norm(n + 2, statistics=True) for n in (1, 2, 3)},
    **{f"InstanceNorm{n}d": _batch_norm(n + 2, statistics=False) for n in (1, 2, 3)},
    **dict.fromkeys(_ACTIVE, _active),
    **dict.fromkeys(("ZeroPad2d", "ReflectionPad2d", "ReplicationPad2d", "ConstantPad2d"),
                    of_rank(4, _pad)),
    "Linear": _linear,
    "Identity": lambda _, tensor: tensor,
    "GroupNorm": _group_norm,
    **dict.fromkeys(("LayerNorm", "RMSNorm"), _layer_norm),
    "Embedding": _embedding,
    "Flatten": lambda layer, tensor: flattened(
        tensor, layer.get("start_dim"), layer.get("end_dim")
    ),
    "Unflatten": _unflatten,
    "Upsample": _upsample,
    "PixelShuffle": of_rank(4, _shuffle),
    **dict.fromkeys(("GRUCell", "RNNCell"), of_rank(2, _cell)),
    "LSTMCell": lambda *call: (of_rank(2, _cell)(*call),) * 2,
}  # fmt: skip
