"""What layers do to the shapes of tensors, and what they take."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .abstract_values import (
    UNKNOWN,
    Evaluator,
    LayerChain,
    LibraryLayer,
    Tensor,
    TensorElements,
    TensorShape,
    sized,
)
from .keras_layers import KERAS_LAYERS
from .multi_input_layers import ATTENTION, LOSSES
from .operators import tensor_of
from .reshaping import convolved, flattened, pooled, transposed_convolution, window
from .sizes import Size, SizeConstraints, SizeVariable, minus, plus, product, quotient

Apply = Callable[[SizeConstraints, Mapping[str, Any], Tensor], Any]


def apply_layer(machine: Evaluator, layer: Any, args: list[Any], kwargs: Mapping[str, Any]) -> Any:
    """The result of a layer, or of a chain of them."""
    if isinstance(layer, LayerChain):
        value: Any = args[0] if args else UNKNOWN
        for each in layer:
            value = machine.call(each, (value,), {})
        return value
    return _layer(machine, layer, [*args, *kwargs.values()], kwargs)


def _layer(
    machine: Evaluator, layer: LibraryLayer, args: list[Any], kwargs: Mapping[str, Any]
) -> Any:
    ledger = machine.ledger
    several = ATTENTION.get(layer.name) or LOSSES.get(layer.name)
    if several is not None:
        return several(ledger, layer.arguments, args, kwargs)
    tensor = tensor_of(ledger, args[0]) if args else None
    if tensor is None:
        return UNKNOWN
    if layer.name.startswith("keras."):
        act = KERAS_LAYERS.get(layer.name[6:])
    else:
        act = _LAYERS.get(layer.name)
    if act is None:
        ledger.doubt()
        return UNKNOWN
    return act(ledger, layer.arguments, tensor)


def _ranked(ledger: SizeConstraints, tensor: Tensor, rank: int) -> list[Size] | None:
    """The dimensions of a tensor of that rank; a doubt where it has another."""
    dims = tensor.shape.close(rank)
    if dims is None:
        ledger.doubt()
    return dims


def _floats(ledger: SizeConstraints, tensor: Tensor, dims: list[Size]) -> Tensor:
    return Tensor(TensorShape(ledger, dims), TensorElements("float32", drawn=True), tensor.kind)


def _convolution(rank: int, *, back: bool = False) -> Apply:
    def act(ledger: SizeConstraints, layer: Mapping[str, Any], tensor: Tensor) -> Any:
        dims = _ranked(ledger, tensor, rank)
        if dims is None:
            return UNKNOWN
        tensor.elements.floating()
        entering, leaving = sized(layer.get("in_channels")), sized(layer.get("out_channels"))
        if entering is not None:
            ledger.equal(dims[1], entering)
        sizes = [
            transposed_convolution(size, layer, index)
            if back
            else convolved(ledger, size, layer, index)
            for index, size in enumerate(dims[2:])
        ]
        after = [SizeVariable("n") if size is None else size for size in sizes]
        return _floats(
            ledger, tensor, [dims[0], SizeVariable("c") if leaving is None else leaving, *after]
        )

    return act


def _pool(rank: int) -> Apply:
    def act(ledger: SizeConstraints, layer: Mapping[str, Any], tensor: Tensor) -> Any:
        dims = _ranked(ledger, tensor, rank)
        if dims is None:
            return UNKNOWN
        tensor.elements.floating()
        sizes = [pooled(ledger, size, layer, index) for index, size in enumerate(dims[2:])]
        after = [SizeVariable("n") if size is None else size for size in sizes]
        found = _floats(ledger, tensor, [*dims[:2], *after])
        return (found, found) if layer.get("return_indices") is True else found

    return act


def _adaptive(rank: int) -> Apply:
    def act(ledger: SizeConstraints, layer: Mapping[str, Any], tensor: Tensor) -> Any:
        dims = _ranked(ledger, tensor, rank)
        if dims is None:
            return UNKNOWN
        tensor.elements.floating()
        after: list[Size] = []
        for index, size in enumerate(dims[2:]):
            wanted = window(layer, "output_size", index)
            after.append(size if wanted is None else wanted)
        return _floats(ledger, tensor, [*dims[:2], *after])

    return act


def _linear(ledger: SizeConstraints, layer: Mapping[str, Any], tensor: Tensor) -> Any:
    tensor.elements.floating()
    last, entering = tensor.shape.at(-1), sized(layer.get("in_features"))
    if last is None:
        return UNKNOWN
    if entering is not None:
        ledger.equal(last, entering)
    leaving = sized(layer.get("out_features"))
    return replaced(ledger, tensor, SizeVariable("d") if leaving is None else leaving)


def replaced(ledger: SizeConstraints, tensor: Tensor, last: Size) -> Tensor:
    """A tensor of floats with another last dimension."""
    dims = tensor.shape.dims
    if dims is not None:
        return _floats(ledger, tensor, [*dims[:-1], last])
    found = Follower(ledger, tensor.shape, last)
    return Tensor(found, TensorElements("float32", drawn=True), tensor.kind)


class Follower(TensorShape):
    """The shape of another tensor whose rank is open, with another last dimension."""

    def __init__(self, ledger: SizeConstraints, leader: TensorShape, last: Size) -> None:
        super().__init__(ledger)
        self._leader = leader
        self._last = last
        self.touched = True

    @property
    def dims(self) -> list[Size] | None:
        """All dimensions, once those of the other are known."""
        dims = self._leader.dims
        return None if dims is None else [*dims[:-1], self._ledger.resolved(self._last)]

    @property
    def last(self) -> list[Size]:
        """The last dimension."""
        return [*self._leader.last[:-1], self._ledger.resolved(self._last)]

    def at(self, index: int) -> Size | None:
        """A dimension; the last one is this tensor's own."""
        if index == -1:
            return self._ledger.resolved(self._last)
        return self._leader.at(index) if self.dims is None else super_at(self, index)

    def close(self, rank: int) -> list[Size] | None:
        """There are so many dimensions, here and in the other."""
        self._leader.close(rank)
        return self.dims if self.dims is not None and len(self.dims) == rank else None

    def merge(self, other: TensorShape) -> None:
        """Both have the same dimensions, as far as the last one tells."""
        mine, its = self.at(-1), other.at(-1)
        if mine is not None and its is not None:
            self._ledger.equal(mine, its)
        dims = other.dims
        if dims is not None:
            for left, right in zip(self.close(len(dims)) or (), dims, strict=False):
                self._ledger.equal(left, right)


def super_at(shape: TensorShape, index: int) -> Size | None:
    """A dimension of a shape all of whose dimensions are known."""
    dims = shape.dims or []
    return dims[index] if -len(dims) <= index < len(dims) else None


def _batch_norm(rank: int, *, statistics: bool) -> Apply:
    def act(ledger: SizeConstraints, layer: Mapping[str, Any], tensor: Tensor) -> Any:
        known = tensor.shape.dims
        actual = len(known) if known is not None and rank == 3 and len(known) == 2 else rank
        if rank == 3 and known is None:
            actual = 2
            ledger.guess()
        dims = _ranked(ledger, tensor, actual)
        if dims is None:
            return UNKNOWN
        tensor.elements.floating()
        features = sized(layer.get("num_features"))
        if features is not None:
            ledger.equal(dims[1], features)
        if statistics:
            ledger.least(product([dims[0], *dims[2:]]), 2)
        elif len(dims) > 2:
            ledger.least(product(dims[2:]), 2)
        return _floats(ledger, tensor, dims)

    return act


def _group_norm(ledger: SizeConstraints, layer: Mapping[str, Any], tensor: Tensor) -> Any:
    channels, size = sized(layer.get("num_channels")), tensor.shape.at(1)
    tensor.elements.floating()
    if channels is not None and size is not None:
        ledger.equal(size, channels)
    dims = tensor.shape.dims
    if dims is not None:
        ledger.least(product([dims[0], *dims[2:], channels or 1]), 2)
    return Tensor(tensor.shape, TensorElements("float32", drawn=True), tensor.kind)


def _layer_norm(ledger: SizeConstraints, layer: Mapping[str, Any], tensor: Tensor) -> Any:
    tensor.elements.floating()
    wanted = layer.get("normalized_shape")
    for index, each in enumerate(
        reversed(wanted if isinstance(wanted, list | tuple) else [wanted]), 1
    ):
        size, last = sized(each), tensor.shape.at(-index)
        if size is not None and last is not None:
            ledger.equal(last, size)
    return Tensor(tensor.shape, TensorElements("float32", drawn=True), tensor.kind)


def _embedding(ledger: SizeConstraints, layer: Mapping[str, Any], tensor: Tensor) -> Any:
    count, width = sized(layer.get("num_embeddings")), sized(layer.get("embedding_dim"))
    tensor.elements.indices(count)
    top = sized(tensor.elements.high)
    if tensor.elements.drawn and count is not None and top is not None:
        ledger.least(minus(count, top), 1)
    dims = tensor.shape.dims
    if dims is None:
        rank = max(ledger.guess(), len(tensor.shape.first), len(tensor.shape.last))
        dims = tensor.shape.close(rank) or []
    return _floats(ledger, tensor, [*dims, SizeVariable("d") if width is None else width])


def _flatten(ledger: SizeConstraints, layer: Mapping[str, Any], tensor: Tensor) -> Any:
    return flattened(ledger, tensor, layer.get("start_dim"), layer.get("end_dim"))


def _unflatten(ledger: SizeConstraints, layer: Mapping[str, Any], tensor: Tensor) -> Any:
    dim, wanted, dims = layer.get("dim"), layer.get("unflattened_size"), tensor.shape.dims
    sizes = [sized(each) for each in wanted] if isinstance(wanted, list | tuple) else []
    known = [each for each in sizes if each is not None and each != -1]
    if not isinstance(dim, int) or dims is None or len(known) != len(sizes) or not known:
        ledger.doubt()
        return UNKNOWN
    ledger.equal(dims[dim], product(known))
    at = dim % len(dims)
    return _floats(ledger, tensor, [*dims[:at], *known, *dims[at + 1 :]])


def _same(ledger: SizeConstraints, layer: Mapping[str, Any], tensor: Tensor) -> Any:
    del ledger, layer
    return Tensor(tensor.shape, TensorElements(tensor.elements.dtype, drawn=True), tensor.kind)


def _active(ledger: SizeConstraints, layer: Mapping[str, Any], tensor: Tensor) -> Any:
    """An activation of floats; of one dimension, where it names one."""
    tensor.elements.floating()
    dim = layer.get("dim")
    if isinstance(dim, int):
        tensor.shape.at(dim)
    return _same(ledger, layer, tensor)


def _identity(ledger: SizeConstraints, layer: Mapping[str, Any], tensor: Tensor) -> Any:
    del ledger, layer
    return tensor


def _upsample(ledger: SizeConstraints, layer: Mapping[str, Any], tensor: Tensor) -> Any:
    dims = tensor.shape.dims or tensor.shape.close(4)
    if dims is None:
        return UNKNOWN
    tensor.elements.floating()
    after: list[Size] = []
    for index, size in enumerate(dims[2:]):
        wanted, scale = window(layer, "size", index), window(layer, "scale_factor", index)
        factor = layer.get("scale_factor")
        if scale is None and isinstance(factor, float):
            whole = factor.is_integer()
            scaled = product([size, int(factor)]) if whole else quotient(size, round(1 / factor))
            after.append(scaled)
        elif wanted is not None:
            after.append(wanted)
        else:
            after.append(SizeVariable("n") if scale is None else product([size, scale]))
    return _floats(ledger, tensor, [*dims[:2], *after])


def _shuffle(ledger: SizeConstraints, layer: Mapping[str, Any], tensor: Tensor) -> Any:
    factor = sized(layer.get("upscale_factor"))
    dims = _ranked(ledger, tensor, 4)
    if factor is None or dims is None:
        return UNKNOWN
    tensor.elements.floating()
    square = product([factor, factor])
    ledger.divides(square, dims[1])
    sizes = [product([size, factor]) for size in dims[2:]]
    return _floats(ledger, tensor, [dims[0], quotient(dims[1], square), *sizes])


def _pad(ledger: SizeConstraints, layer: Mapping[str, Any], tensor: Tensor) -> Any:
    dims = _ranked(ledger, tensor, 4)
    given = layer.get("padding")
    sides = list(given) if isinstance(given, list | tuple) else [given] * 4
    sizes = [sized(each) for each in sides]
    if dims is None or len(sizes) != 4 or any(each is None for each in sizes):
        return UNKNOWN
    left, right, top, bottom = (each or 0 for each in sizes)
    height, width = plus(plus(dims[2], top), bottom), plus(plus(dims[3], left), right)
    return _floats(ledger, tensor, [*dims[:2], height, width])


def _cell(ledger: SizeConstraints, layer: Mapping[str, Any], tensor: Tensor) -> Any:
    dims = _ranked(ledger, tensor, 2)
    entering, hidden = sized(layer.get("input_size")), sized(layer.get("hidden_size"))
    if dims is None or entering is None or hidden is None:
        return UNKNOWN
    tensor.elements.floating()
    ledger.equal(dims[1], entering)
    return _floats(ledger, tensor, [dims[0], hidden])


def _lstm_cell(ledger: SizeConstraints, layer: Mapping[str, Any], tensor: Tensor) -> Any:
    found = _cell(ledger, layer, tensor)
    return (found, found)


_ACTIVE = (
    "ReLU", "ReLU6", "ELU", "SELU", "CELU", "GELU",
    "SiLU", "Mish", "Sigmoid", "Tanh", "Softplus", "Softsign",
    "Hardtanh", "Hardswish", "Hardsigmoid", "LogSigmoid", "LeakyReLU", "PReLU",
    "Softmax", "LogSoftmax", "Softmin", "Threshold", "Dropout", "Dropout1d",
    "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout", "LocalResponseNorm",
)  # fmt: skip
_LAYERS: dict[str, Apply] = {
    **{f"Conv{n}d": _convolution(n + 2) for n in (1, 2, 3)},
    **{f"ConvTranspose{n}d": _convolution(n + 2, back=True) for n in (1, 2, 3)},
    **{f"{kind}Pool{n}d": _pool(n + 2) for n in (1, 2, 3) for kind in ("Max", "Avg")},
    **{f"Adaptive{kind}Pool{n}d": _adaptive(n + 2) for n in (1, 2, 3) for kind in ("Max", "Avg")},
    **{f"BatchNorm{n}d": _batch_norm(n + 2, statistics=True) for n in (1, 2, 3)},
    **{f"InstanceNorm{n}d": _batch_norm(n + 2, statistics=False) for n in (1, 2, 3)},
    **dict.fromkeys(_ACTIVE, _active),
    **dict.fromkeys(("ZeroPad2d", "ReflectionPad2d", "ReplicationPad2d", "ConstantPad2d"), _pad),
    "Linear": _linear,
    "Identity": _identity,
    "GroupNorm": _group_norm,
    "LayerNorm": _layer_norm,
    "RMSNorm": _layer_norm,
    "Embedding": _embedding,
    "Flatten": _flatten,
    "Unflatten": _unflatten,
    "Upsample": _upsample,
    "PixelShuffle": _shuffle,
    "GRUCell": _cell,
    "RNNCell": _cell,
    "LSTMCell": _lstm_cell,
}
