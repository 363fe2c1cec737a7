"""The same elements in other shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .abstract_values import UNKNOWN, ShapeAttribute, Tensor, TensorShape, sized
from .sizes import Size, SizeConstraints, SizeVariable, minus, plus, product, quotient
from .tensor_creation import dims_of


def window(layer: Any, name: str, index: int) -> Size | None:
    """One of a layer's numbers for a spatial dimension: given once, or for each."""
    value = layer.get(name)
    if isinstance(value, list | tuple):
        value = value[index] if index < len(value) else None
    return sized(value)


def convolved(ledger: SizeConstraints, size: Size, layer: Any, index: int) -> Size | None:
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
    ledger: SizeConstraints, size: Size, kernel: Size, stride: Size, padding: Size, dilation: Size
) -> Size:
    reach = plus(product([dilation, minus(kernel, 1)]), 1)
    room = minus(plus(size, product([2, padding])), reach)
    ledger.least(room, 0)
    return plus(quotient(room, stride), 1)


def pooled(ledger: SizeConstraints, size: Size, layer: Any, index: int) -> Size | None:
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


def transposed_convolution(size: Size, layer: Any, index: int) -> Size | None:
    """The size after a transposed convolution."""
    names = ("kernel_size", "stride", "padding", "dilation", "output_padding")
    numbers = [window(layer, each, index) for each in names]
    if any(each is None for each in numbers):
        return None
    kernel, stride, padding, dilation, more = (each or 0 for each in numbers)
    grown = product([minus(size, 1), stride])
    reach = plus(product([dilation, minus(kernel, 1)]), plus(more, 1))
    return plus(minus(grown, product([2, padding])), reach)


def viewed(ledger: SizeConstraints, tensor: Tensor, given: Sequence[Any]) -> Any:
    """``x.view(...)``; one size may be -1.

    A tensor of open rank is taken to have the shape that it is viewed as:
    such an input is valid.
    """
    wanted = _wanted(given)
    if wanted is None:
        ledger.doubt()
        return UNKNOWN
    dims = tensor.shape.dims
    if dims is None:
        return _as_it_is(ledger, tensor, wanted)
    if len(dims) == len(wanted) and -1 in wanted and _keeps(dims, wanted):
        return Tensor(TensorShape(ledger, dims), tensor.elements, tensor.kind)
    if -1 not in wanted:
        ledger.equal(product(dims), product(wanted))
        return Tensor(TensorShape(ledger, wanted), tensor.elements, tensor.kind)
    return Tensor(
        TensorShape(ledger, _inferred(ledger, dims, wanted)), tensor.elements, tensor.kind
    )


def _wanted(given: Sequence[Any]) -> list[Size] | None:
    values = list(given)
    if len(values) == 1 and isinstance(values[0], list | tuple | ShapeAttribute):
        return dims_of(values)
    found = [sized(each) for each in values]
    known = [each for each in found if each is not None]
    return known if len(known) == len(found) and known else None


def _keeps(dims: list[Size], wanted: list[Size]) -> bool:
    return all(size in (-1, own) for own, size in zip(dims, wanted, strict=True))


def _as_it_is(ledger: SizeConstraints, tensor: Tensor, wanted: list[Size]) -> Any:
    ledger.guess()
    dims = tensor.shape.close(max(len(wanted), len(tensor.shape.first), len(tensor.shape.last)))
    if dims is None or len(dims) != len(wanted):
        return viewed(ledger, tensor, tuple(wanted)) if dims is not None else UNKNOWN
    for own, size in zip(dims, wanted, strict=True):
        if size != -1:
            ledger.equal(own, size)
    return Tensor(tensor.shape, tensor.elements, tensor.kind)


def _inferred(ledger: SizeConstraints, dims: list[Size], wanted: list[Size]) -> list[Size]:
    """The dimensions with the one that is -1; a first one is taken to be the batch."""
    at = wanted.index(-1)
    others = [each for each in wanted if each != -1]
    total = product(dims)
    if at == 0 and dims[-len(others) :] == others:
        return [product(dims[: -len(others)]), *others]
    if at == 0 and len(dims) > 1 and isinstance(dims[0], SizeVariable):
        ledger.equal(product(dims[1:]), product(others))
        return [dims[0], *others]
    ledger.divides(product(others), total)
    return [quotient(total, product(others)) if each == -1 else each for each in wanted]


def flattened(ledger: SizeConstraints, tensor: Tensor, start: Any, end: Any) -> Any:
    """``torch.flatten(x, start, end)``."""
    if not isinstance(start, int) or not isinstance(end, int):
        return UNKNOWN
    dims = tensor.shape.dims
    if dims is None:
        if start < 0 or end != -1:
            return UNKNOWN
        ledger.guess()
        dims = (
            tensor.shape.close(max(start + 1, len(tensor.shape.first), len(tensor.shape.last)))
            or []
        )
    first = start if start >= 0 else len(dims) + start
    last = end if end >= 0 else len(dims) + end
    if not 0 <= first <= last < len(dims):
        ledger.doubt()
        return UNKNOWN
    found = [*dims[:first], product(dims[first : last + 1]), *dims[last + 1 :]]
    return Tensor(TensorShape(ledger, found), tensor.elements, tensor.kind)


def permuted(ledger: SizeConstraints, tensor: Tensor, order: Sequence[Any]) -> Any:
    """``x.permute(...)``, which says the rank."""
    if len(order) == 1 and isinstance(order[0], list | tuple):
        order = order[0]
    if not all(isinstance(each, int) for each in order):
        return UNKNOWN
    dims = tensor.shape.close(len(order))
    if dims is None:
        ledger.doubt()
        return UNKNOWN
    try:
        found = [dims[each] for each in order]
    except IndexError:
        return UNKNOWN
    return Tensor(TensorShape(ledger, found), tensor.elements, tensor.kind)


def transposed(ledger: SizeConstraints, tensor: Tensor, first: Any, second: Any) -> Any:
    """``x.transpose(first, second)``; of open rank, the least rank that has both."""
    if not isinstance(first, int) or not isinstance(second, int):
        return UNKNOWN
    dims = tensor.shape.dims
    if dims is None:
        ledger.guess()
        least = max(each + 1 if each >= 0 else -each for each in (first, second))
        dims = tensor.shape.close(
            max(3 if 2 in (first, second) else least, len(tensor.shape.first))
        )
    if dims is None or not all(-len(dims) <= each < len(dims) for each in (first, second)):
        ledger.doubt()
        return UNKNOWN
    found = list(dims)
    found[first], found[second] = dims[second], dims[first]
    return Tensor(TensorShape(ledger, found), tensor.elements, tensor.kind)


def unsqueezed(ledger: SizeConstraints, tensor: Tensor, dim: Any) -> Any:
    """``x.unsqueeze(dim)``."""
    dims = tensor.shape.dims
    if not isinstance(dim, int) or dims is None:
        return UNKNOWN
    found = list(dims)
    found.insert(dim if dim >= 0 else len(dims) + 1 + dim, 1)
    return Tensor(TensorShape(ledger, found), tensor.elements, tensor.kind)


def squeezed(ledger: SizeConstraints, tensor: Tensor, dim: Any) -> Any:
    """``x.squeeze(dim)``: a dimension of 1 goes, another stays."""
    dims = tensor.shape.dims
    if dims is None:
        return UNKNOWN
    if dim is None:
        if any(not isinstance(each, int) for each in dims[1:]):
            return UNKNOWN
        found = [each for each in dims if each != 1]
    elif isinstance(dim, int) and -len(dims) <= dim < len(dims):
        if not isinstance(dims[dim], int):
            return UNKNOWN
        found = list(dims)
        if found[dim] == 1:
            del found[dim]
    else:
        return UNKNOWN
    return Tensor(TensorShape(ledger, found), tensor.elements, tensor.kind)
