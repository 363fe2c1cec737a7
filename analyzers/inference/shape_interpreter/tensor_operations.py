"""Operations on one tensor, called as a method or as a function alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .abstract_values import (
    UNKNOWN,
    CallArguments,
    LibraryName,
    ShapeAttribute,
    Tensor,
    TensorElements,
    TensorShape,
    sized,
)
from .operators import broadcast, matmul, tensor_of
from .sizes import Size, SizeVariable, product, quotient
from .tensor_creation import dims_of, dtype_of

Operation = Callable[[Tensor, CallArguments], Any]


def _smooth(tensor: Tensor, _: CallArguments) -> Any:
    tensor.elements.floating()
    return tensor.computed(tensor.shape)


def _each(tensor: Tensor, _: CallArguments) -> Any:
    return tensor.computed(tensor.shape)


def _along(tensor: Tensor, call: CallArguments) -> Any:
    dim = call.get(0, "dim", "axis")
    if isinstance(dim, int):
        tensor.shape.at(dim)
    return _smooth(tensor, call)


def _pair(tensor: Tensor, call: CallArguments) -> Any:
    other = tensor_of(tensor.ledger, call.args[0]) if call.args else None
    if other is None:
        return tensor.computed(tensor.shape)
    shape = broadcast(tensor.ledger, tensor.shape, other.shape)
    return Tensor(shape, TensorElements(tensor.elements.dtype))


def _cast(dtype: str) -> Operation:
    def act(tensor: Tensor, _: CallArguments) -> Any:
        elements = TensorElements(dtype, tensor.elements.low, tensor.elements.high, drawn=True)
        return Tensor(tensor.shape, elements, tensor.kind)

    return act


def _to(tensor: Tensor, call: CallArguments) -> Any:
    for each in [*call.args, *call.kwargs.values()]:
        dtype = dtype_of(each) or ""
        if dtype.startswith(("float", "int", "uint", "bfloat")) or dtype == "bool":
            return _cast(dtype)(tensor, call)
    return tensor


def _reduce(*, double: bool = False, dtype: str | None = None, smooth: bool = False) -> Operation:
    def act(tensor: Tensor, call: CallArguments) -> Any:
        dim, keep = call.get(0, "dim", "axis"), call.get(1, "keepdim", "keepdims") is True
        if smooth:
            tensor.elements.floating()
        wanted = dtype or tensor.elements.dtype
        if dim is None:
            return Tensor(TensorShape(tensor.ledger, []), TensorElements(wanted))
        found = _reduced(tensor, dim if isinstance(dim, list | tuple) else [dim], keep=keep)
        if found is None:
            return (UNKNOWN, UNKNOWN) if double else UNKNOWN
        shape = TensorShape(tensor.ledger, found)
        made = Tensor(shape, TensorElements(wanted, drawn=True))
        return (made, made.computed(shape, "int64")) if double else made

    return act


def _reduced(tensor: Tensor, over: Any, *, keep: bool) -> list[Size] | None:
    if not all(isinstance(each, int) for each in over):
        return None
    for each in over:
        tensor.shape.at(each)
    dims = tensor.shape.dims
    if dims is None:
        dims = tensor.shape.close(max(tensor.ledger.guess(), _least(*over), len(tensor.shape.last)))
    if dims is None:
        return None
    if not all(-len(dims) <= each < len(dims) for each in over):
        tensor.ledger.doubt()
        return None
    gone = {each % len(dims) for each in over}
    kept = [1 if index in gone else size for index, size in enumerate(dims)]
    return kept if keep else [size for index, size in enumerate(dims) if index not in gone]


def _least(*indices: int) -> int:
    return max(each + 1 if each >= 0 else -each for each in indices)


def _view(tensor: Tensor, call: CallArguments) -> Any:
    """``x.view(...)``; one size may be -1.

    A tensor of open rank is taken to have the shape that it is viewed as:
    such an input is valid.
    """
    args = call.args
    if len(args) == 1 and isinstance(args[0], LibraryName):
        return tensor.computed(tensor.shape)
    nested = len(args) == 1 and isinstance(args[0], list | tuple | ShapeAttribute)
    wanted = dims_of(args)
    if wanted is None or not (wanted or nested):
        tensor.ledger.doubt()
        return UNKNOWN
    return _viewed(tensor, wanted)


def _viewed(tensor: Tensor, wanted: list[Size]) -> Any:
    dims, ledger = tensor.shape.dims, tensor.ledger
    if dims is None:
        ledger.guess()
        shape = tensor.shape
        dims = shape.close(max(len(wanted), len(shape.first), len(shape.last)))
        if dims is None:
            return UNKNOWN
        if len(dims) == len(wanted):
            for own, size in zip(dims, wanted, strict=True):
                if size != -1:
                    ledger.equal(own, size)
            return Tensor(shape, tensor.elements, tensor.kind)
    if -1 not in wanted:
        ledger.equal(product(dims), product(wanted))
        return tensor.rearranged(wanted)
    if len(dims) == len(wanted) and all(
        size in (-1, own) for own, size in zip(dims, wanted, strict=True)
    ):
        return tensor.rearranged(dims)
    return tensor.rearranged(_inferred(tensor, dims, wanted))


def _inferred(tensor: Tensor, dims: list[Size], wanted: list[Size]) -> list[Size]:
    """The dimensions with the one that is -1; a first one is taken to be the batch."""
    at = wanted.index(-1)
    others = [each for each in wanted if each != -1]
    total = product(dims)
    if at == 0 and dims[-len(others) :] == others:
        return [product(dims[: -len(others)]), *others]
    if at == 0 and len(dims) > 1 and isinstance(dims[0], SizeVariable):
        tensor.ledger.equal(product(dims[1:]), product(others))
        return [dims[0], *others]
    tensor.ledger.divides(product(others), total)
    return [quotient(total, product(others)) if each == -1 else each for each in wanted]


def _flatten(tensor: Tensor, call: CallArguments) -> Any:
    start, end = call.get(0, "start_dim"), call.get(1, "end_dim")
    return flattened(tensor, 0 if start is None else start, -1 if end is None else end)


def flattened(tensor: Tensor, start: Any, end: Any) -> Any:
    """Return ``torch.flatten(x, start, end)``."""
    if not isinstance(start, int) or not isinstance(end, int):
        return UNKNOWN
    shape = tensor.shape
    dims = shape.dims
    if dims is None:
        if start < 0 or end != -1:
            return UNKNOWN
        tensor.ledger.guess()
        dims = shape.close(max(start + 1, len(shape.first), len(shape.last))) or []
    first = start if start >= 0 else len(dims) + start
    last = end if end >= 0 else len(dims) + end
    if not 0 <= first <= last < len(dims):
        tensor.ledger.doubt()
        return UNKNOWN
    return tensor.rearranged([*dims[:first], product(dims[first : last + 1]), *dims[last + 1 :]])


def _permute(tensor: Tensor, call: CallArguments) -> Any:
    """``x.permute(...)``, which says the rank."""
    order: Sequence[Any] = call.args or [
        call.kwargs[key] for key in ("dims", "axes") if key in call.kwargs
    ]
    if len(order) == 1 and isinstance(order[0], list | tuple):
        order = order[0]
    if not all(isinstance(each, int) for each in order):
        return UNKNOWN
    dims = tensor.shape.close(len(order))
    if dims is None:
        tensor.ledger.doubt()
        return UNKNOWN
    if not all(-len(dims) <= each < len(dims) for each in order):
        return UNKNOWN
    return tensor.rearranged([dims[each] for each in order])


def _transpose(tensor: Tensor, call: CallArguments) -> Any:
    """``x.transpose(first, second)``; of open rank, the least rank that has both."""
    args = call.args
    if tensor.kind == "np_arrays" and (not args or isinstance(args[0], tuple) or len(args) > 2):
        return _permute(tensor, CallArguments(args, {})) if args else _turned(tensor, call)
    first, second = call.get(0, "dim0"), call.get(1, "dim1")
    if not isinstance(first, int) or not isinstance(second, int):
        return UNKNOWN
    dims = tensor.shape.dims
    if dims is None:
        tensor.ledger.guess()
        rank = 3 if 2 in (first, second) else _least(first, second)
        dims = tensor.shape.close(max(rank, len(tensor.shape.first)))
    if dims is None or not all(-len(dims) <= each < len(dims) for each in (first, second)):
        tensor.ledger.doubt()
        return UNKNOWN
    dims[first], dims[second] = dims[second], dims[first]
    return tensor.rearranged(dims)


def _turned(tensor: Tensor, _: CallArguments) -> Any:
    dims = tensor.shape.dims or tensor.shape.close(2)
    return UNKNOWN if dims is None else tensor.rearranged(dims[::-1])


def _unsqueeze(tensor: Tensor, call: CallArguments) -> Any:
    dim, dims = call.get(0, "dim", "axis"), tensor.shape.dims
    if not isinstance(dim, int) or dims is None:
        return UNKNOWN
    dims.insert(dim if dim >= 0 else len(dims) + 1 + dim, 1)
    return tensor.rearranged(dims)


def _squeeze(tensor: Tensor, call: CallArguments) -> Any:
    """``x.squeeze(dim)``: a dimension of 1 goes, another stays."""
    dim, dims = call.get(0, "dim", "axis"), tensor.shape.dims
    if dims is None:
        return UNKNOWN
    if dim is None:
        known = all(isinstance(each, int) for each in dims[1:])
        return tensor.rearranged([each for each in dims if each != 1]) if known else UNKNOWN
    if not isinstance(dim, int) or not -len(dims) <= dim < len(dims):
        return UNKNOWN
    if not isinstance(dims[dim], int):
        return UNKNOWN
    if dims[dim] == 1:
        del dims[dim]
    return tensor.rearranged(dims)


def _size(tensor: Tensor, call: CallArguments) -> Any:
    dim = call.get(0, "dim")
    if dim is None:
        return ShapeAttribute(tensor)
    found = tensor.shape.at(dim) if isinstance(dim, int) else None
    return UNKNOWN if found is None else found


def _of_dims(number: Callable[[list[Size]], Any]) -> Operation:
    def act(tensor: Tensor, _: CallArguments) -> Any:
        dims = tensor.shape.dims
        return UNKNOWN if dims is None else number(dims)

    return act


def _chunk(tensor: Tensor, call: CallArguments) -> Any:
    count, dim = call.get(0, "chunks"), call.get(1, "dim") or 0
    if not isinstance(count, int) or not isinstance(dim, int) or count < 1:
        return UNKNOWN
    size, dims = tensor.shape.at(dim), tensor.shape.dims
    if size is not None:
        tensor.ledger.divides(count, size)
    if dims is None or size is None:
        tensor.ledger.doubt()
        return UNKNOWN
    dims[dim] = quotient(size, count)
    return tuple(
        Tensor(TensorShape(tensor.ledger, list(dims)), _each(tensor, call).elements)
        for _ in range(count)
    )


def _split(tensor: Tensor, call: CallArguments) -> Any:
    sizes, dim = call.get(0, "split_size"), call.get(1, "dim") or 0
    if not isinstance(dim, int):
        return UNKNOWN
    size, dims = tensor.shape.at(dim), tensor.shape.dims
    if dims is None or size is None:
        tensor.ledger.doubt()
        return UNKNOWN
    width = sized(sizes)
    if width is not None:
        size = tensor.ledger.resolved(size)
        count = quotient(size, width)
        if not isinstance(count, int):
            return UNKNOWN
        parts: list[Size] = [width] * count
        if isinstance(size, int) and isinstance(width, int) and size % width:
            parts.append(size % width)
    else:
        known = [sized(each) for each in sizes] if isinstance(sizes, list | tuple) else []
        parts = [each for each in known if each is not None]
    return tuple(_with(tensor, dims, dim, part) for part in parts) or UNKNOWN


def _with(tensor: Tensor, dims: list[Size], dim: int, size: Size) -> Tensor:
    found = list(dims)
    found[dim] = size
    elements = tensor.elements
    elements = TensorElements(elements.dtype, elements.low, elements.high, drawn=True)
    return Tensor(TensorShape(tensor.ledger, found), elements, tensor.kind)


def _grown(size_of: Callable[[Size, Size], Size]) -> Operation:
    """Return an operation that makes a size of each dimension and of its argument for it."""

    def act(tensor: Tensor, call: CallArguments) -> Any:
        if call.args and isinstance(call.args[0], ShapeAttribute):
            return UNKNOWN
        wanted, dims = dims_of(call.args), tensor.shape.dims
        if dims is None or wanted is None or len(wanted) < len(dims):
            return UNKNOWN
        own: list[Size] = [1] * (len(wanted) - len(dims)) + dims
        return tensor.computed(list(map(size_of, own, wanted)))

    return act


def _topk(tensor: Tensor, call: CallArguments) -> Any:
    count = sized(call.get(0, "k"))
    last, dims = tensor.shape.at(-1), tensor.shape.dims
    if dims is None or count is None or last is None:
        return UNKNOWN, UNKNOWN
    if isinstance(count, int):
        tensor.ledger.least(last, count)
    found = _with(tensor, dims, -1, count)
    return found, Tensor(found.shape, TensorElements("int64", drawn=True))


def _multiply(rank: int | None = None) -> Operation:
    def act(tensor: Tensor, call: CallArguments) -> Any:
        if rank is None:
            return matmul(tensor.ledger, tensor, call.args[0]) if call.args else UNKNOWN
        other = tensor_of(tensor.ledger, call.args[0]) if call.args else None
        if other is None or tensor.shape.close(rank) is None or other.shape.close(rank) is None:
            tensor.ledger.doubt()
            return UNKNOWN
        return matmul(tensor.ledger, tensor, other)

    return act


def _one_hot(tensor: Tensor, call: CallArguments) -> Any:
    count = sized(call.get(0, "num_classes"))
    tensor.elements.indices(count)
    dims = tensor.shape.dims or tensor.shape.close(1)
    if dims is None:
        return UNKNOWN
    shape = TensorShape(tensor.ledger, [*dims, SizeVariable("k") if count is None else count])
    return Tensor(shape, TensorElements("int64", drawn=True))


_SMOOTH = (
    "relu", "relu_", "relu6", "leaky_relu", "elu", "selu",
    "gelu", "silu", "mish", "sigmoid", "tanh", "softplus",
    "dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "hardtanh",
    "logsigmoid", "exp", "log", "sqrt", "rsqrt", "log1p",
    "log2", "log10", "erf",
)  # fmt: skip
_EACH = (
    "abs", "sin", "cos", "neg", "pow", "clamp",
    "clip", "clip_", "clamp_", "round", "floor", "ceil",
    "square", "sign", "zeros_like", "flip", "roll", "cumsum",
    "fill_", "zero_", "masked_fill", "masked_fill_", "nan_to_num", "bernoulli",
    "triu", "tril", "isnan", "add_", "mul_", "argsort",
)  # fmt: skip
_ITSELF = (
    "contiguous", "detach", "clone", "cuda", "cpu", "requires_grad_",
    "pin_memory", "type_as", "copy", "ascontiguousarray", "numpy", "data",
)  # fmt: skip

OPERATIONS: dict[str, Operation] = {
    **dict.fromkeys(_SMOOTH, _smooth),
    **dict.fromkeys(_EACH, _each),
    **dict.fromkeys(_ITSELF, lambda tensor, _: tensor),
    **dict.fromkeys(("softmax", "log_softmax", "logcumsumexp"), _along),
    **dict.fromkeys(("add", "sub", "mul", "div", "maximum", "minimum", "dist", "eq", "ne", "lt",
                     "gt", "le", "ge"), _pair),
    **dict.fromkeys(("sum", "prod", "all", "any", "amax", "amin", "count_nonzero"), _reduce()),
    **dict.fromkeys(("mean", "std", "var", "norm", "logsumexp"), _reduce(smooth=True)),
    **dict.fromkeys(("argmax", "argmin"), _reduce(dtype="int64")),
    **dict.fromkeys(("median", "mode", "sort", "kthvalue", "item", "tolist", "backward", "stride"),
                    lambda _, _call: UNKNOWN),
    "max": _reduce(double=True),
    "min": _reduce(double=True),
    **dict.fromkeys(("view", "reshape"), _view),
    "flatten": _flatten,
    "permute": _permute,
    **dict.fromkeys(("transpose", "swapaxes"), _transpose),
    "t": _turned,
    **dict.fromkeys(("unsqueeze", "expand_dims"), _unsqueeze),
    "squeeze": _squeeze,
    "size": _size,
    **dict.fromkeys(("dim", "ndimension"), _of_dims(len)),
    "numel": _of_dims(product),
    "chunk": _chunk,
    "split": _split,
    "expand": _grown(lambda own, size: own if size == -1 else size),
    "repeat": _grown(lambda own, size: product([own, size])),
    "float": _cast("float32"),
    "double": _cast("float64"),
    "half": _cast("float16"),
    "long": _cast("int64"),
    "int": _cast("int32"),
    "bool": _cast("bool"),
    **dict.fromkeys(("to", "type", "astype"), _to),
    "topk": _topk,
    **dict.fromkeys(("matmul", "dot"), _multiply()),
    "mm": _multiply(2),
    "bmm": _multiply(3),
    "one_hot": _one_hot,
}  # fmt: skip
