"""Functions of torch, NumPy and JAX on tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..facts import all_known
from .abstract_values import (
    UNKNOWN,
    CallArguments,
    Evaluator,
    LibraryLayer,
    ShapeAttribute,
    Tensor,
    TensorElements,
    TensorShape,
    UntypedParameter,
    ValueMethod,
)
from .library_layers import apply_layer
from .multi_input_layers import FUNCTIONS as LOSS_FUNCTIONS
from .operators import broadcast, matmul, tensor_of
from .sizes import Size, SizeConstraints, plus
from .statement_handlers import rounds
from .tensor_creation import dims_of
from .tensor_operations import OPERATIONS

_TENSORS_ONLY = frozenset(OPERATIONS) - {
    "split", "copy", "add", "data", "type", "size", "any", "all", "sort", "mode", "sum", "max",
    "min", "mean", "item", "to", "float", "double", "std", "norm", "flatten", "log", "int",
    "repeat", "long", "bool", "round", "t", "median", "expand", "index", "sub", "transpose",
    "div", "half", "dot", "eval", "cuda", "cpu", "numpy", "abs", "var", "exp",
}  # fmt: skip
"""Methods that nothing but a tensor has."""

_TORCH_ONLY = frozenset({
    "sum", "max", "min", "mean", "to", "float", "long", "size", "repeat", "expand", "transpose",
    "t", "cuda", "cpu", "flatten",
})  # fmt: skip


def tensor_attribute(ledger: SizeConstraints, value: Any, name: str) -> Any:
    """Return an attribute of what is, or may be, a tensor."""
    if name == "shape":
        tensor = tensor_of(ledger, value)
        return UNKNOWN if tensor is None else ShapeAttribute(tensor)
    if name in ("T", "mT") and isinstance(value, Tensor):
        return OPERATIONS["t"](value, CallArguments([], {}))
    if name in ("ndim", "dtype", "device", "is_cuda", "grad", "requires_grad"):
        tensor = value if isinstance(value, Tensor) else None
        dims = tensor.shape.dims if tensor is not None and name == "ndim" else None
        return UNKNOWN if dims is None else len(dims)
    if name == "data" and isinstance(value, Tensor):
        return value
    return ValueMethod(value, name)


def method_call(machine: Evaluator, method: ValueMethod, call: CallArguments) -> Any:
    """Call a method of a tensor, or of what thereby is one."""
    receiver, open_ = method.receiver, isinstance(method.receiver, UntypedParameter)
    if open_ and receiver.tensor is None and method.name not in _TENSORS_ONLY | _TORCH_ONLY:
        receiver.escaped = True
        return UNKNOWN
    tensor = tensor_of(machine.ledger, receiver)
    operation = OPERATIONS.get(method.name)
    if tensor is None:
        return UNKNOWN
    if operation is None:
        dims = dims_of(call.args) if method.name in ("new_zeros", "new_ones", "new_empty") else None
        if not call.args or dims is None:
            machine.ledger.doubt()
            return UNKNOWN
        elements = TensorElements(tensor.elements.dtype, drawn=True)
        return Tensor(TensorShape(machine.ledger, dims), elements)
    return operation(tensor, call)


_PREFIXES = (
    "torch.nn.functional.", "torch.linalg.", "torch.special.", "torch.", "numpy.linalg.", "numpy.",
    "jax.numpy.", "jax.nn.", "keras.ops.",
)  # fmt: skip
_POOLS = {
    f"{kind}_pool{n}d": f"{name}Pool{n}d"
    for kind, name in (("max", "Max"), ("avg", "Avg"), ("adaptive_avg", "AdaptiveAvg"),
                       ("adaptive_max", "AdaptiveMax"))
    for n in (1, 2, 3)
}  # fmt: skip
Function = Callable[[Evaluator, CallArguments], Any]


def library_call(machine: Evaluator, name: str, call: CallArguments) -> Any:  # noqa: PLR0911 - one for each kind of value
    """Return what a library's function returns; ``UNKNOWN``, with a doubt, where nobody knows."""
    prefix = next((each for each in _PREFIXES if name.startswith(each)), None)
    if prefix is None:
        return _away(machine, call)
    word = name.removeprefix(prefix)
    several = _FUNCTIONS.get(word)
    if several is not None:
        return several(machine, call)
    if word in _POOLS:
        return _pool(machine, word, call)
    if word in LOSS_FUNCTIONS:
        both = [call.get(0, "input"), call.get(1, "target", "labels")]
        return apply_layer(machine, LibraryLayer(LOSS_FUNCTIONS[word], dict(call.kwargs)), both, {})
    first = call.get(0, "input", "a", "x")
    tensor = tensor_of(machine.ledger, first)
    if tensor is None:
        return UNKNOWN
    if isinstance(first, UntypedParameter) and not tensor.shape.touched:
        tensor.kind = "np_arrays" if prefix.startswith("numpy") else tensor.kind
        tensor.kind = "jax_arrays" if prefix.startswith("jax") else tensor.kind
        tensor.shape.touched = True
    operation = OPERATIONS.get(word)
    if operation is None:
        return _away(machine, call)
    return operation(tensor, CallArguments(call.args[1:], call.kwargs))


def _away(machine: Evaluator, call: CallArguments) -> Any:
    for each in [*call.args, *call.kwargs.values()]:
        if isinstance(each, UntypedParameter):
            each.escaped = True
        if isinstance(each, Tensor | UntypedParameter):
            machine.ledger.doubt()
    return UNKNOWN


def _pool(machine: Evaluator, word: str, call: CallArguments) -> Any:
    first = "output_size" if word.startswith("adaptive") else "kernel_size"
    arguments = {
        first: call.get(1, first),
        "stride": call.get(2, "stride"),
        "padding": call.get(3, "padding") or 0,
        "ceil_mode": call.kwargs.get("ceil_mode", False),
    }
    return apply_layer(machine, LibraryLayer(_POOLS[word], arguments), call.args[:1], {})


def _interpolate(machine: Evaluator, call: CallArguments) -> Any:
    arguments = {
        "size": call.get(1, "size"),
        "scale_factor": call.get(2, "scale_factor"),
    }
    return apply_layer(machine, LibraryLayer("Upsample", arguments), call.args[:1], {})


def _tensors(machine: Evaluator, value: Any) -> list[Tensor] | None:
    items = rounds(value)
    if items is None:
        return None
    return all_known(tensor_of(machine.ledger, each) for each in items) or None


def _cat(machine: Evaluator, call: CallArguments) -> Any:
    """Tensors of equal dimensions but for one, which adds up."""
    dim = call.get(1, "dim", "axis")
    dim = 0 if dim is None else dim
    tensors = _tensors(machine, call.args[0]) if call.args else None
    if tensors is None or not isinstance(dim, int):
        return UNKNOWN
    rank = next((len(each.shape.dims) for each in tensors if each.shape.dims is not None), None)
    if rank is None:
        rank = max(machine.ledger.guess(), dim + 1 if dim >= 0 else -dim)
    all_dims = [each.shape.close(rank) for each in tensors]
    first = all_dims[0]
    if first is None or not -rank <= dim < rank:
        machine.ledger.doubt()
        return UNKNOWN
    found, total = list(first), first[dim]
    for dims in all_dims[1:]:
        if dims is None:
            machine.ledger.doubt()
            return UNKNOWN
        for index in range(rank):
            if index != dim % rank:
                machine.ledger.equal(found[index], dims[index])
        total = plus(total, dims[dim])
    found[dim] = total
    dtype = next((each.elements.dtype for each in tensors if each.elements.dtype), None)
    return Tensor(
        TensorShape(machine.ledger, found), TensorElements(dtype, drawn=True), tensors[0].kind
    )


def _stack(machine: Evaluator, call: CallArguments) -> Any:
    dim = call.get(1, "dim", "axis") or 0
    tensors = _tensors(machine, call.args[0]) if call.args else None
    if tensors is None or not isinstance(dim, int):
        return UNKNOWN
    for each in tensors[1:]:
        tensors[0].shape.merge(each.shape)
    dims = tensors[0].shape.dims
    if dims is None or not -len(dims) - 1 <= dim <= len(dims):
        return UNKNOWN
    found: list[Size] = list(dims)
    found.insert(dim if dim >= 0 else len(dims) + 1 + dim, len(tensors))
    return Tensor(
        TensorShape(machine.ledger, found), TensorElements(tensors[0].elements.dtype, drawn=True)
    )


def _where(machine: Evaluator, call: CallArguments) -> Any:
    tensors = [tensor_of(machine.ledger, each) for each in call.args]
    known = [each for each in tensors if each is not None]
    if len(call.args) != 3 or not known:
        return UNKNOWN
    shape = known[0].shape
    for each in known[1:]:
        shape = broadcast(machine.ledger, shape, each.shape)
    return Tensor(shape, TensorElements(known[-1].elements.dtype, drawn=True))


def _einsum(machine: Evaluator, call: CallArguments) -> Any:
    """``torch.einsum``: letters that are equal are equal sizes."""
    ledger = machine.ledger
    known = all_known(tensor_of(ledger, each) for each in call.args[1:])
    equation = call.args[0] if call.args else None
    if not isinstance(equation, str) or known is None:
        return UNKNOWN
    left, arrow, right = equation.replace(" ", "").partition("->")
    parts = left.split(",")
    all_dims = [tensor.shape.close(len(part)) for tensor, part in zip(known, parts, strict=False)]
    if not arrow or len(parts) != len(known) or "." in equation or None in all_dims:
        ledger.doubt()
        return UNKNOWN
    sizes: dict[str, Size] = {}
    for letters, dims in zip(parts, all_dims, strict=True):
        for letter, size in zip(letters, dims or (), strict=True):
            ledger.equal(sizes.setdefault(letter, size), size)
    if any(letter not in sizes for letter in right):
        return UNKNOWN
    found = [ledger.resolved(sizes[letter]) for letter in right]
    return Tensor(TensorShape(ledger, found), TensorElements(known[0].elements.dtype, drawn=True))


def _normalize(machine: Evaluator, call: CallArguments) -> Any:
    tensor = tensor_of(machine.ledger, call.args[0]) if call.args else None
    if tensor is None:
        return UNKNOWN
    dim = call.get(2, "dim")
    tensor.elements.floating()
    tensor.shape.at(dim if isinstance(dim, int) else 1)
    return Tensor(tensor.shape, TensorElements("float32", drawn=True))


def _attention(machine: Evaluator, call: CallArguments) -> Any:
    """``scaled_dot_product_attention``: ``... n d``, ``... m d`` and ``... m v``."""
    ledger = machine.ledger
    three = [call.get(i, name) for i, name in enumerate(("query", "key", "value"))]
    tensors = [each for each in (tensor_of(ledger, one) for one in three) if each is not None]
    if len(tensors) < 3:
        return UNKNOWN
    for each in tensors:
        each.elements.floating()
    rank = next((len(t.shape.dims) for t in tensors if t.shape.dims is not None), 4)
    query, key, value = (each.shape.close(rank) for each in tensors)
    if query is None or key is None or value is None:
        ledger.doubt()
        return UNKNOWN
    ledger.equal(query[-1], key[-1])
    ledger.equal(key[-2], value[-2])
    for index in range(rank - 2):
        ledger.equal(query[index], key[index])
        ledger.equal(query[index], value[index])
    shape = TensorShape(ledger, [*query[:-1], value[-1]])
    return Tensor(shape, TensorElements("float32", drawn=True))


def _weighted(name: str, *sizes: str) -> Function:
    def act(machine: Evaluator, call: CallArguments) -> Any:
        weight = tensor_of(machine.ledger, call.get(1, "weight"))
        dims = weight.shape.close(2) if weight is not None else None
        if dims is None or not call.args:
            return UNKNOWN
        layer = LibraryLayer(name, dict(zip(sizes, dims, strict=True)))
        return apply_layer(machine, layer, call.args[:1], {})

    return act


_FUNCTIONS: dict[str, Function] = {
    **dict.fromkeys(("cat", "concat", "concatenate"), _cat),
    "stack": _stack,
    "where": _where,
    **dict.fromkeys(
        ("matmul", "dot"),
        lambda machine, call: matmul(machine.ledger, *call.args[:2]) if call.args[1:] else UNKNOWN,
    ),
    "einsum": _einsum,
    "normalize": _normalize,
    **dict.fromkeys(("interpolate", "upsample"), _interpolate),
    "scaled_dot_product_attention": _attention,
    "embedding": _weighted("Embedding", "num_embeddings", "embedding_dim"),
    "linear": _weighted("Linear", "out_features", "in_features"),
}
