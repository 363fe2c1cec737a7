"""How layers change the sizes that they slide over."""

from __future__ import annotations

from typing import Any

from .ledger import Ledger
from .sizes import Size, minus, plus, product, quotient
from .values import sized


def window(layer: Any, name: str, index: int) -> Size | None:
    """One of a layer's numbers for a spatial dimension: given once, or for each."""
    value = layer.get(name)
    if isinstance(value, list | tuple):
        value = value[index] if index < len(value) else None
    return sized(value)


def convolved(ledger: Ledger, size: Size, layer: Any, index: int) -> Size | None:
    """The size after a convolution."""
    if layer.get("padding") == "same":
        return size
    if layer.get("padding") == "valid":
        layer = {**layer, "padding": 0}
    numbers = [
        window(layer, each, index) for each in ("kernel_size", "stride", "padding", "dilation")
    ]
    if any(each is None for each in numbers):
        return None
    kernel, stride, padding, dilation = (each or 0 for each in numbers)
    return _slid(ledger, size, kernel, stride, padding, dilation)


def _slid(
    ledger: Ledger, size: Size, kernel: Size, stride: Size, padding: Size, dilation: Size
) -> Size:
    reach = plus(product([dilation, minus(kernel, 1)]), 1)
    room = minus(plus(size, product([2, padding])), reach)
    ledger.least(room, 0)
    return plus(quotient(room, stride), 1)


def pooled(ledger: Ledger, size: Size, layer: Any, index: int) -> Size | None:
    """The size after pooling; a window moves by itself where no stride is given."""
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


def transposed(size: Size, layer: Any, index: int) -> Size | None:
    """The size after a transposed convolution."""
    names = ("kernel_size", "stride", "padding", "dilation", "output_padding")
    numbers = [window(layer, each, index) for each in names]
    if any(each is None for each in numbers):
        return None
    kernel, stride, padding, dilation, more = (each or 0 for each in numbers)
    grown = product([minus(size, 1), stride])
    reach = plus(product([dilation, minus(kernel, 1)]), plus(more, 1))
    return plus(minus(grown, product([2, padding])), reach)
