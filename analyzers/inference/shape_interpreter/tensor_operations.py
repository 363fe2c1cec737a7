"""Operations on one tensor, called as a method or as a function alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .abstract_values import (
    UNKNOWN,
    LibraryName,
    ShapeAttribute,
    Tensor,
    TensorElements,
    TensorShape,
    sized,
)
from .operators import broadcast, matmul, tensor_of
from .reshaping import flattened, permuted, squeezed, transposed, unsqueezed, viewed
from .sizes import Size, SizeConstraints, SizeVariable, product, quotient
from .tensor_creation import dtype_of

Operation = Callable[[SizeConstraints, Tensor, list[Any], Mapping[str, Any]], Any]


def given(args: list[Any], kwargs: Mapping[str, Any], place: int, *names: str) -> Any:
    """An argument by place or name; ``None`` where it is not given."""
    if place < len(args):
        return args[place]
    return next((kwargs[name] for name in names if name in kwargs), None)


def _new(tensor: Tensor, dtype: str | None = None) -> Tensor:
    return Tensor(
        tensor.shape, TensorElements(dtype or tensor.elements.dtype, drawn=True), tensor.kind
    )


def _smooth(
    ledger: SizeConstraints, tensor: Tensor, args: list[Any], kwargs: Mapping[str, Any]
) -> Any:
    """A function of floats, element by element."""
    del ledger, args, kwargs
    tensor.elements.floating()
    return _new(tensor)


def _each(
    ledger: SizeConstraints, tensor: Tensor, args: list[Any], kwargs: Mapping[str, Any]
) -> Any:
    del ledger, args, kwargs
    return _new(tensor)


def _itself(
    ledger: SizeConstraints, tensor: Tensor, args: list[Any], kwargs: Mapping[str, Any]
) -> Any:
    del ledger, args, kwargs
    return tensor


def _along(
    ledger: SizeConstraints, tensor: Tensor, args: list[Any], kwargs: Mapping[str, Any]
) -> Any:
    """A function of floats along a dimension, which is there."""
    del ledger
    dim = given(args, kwargs, 0, "dim", "axis")
    if isinstance(dim, int):
        tensor.shape.at(dim)
    tensor.elements.floating()
    return _new(tensor)


def _pair(
    ledger: SizeConstraints, tensor: Tensor, args: list[Any], kwargs: Mapping[str, Any]
) -> Any:
    """An operation with another tensor, element by element."""
    del kwargs
    other = tensor_of(ledger, args[0]) if args else None
    if other is None:
        return _new(tensor)
    return Tensor(
        broadcast(ledger, tensor.shape, other.shape), TensorElements(tensor.elements.dtype)
    )


def _reduce(*, double: bool = False, dtype: str | None = None, smooth: bool = False) -> Operation:
    def act(
        ledger: SizeConstraints, tensor: Tensor, args: list[Any], kwargs: Mapping[str, Any]
    ) -> Any:
        dim = given(args, kwargs, 0, "dim", "axis")
        keep = given(args, kwargs, 1, "keepdim", "keepdims") is True
        if smooth:
            tensor.elements.floating()
        if dim is None:
            return Tensor(TensorShape(ledger, []), TensorElements(dtype or tensor.elements.dtype))
        found = _reduced(ledger, tensor, dim if isinstance(dim, list | tuple) else [dim], keep=keep)
        if found is None:
            return (UNKNOWN, UNKNOWN) if double else UNKNOWN
        made = Tensor(
            TensorShape(ledger, found), TensorElements(dtype or tensor.elements.dtype, drawn=True)
        )
        return (made, Tensor(made.shape, TensorElements("int64", drawn=True))) if double else made

    return act


def _reduced(
    ledger: SizeConstraints, tensor: Tensor, over: Any, *, keep: bool
) -> list[Size] | None:
    if not all(isinstance(each, int) for each in over):
        return None
    for each in over:
        tensor.shape.at(each)
    dims = tensor.shape.dims
    if dims is None:
        least = max(each + 1 if each >= 0 else -each for each in over)
        dims = tensor.shape.close(max(ledger.guess(), least, len(tensor.shape.last)))
    if dims is None:
        return None
    if not all(-len(dims) <= each < len(dims) for each in over):
        ledger.doubt()
        return None
    gone = {each % len(dims) for each in over}
    kept = [1 if index in gone else size for index, size in enumerate(dims)]
    return kept if keep else [size for index, size in enumerate(dims) if index not in gone]


def _view(
    ledger: SizeConstraints, tensor: Tensor, args: list[Any], kwargs: Mapping[str, Any]
) -> Any:
    del kwargs
    if len(args) == 1 and isinstance(args[0], LibraryName):
        return _new(tensor)
    return viewed(ledger, tensor, args)


def _flatten(
    ledger: SizeConstraints, tensor: Tensor, args: list[Any], kwargs: Mapping[str, Any]
) -> Any:
    start, end = given(args, kwargs, 0, "start_dim"), given(args, kwargs, 1, "end_dim")
    return flattened(ledger, tensor, 0 if start is None else start, -1 if end is None else end)


def _permute(
    ledger: SizeConstraints, tensor: Tensor, args: list[Any], kwargs: Mapping[str, Any]
) -> Any:
    order = args or [kwargs[key] for key in ("dims", "axes") if key in kwargs]
    return permuted(ledger, tensor, order)


def _transpose(
    ledger: SizeConstraints, tensor: Tensor, args: list[Any], kwargs: Mapping[str, Any]
) -> Any:
    if tensor.kind == "np_arrays" and (not args or isinstance(args[0], tuple) or len(args) > 2):
        return permuted(ledger, tensor, args) if args else _turned(ledger, tensor, [], {})
    first, second = given(args, kwargs, 0, "dim0"), given(args, kwargs, 1, "dim1")
    return transposed(ledger, tensor, first, second)


def _turned(
    ledger: SizeConstraints, tensor: Tensor, args: list[Any], kwargs: Mapping[str, Any]
) -> Any:
    """``x.t()``: two dimensions, swapped."""
    del args, kwargs
    dims = tensor.shape.dims or tensor.shape.close(2)
    if dims is None:
        return UNKNOWN
    return Tensor(TensorShape(ledger, dims[::-1]), tensor.elements, tensor.kind)


def _unsqueeze(
    ledger: SizeConstraints, tensor: Tensor, args: list[Any], kwargs: Mapping[str, Any]
) -> Any:
    return unsqueezed(ledger, tensor, given(args, kwargs, 0, "dim", "axis"))


def _squeeze(
    ledger: SizeConstraints, tensor: Tensor, args: list[Any], kwargs: Mapping[str, Any]
) -> Any:
    return squeezed(ledger, tensor, given(args, kwargs, 0, "dim", "axis"))


def _size(
    ledger: SizeConstraints, tensor: Tensor, args: list[Any], kwargs: Mapping[str, Any]
) -> Any:
    del ledger
    dim = given(args, kwargs, 0, "dim")
    if dim is None:
        return ShapeAttribute(tensor)
    found = tensor.shape.at(dim) if isinstance(dim, int) else None
    return UNKNOWN if found is None else found


def _rank(
    ledger: SizeConstraints, tensor: Tensor, args: list[Any], kwargs: Mapping[str, Any]
) -> Any:
    del ledger, args, kwargs
    dims = tensor.shape.dims
    return UNKNOWN if dims is None else len(dims)


def _count(
    ledger: SizeConstraints, tensor: Tensor, args: list[Any], kwargs: Mapping[str, Any]
) -> Any:
    del ledger, args, kwargs
    dims = tensor.shape.dims
    return UNKNOWN if dims is None else product(dims)


def _chunk(
    ledger: SizeConstraints, tensor: Tensor, args: list[Any], kwargs: Mapping[str, Any]
) -> Any:
    count, dim = given(args, kwargs, 0, "chunks"), given(args, kwargs, 1, "dim") or 0
    if not isinstance(count, int) or not isinstance(dim, int) or count < 1:
        return UNKNOWN
    size, dims = tensor.shape.at(dim), tensor.shape.dims
    if dims is None or size is None:
        ledger.doubt()
        return UNKNOWN
    ledger.divides(count, size)
    found = list(dims)
    found[dim] = quotient(size, count)
    return tuple(
        Tensor(TensorShape(ledger, list(found)), _new(tensor).elements) for _ in range(count)
    )


def _split(
    ledger: SizeConstraints, tensor: Tensor, args: list[Any], kwargs: Mapping[str, Any]
) -> Any:
    sizes, dim = given(args, kwargs, 0, "split_size"), given(args, kwargs, 1, "dim") or 0
    if not isinstance(dim, int):
        return UNKNOWN
    size, dims = tensor.shape.at(dim), tensor.shape.dims
    if dims is None or size is None:
        ledger.doubt()
        return UNKNOWN
    width = sized(sizes)
    if width is not None:
        count = quotient(ledger.resolved(size), width)
        if not isinstance(count, int):
            return UNKNOWN
        parts: list[Size] = [width] * count
        rest = ledger.resolved(size)
        if isinstance(rest, int) and isinstance(width, int) and rest % width:
            parts.append(rest % width)
    else:
        known = [sized(each) for each in sizes] if isinstance(sizes, list | tuple) else []
        parts = [each for each in known if each is not None]
    if not parts:
        return UNKNOWN
    return tuple(_with(ledger, tensor, dims, dim, part) for part in parts)


def _with(
    ledger: SizeConstraints, tensor: Tensor, dims: list[Size], dim: int, size: Size
) -> Tensor:
    found = list(dims)
    found[dim] = size
    low, high = tensor.elements.low, tensor.elements.high
    elements = TensorElements(tensor.elements.dtype, low, high, drawn=True)
    return Tensor(TensorShape(ledger, found), elements, tensor.kind)


def _expand(
    ledger: SizeConstraints, tensor: Tensor, args: list[Any], kwargs: Mapping[str, Any]
) -> Any:
    del kwargs
    wanted = args[0] if len(args) == 1 and isinstance(args[0], list | tuple) else args
    dims = tensor.shape.dims
    sizes = [sized(each) for each in wanted]
    if dims is None or any(each is None for each in sizes) or len(sizes) < len(dims):
        return UNKNOWN
    own: list[Size] = [1] * (len(sizes) - len(dims)) + dims
    found = [mine if size == -1 else size or 0 for mine, size in zip(own, sizes, strict=True)]
    return Tensor(TensorShape(ledger, found), _new(tensor).elements, tensor.kind)


def _repeat(
    ledger: SizeConstraints, tensor: Tensor, args: list[Any], kwargs: Mapping[str, Any]
) -> Any:
    del kwargs
    wanted = args[0] if len(args) == 1 and isinstance(args[0], list | tuple) else args
    dims = tensor.shape.dims
    sizes = [sized(each) for each in wanted]
    if dims is None or any(each is None for each in sizes) or len(sizes) < len(dims):
        return UNKNOWN
    own: list[Size] = [1] * (len(sizes) - len(dims)) + dims
    found = [product([mine, size or 0]) for mine, size in zip(own, sizes, strict=True)]
    return Tensor(TensorShape(ledger, found), _new(tensor).elements, tensor.kind)


def _cast(dtype: str) -> Operation:
    def act(
        ledger: SizeConstraints, tensor: Tensor, args: list[Any], kwargs: Mapping[str, Any]
    ) -> Any:
        del ledger, args, kwargs
        elements = tensor.elements
        return Tensor(
            tensor.shape,
            TensorElements(dtype, elements.low, elements.high, drawn=True),
            tensor.kind,
        )

    return act


def _to(ledger: SizeConstraints, tensor: Tensor, args: list[Any], kwargs: Mapping[str, Any]) -> Any:
    for each in [*args, *kwargs.values()]:
        dtype = dtype_of(each)
        if dtype is not None and (
            dtype.startswith(("float", "int", "uint", "bfloat")) or dtype == "bool"
        ):
            return _cast(dtype)(ledger, tensor, [], {})
    return tensor


def _topk(
    ledger: SizeConstraints, tensor: Tensor, args: list[Any], kwargs: Mapping[str, Any]
) -> Any:
    count = sized(given(args, kwargs, 0, "k"))
    last, dims = tensor.shape.at(-1), tensor.shape.dims
    if dims is None or count is None or last is None:
        return UNKNOWN, UNKNOWN
    if isinstance(count, int):
        ledger.least(last, count)
    found = _with(ledger, tensor, dims, -1, count)
    return found, Tensor(found.shape, TensorElements("int64", drawn=True))


def _multiply(
    ledger: SizeConstraints, tensor: Tensor, args: list[Any], kwargs: Mapping[str, Any]
) -> Any:
    del kwargs
    return matmul(ledger, tensor, args[0]) if args else UNKNOWN


def _ranked_multiply(rank: int) -> Operation:
    def act(
        ledger: SizeConstraints, tensor: Tensor, args: list[Any], kwargs: Mapping[str, Any]
    ) -> Any:
        del kwargs
        other = tensor_of(ledger, args[0]) if args else None
        if other is None or tensor.shape.close(rank) is None or other.shape.close(rank) is None:
            ledger.doubt()
            return UNKNOWN
        return matmul(ledger, tensor, other)

    return act


def _one_hot(
    ledger: SizeConstraints, tensor: Tensor, args: list[Any], kwargs: Mapping[str, Any]
) -> Any:
    count = sized(given(args, kwargs, 0, "num_classes"))
    tensor.elements.indices(count)
    dims = tensor.shape.dims or tensor.shape.close(1)
    if dims is None:
        return UNKNOWN
    shape = TensorShape(ledger, [*dims, SizeVariable("k") if count is None else count])
    return Tensor(shape, TensorElements("int64", drawn=True))


def _unknown(
    ledger: SizeConstraints, tensor: Tensor, args: list[Any], kwargs: Mapping[str, Any]
) -> Any:
    del ledger, tensor, args, kwargs
    return UNKNOWN


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
    "triu", "tril", "isnan", "add_", "mul_",
)  # fmt: skip
_ITSELF = (
    "contiguous", "detach", "clone", "cuda", "cpu", "requires_grad_",
    "pin_memory", "type_as", "copy", "ascontiguousarray", "numpy", "data",
)  # fmt: skip

OPERATIONS: dict[str, Operation] = {
    **dict.fromkeys(_SMOOTH, _smooth),
    **dict.fromkeys(_EACH, _each),
    **dict.fromkeys(_ITSELF, _itself),
    **dict.fromkeys(("softmax", "log_softmax", "logcumsumexp"), _along),
    **dict.fromkeys(("add", "sub", "mul", "div", "maximum", "minimum", "dist", "eq", "ne", "lt",
                     "gt", "le", "ge"), _pair),
    **dict.fromkeys(("sum", "prod", "all", "any", "amax", "amin", "count_nonzero"), _reduce()),
    **dict.fromkeys(("mean", "std", "var", "norm", "logsumexp"), _reduce(smooth=True)),
    **dict.fromkeys(("argmax", "argmin"), _reduce(dtype="int64")),
    **dict.fromkeys(("median", "mode", "sort", "kthvalue"), _unknown),
    "max": _reduce(double=True),
    "min": _reduce(double=True),
    **dict.fromkeys(("view", "reshape"), _view),
    "flatten": _flatten,
    "permute": _permute,
    "transpose": _transpose,
    "swapaxes": _transpose,
    "t": _turned,
    "unsqueeze": _unsqueeze,
    "expand_dims": _unsqueeze,
    "squeeze": _squeeze,
    "size": _size,
    "dim": _rank,
    "ndimension": _rank,
    "numel": _count,
    "chunk": _chunk,
    "split": _split,
    "expand": _expand,
    "repeat": _repeat,
    "float": _cast("float32"),
    "double": _cast("float64"),
    "half": _cast("float16"),
    "long": _cast("int64"),
    "int": _cast("int32"),
    "bool": _cast("bool"),
    "to": _to,
    "type": _to,
    "astype": _to,
    "topk": _topk,
    **dict.fromkeys(("matmul", "dot"), _multiply),
    "mm": _ranked_multiply(2),
    "bmm": _ranked_multiply(3),
    "one_hot": _one_hot,
    "item": _unknown,
    "tolist": _unknown,
    "backward": _unknown,
    "stride": _unknown,
    "argsort": _each,
}  # fmt: skip
