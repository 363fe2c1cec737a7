"""Functions of torch, NumPy and JAX on tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .abstract_values import (
    UNKNOWN,
    Evaluator,
    LibraryLayer,
    MixedArithmetic,
    ShapeAttribute,
    Tensor,
    TensorElements,
    TensorShape,
    UntypedParameter,
    ValueMethod,
)
from .multi_input_layers import FUNCTIONS as LOSS_FUNCTIONS
from .operators import broadcast, matmul, tensor_of
from .sizes import Size, SizeConstraints, plus
from .statement_handlers import rounds
from .tensor_creation import dims_of
from .tensor_operations import OPERATIONS, given
from .torch_layers import apply_layer


def einsum(ledger: SizeConstraints, equation: str, tensors: list[Tensor]) -> Any:
    """The result of ``torch.einsum``: letters that are equal are equal sizes."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    parts = left.split(",")
    if not arrow or len(parts) != len(tensors) or "." in equation:
        ledger.doubt()
        return UNKNOWN
    sizes: dict[str, Size] = {}
    for letters, tensor in zip(parts, tensors, strict=True):
        dims = tensor.shape.close(len(letters))
        if dims is None:
            ledger.doubt()
            return UNKNOWN
        for letter, size in zip(letters, dims, strict=True):
            ledger.equal(sizes.setdefault(letter, size), size)
    if any(letter not in sizes for letter in right):
        return UNKNOWN
    found = [ledger.resolved(sizes[letter]) for letter in right]
    return Tensor(TensorShape(ledger, found), TensorElements(tensors[0].elements.dtype, drawn=True))


_TENSORS_ONLY = frozenset(OPERATIONS) - {
    "split", "copy", "add", "data", "type", "size", "any", "all", "sort", "mode", "sum", "max",
    "min", "mean", "item", "to", "float", "double", "std", "norm", "flatten", "log", "int",
    "repeat", "long", "bool", "round", "t", "median", "expand", "index", "sub", "transpose",
    "div", "half", "dot", "eval", "cuda", "cpu", "numpy", "abs", "var", "exp",
}  # fmt: skip
"""Methods that nothing but a tensor has."""

_TORCH_ONLY = frozenset(
    [
        "sum",
        "max",
        "min",
        "mean",
        "to",
        "float",
        "long",
        "size",
        "split",
        "repeat",
        "expand",
        "transpose",
        "t",
        "cuda",
        "cpu",
        "flatten",
        "add",
    ]
)


def tensor_attribute(ledger: SizeConstraints, value: Any, name: str) -> Any:
    """An attribute of what is, or may be, a tensor."""
    if name == "shape":
        tensor = tensor_of(ledger, value)
        return UNKNOWN if tensor is None else ShapeAttribute(tensor)
    if name in ("T", "mT") and isinstance(value, Tensor):
        return OPERATIONS["t"](ledger, value, [], {})
    if name in ("ndim", "dtype", "device", "is_cuda", "grad", "requires_grad"):
        tensor = value if isinstance(value, Tensor) else None
        dims = tensor.shape.dims if tensor is not None and name == "ndim" else None
        return UNKNOWN if dims is None else len(dims)
    if name == "data" and isinstance(value, Tensor):
        return value
    return ValueMethod(value, name)


def method_call(
    machine: Evaluator, method: ValueMethod, args: list[Any], kwargs: Mapping[str, Any]
) -> Any:
    """A method of a tensor, or of what thereby is one."""
    receiver = method.receiver
    if isinstance(receiver, UntypedParameter) and not _tells(receiver, method.name):
        receiver.escaped = True
        return UNKNOWN
    tensor = tensor_of(machine.ledger, receiver)
    operation = OPERATIONS.get(method.name)
    if tensor is None:
        return UNKNOWN
    if operation is None:
        return _other(machine, tensor, method.name, args)
    return operation(machine.ledger, tensor, args, kwargs)


def _tells(parameter: UntypedParameter, name: str) -> bool:
    """Whether a method's name says that what it is called on is a tensor."""
    if parameter.tensor is not None or name in _TENSORS_ONLY:
        return True
    return (
        name in _TORCH_ONLY
        and not isinstance(parameter, MixedArithmetic)
        and name not in ("split", "add")
    )


def _other(machine: Evaluator, tensor: Tensor, name: str, args: list[Any]) -> Any:
    ledger = machine.ledger
    if name in ("new_zeros", "new_ones", "new_empty") and args:
        dims = dims_of(args)
        if dims is not None:
            return Tensor(
                TensorShape(ledger, dims), TensorElements(tensor.elements.dtype, drawn=True)
            )
    ledger.doubt()
    return UNKNOWN


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
Function = Callable[[Evaluator, list[Any], Mapping[str, Any]], Any]


def library_call(machine: Evaluator, name: str, args: list[Any], kwargs: Mapping[str, Any]) -> Any:  # noqa: PLR0911 - one for each kind of value
    """What a library's function returns; ``UNKNOWN``, with a doubt, where it is not known."""
    prefix = next((each for each in _PREFIXES if name.startswith(each)), None)
    if prefix is None:
        return _away(machine, args, kwargs)
    word = name.removeprefix(prefix)
    several = _FUNCTIONS.get(word)
    if several is not None:
        return several(machine, args, kwargs)
    if word in _POOLS:
        return _pool(machine, word, args, kwargs)
    if word in LOSS_FUNCTIONS:
        return _loss(machine, word, args, kwargs)
    first = given(args, kwargs, 0, "input", "a", "x")
    tensor = tensor_of(machine.ledger, first)
    if tensor is None:
        return UNKNOWN
    if isinstance(first, UntypedParameter) and not tensor.shape.touched:
        tensor.kind = "np_arrays" if prefix.startswith("numpy") else tensor.kind
        tensor.kind = "jax_arrays" if prefix.startswith("jax") else tensor.kind
        tensor.shape.touched = True
    operation = OPERATIONS.get(word)
    if operation is None:
        return _away(machine, args, kwargs)
    return operation(machine.ledger, tensor, args[1:], kwargs)


def _away(machine: Evaluator, args: list[Any], kwargs: Mapping[str, Any]) -> Any:
    for each in [*args, *kwargs.values()]:
        if isinstance(each, UntypedParameter):
            each.escaped = True
        if isinstance(each, Tensor | UntypedParameter):
            machine.ledger.doubt()
    return UNKNOWN


def _pool(machine: Evaluator, word: str, args: list[Any], kwargs: Mapping[str, Any]) -> Any:
    first = "output_size" if word.startswith("adaptive") else "kernel_size"
    arguments = {
        first: given(args, kwargs, 1, first),
        "stride": given(args, kwargs, 2, "stride"),
        "padding": given(args, kwargs, 3, "padding") or 0,
        "ceil_mode": kwargs.get("ceil_mode", False),
    }
    return apply_layer(machine, LibraryLayer(_POOLS[word], arguments), args[:1], {})


def _loss(machine: Evaluator, word: str, args: list[Any], kwargs: Mapping[str, Any]) -> Any:
    both = [given(args, kwargs, 0, "input"), given(args, kwargs, 1, "target", "labels")]
    return apply_layer(machine, LibraryLayer(LOSS_FUNCTIONS[word], dict(kwargs)), both, {})


def _interpolate(machine: Evaluator, args: list[Any], kwargs: Mapping[str, Any]) -> Any:
    arguments = {
        "size": given(args, kwargs, 1, "size"),
        "scale_factor": given(args, kwargs, 2, "scale_factor"),
    }
    return apply_layer(machine, LibraryLayer("Upsample", arguments), args[:1], {})


def _tensors(machine: Evaluator, value: Any) -> list[Tensor] | None:
    items = rounds(value)
    if items is None:
        return None
    found = [tensor_of(machine.ledger, each) for each in items]
    known = [each for each in found if each is not None]
    return known if known and len(known) == len(found) else None


def _cat(machine: Evaluator, args: list[Any], kwargs: Mapping[str, Any]) -> Any:
    """Tensors of equal dimensions but for one, which adds up."""
    dim = given(args, kwargs, 1, "dim", "axis")
    dim = 0 if dim is None else dim
    tensors = _tensors(machine, args[0]) if args else None
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


def _stack(machine: Evaluator, args: list[Any], kwargs: Mapping[str, Any]) -> Any:
    dim = given(args, kwargs, 1, "dim", "axis") or 0
    tensors = _tensors(machine, args[0]) if args else None
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


def _where(machine: Evaluator, args: list[Any], kwargs: Mapping[str, Any]) -> Any:
    del kwargs
    tensors = [tensor_of(machine.ledger, each) for each in args]
    known = [each for each in tensors if each is not None]
    if len(args) != 3 or not known:
        return UNKNOWN
    shape = known[0].shape
    for each in known[1:]:
        shape = broadcast(machine.ledger, shape, each.shape)
    return Tensor(shape, TensorElements(known[-1].elements.dtype, drawn=True))


def _matmul(machine: Evaluator, args: list[Any], kwargs: Mapping[str, Any]) -> Any:
    del kwargs
    return matmul(machine.ledger, args[0], args[1]) if len(args) > 1 else UNKNOWN


def _einsum(machine: Evaluator, args: list[Any], kwargs: Mapping[str, Any]) -> Any:
    del kwargs
    tensors = [tensor_of(machine.ledger, each) for each in args[1:]]
    known = [each for each in tensors if each is not None]
    if not args or not isinstance(args[0], str) or len(known) != len(tensors):
        return UNKNOWN
    return einsum(machine.ledger, args[0], known)


def _normalize(machine: Evaluator, args: list[Any], kwargs: Mapping[str, Any]) -> Any:
    tensor = tensor_of(machine.ledger, args[0]) if args else None
    if tensor is None:
        return UNKNOWN
    dim = given(args, kwargs, 2, "dim")
    tensor.elements.floating()
    tensor.shape.at(dim if isinstance(dim, int) else 1)
    return Tensor(tensor.shape, TensorElements("float32", drawn=True))


def _attention(machine: Evaluator, args: list[Any], kwargs: Mapping[str, Any]) -> Any:
    """``scaled_dot_product_attention``: ``... n d``, ``... m d`` and ``... m v``."""
    three = [given(args, kwargs, i, name) for i, name in enumerate(("query", "key", "value"))]
    tensors = [tensor_of(machine.ledger, each) for each in three]
    query, key, value = tensors
    if query is None or key is None or value is None:
        return UNKNOWN
    for each in (query, key, value):
        each.elements.floating()
    rank = next((len(t.shape.dims) for t in (query, key, value) if t.shape.dims is not None), 4)
    dims = [each.shape.close(rank) for each in (query, key, value)]
    if dims[0] is None or dims[1] is None or dims[2] is None:
        machine.ledger.doubt()
        return UNKNOWN
    machine.ledger.equal(dims[0][-1], dims[1][-1])
    machine.ledger.equal(dims[1][-2], dims[2][-2])
    for index in range(rank - 2):
        machine.ledger.equal(dims[0][index], dims[1][index])
        machine.ledger.equal(dims[0][index], dims[2][index])
    shape = TensorShape(machine.ledger, [*dims[0][:-1], dims[2][-1]])
    return Tensor(shape, TensorElements("float32", drawn=True))


def _embedding(machine: Evaluator, args: list[Any], kwargs: Mapping[str, Any]) -> Any:
    weight = tensor_of(machine.ledger, given(args, kwargs, 1, "weight"))
    dims = weight.shape.close(2) if weight is not None else None
    if dims is None or not args:
        return UNKNOWN
    layer = LibraryLayer("Embedding", {"num_embeddings": dims[0], "embedding_dim": dims[1]})
    return apply_layer(machine, layer, args[:1], {})


def _linear(machine: Evaluator, args: list[Any], kwargs: Mapping[str, Any]) -> Any:
    weight = tensor_of(machine.ledger, given(args, kwargs, 1, "weight"))
    dims = weight.shape.close(2) if weight is not None else None
    if dims is None or not args:
        return UNKNOWN
    layer = LibraryLayer("Linear", {"in_features": dims[1], "out_features": dims[0]})
    return apply_layer(machine, layer, args[:1], {})


_FUNCTIONS: dict[str, Function] = {
    **dict.fromkeys(("cat", "concat", "concatenate"), _cat),
    "stack": _stack,
    "where": _where,
    **dict.fromkeys(("matmul", "dot"), _matmul),
    "einsum": _einsum,
    "normalize": _normalize,
    "interpolate": _interpolate,
    "upsample": _interpolate,
    "scaled_dot_product_attention": _attention,
    "embedding": _embedding,
    "linear": _linear,
}
