"""Attributes and methods of tensors, and of parameters that turn out to be tensors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .arithmetic import tensor_of
from .creation import dims_of
from .ledger import Ledger
from .machine import Machine
from .operations import OPERATIONS
from .values import UNKNOWN, Elements, Extent, Method, Mixed, Parameter, Shape, Tensor

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


def tensor_attribute(ledger: Ledger, value: Any, name: str) -> Any:
    """An attribute of what is, or may be, a tensor."""
    if name == "shape":
        tensor = tensor_of(ledger, value)
        return UNKNOWN if tensor is None else Extent(tensor)
    if name in ("T", "mT") and isinstance(value, Tensor):
        return OPERATIONS["t"](ledger, value, [], {})
    if name in ("ndim", "dtype", "device", "is_cuda", "grad", "requires_grad"):
        tensor = value if isinstance(value, Tensor) else None
        dims = tensor.shape.dims if tensor is not None and name == "ndim" else None
        return UNKNOWN if dims is None else len(dims)
    if name == "data" and isinstance(value, Tensor):
        return value
    return Method(value, name)


def method_call(
    machine: Machine, method: Method, args: list[Any], kwargs: Mapping[str, Any]
) -> Any:
    """A method of a tensor, or of what thereby is one."""
    receiver = method.receiver
    if isinstance(receiver, Parameter) and not _tells(receiver, method.name):
        receiver.escaped = True
        return UNKNOWN
    tensor = tensor_of(machine.ledger, receiver)
    operation = OPERATIONS.get(method.name)
    if tensor is None:
        return UNKNOWN
    if operation is None:
        return _other(machine, tensor, method.name, args)
    return operation(machine.ledger, tensor, args, kwargs)


def _tells(parameter: Parameter, name: str) -> bool:
    """Whether a method's name says that what it is called on is a tensor."""
    if parameter.tensor is not None or name in _TENSORS_ONLY:
        return True
    return name in _TORCH_ONLY and not isinstance(parameter, Mixed) and name not in ("split", "add")


def _other(machine: Machine, tensor: Tensor, name: str, args: list[Any]) -> Any:
    ledger = machine.ledger
    if name in ("new_zeros", "new_ones", "new_empty") and args:
        dims = dims_of(args)
        if dims is not None:
            return Tensor(Shape(ledger, dims), Elements(tensor.elements.dtype, drawn=True))
    ledger.doubt()
    return UNKNOWN
