"""Layers that move a window over the spatial dimensions of one tensor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..facts import all_known
from .abstract_values import UNKNOWN, Tensor, TensorShape, sized
from .sizes import Size, SizeConstraints, SizeVariable, minus, plus, product, quotient

Layer = Mapping[str, Any]
"""A layer's arguments by name."""
ApplyLayer = Callable[[Layer, Tensor], Any]
SizeAfter = Callable[[SizeConstraints, Size, Layer, int], Size | None]


def of_rank(rank: int, act: Callable[[Layer, Tensor, list[Size]], Any]) -> ApplyLayer:
    """Return a layer that takes tensors of floats of one rank; a doubt where it is another."""

    def apply(layer: Layer, tensor: Tensor) -> Any:
        dims = tensor.shape.close(rank)
        if dims is None:
            tensor.ledger.doubt()
            return UNKNOWN
        tensor.elements.floating()
        return act(layer, tensor, dims)

    return apply


def floats(tensor: Tensor, shape: list[Size] | TensorShape) -> Tensor:
    """Return what a layer makes of a tensor."""
    return tensor.computed(shape, "float32")


def sizes_after(
    tensor: Tensor, layer: Layer, sizes: Sequence[Size], after: SizeAfter
) -> list[Size]:
    """Return the spatial dimensions after a layer, open where nobody knows them."""
    found = [after(tensor.ledger, size, layer, index) for index, size in enumerate(sizes)]
    return [SizeVariable("n") if size is None else size for size in found]


def windowed(rank: int, after: SizeAfter) -> ApplyLayer:
    """Return a layer without channels of its own; they come before the spatial dimensions."""

    def act(layer: Layer, tensor: Tensor, dims: list[Size]) -> Any:
        found = floats(tensor, [*dims[:2], *sizes_after(tensor, layer, dims[2:], after)])
        return (found, found) if layer.get("return_indices") is True else found

    return of_rank(rank, act)


def window(layer: Layer, name: str, index: int) -> Size | None:
    """Return one of a layer's numbers for a spatial dimension: given once, or for each."""
    value = layer.get(name)
    if isinstance(value, list | tuple):
        value = value[index] if index < len(value) else None
    return sized(value)


def _windows(layer: Layer, index: int, *names: str) -> list[Size]:
    return all_known(window(layer, name, index) for name in names) or []


def convolved(ledger: SizeConstraints, size: Size, layer: Layer, index: int) -> Size | None:
    """Return the size after a convolution."""
    if layer.get("padding") == "same":
        return size
    if layer.get("padding") == "valid":
        layer = {**layer, "padding": 0}
    numbers = _windows(layer, index, "kernel_size", "stride", "padding", "dilation")
    return _slid(ledger, size, *numbers) if numbers else None


def _slid(
    ledger: SizeConstraints, size: Size, kernel: Size, stride: Size, padding: Size, dilation: Size
) -> Size:
    reach = plus(product([dilation, minus(kernel, 1)]), 1)
    room = minus(plus(size, product([2, padding])), reach)
    ledger.least(room, 0)
    return plus(quotient(room, stride), 1)


def pooled(ledger: SizeConstraints, size: Size, layer: Layer, index: int) -> Size | None:
    """Return the size after pooling; a window moves by itself where no stride is given."""
    kernel = window(layer, "kernel_size", index)
    stride = kernel if layer.get("stride") is None else window(layer, "stride", index)
    padding = window(layer, "padding", index)
    dilation = window({"dilation": 1, **layer}, "dilation", index)
    if kernel is None or stride is None or padding is None or dilation is None:
        return None
    if layer.get("ceil_mode") is True:
        room = minus(plus(size, product([2, padding])), kernel)
        return plus(quotient(plus(room, minus(stride, 1)), stride), 1)
    return _slid(ledger, size, kernel, stride, padding, dilation)


def transposed_convolution(
    ledger: SizeConstraints, size: Size, layer: Layer, index: int
) -> Size | None:
    """Return the size after a transposed convolution."""
    del ledger
    names = ("kernel_size", "stride", "padding", "dilation", "output_padding")
    numbers = _windows(layer, index, *names)
    if not numbers:
        return None
    kernel, stride, padding, dilation, more = numbers
    grown = product([minus(size, 1), stride])
    reach = plus(product([dilation, minus(kernel, 1)]), plus(more, 1))
    return plus(minus(grown, product([2, padding])), reach)
