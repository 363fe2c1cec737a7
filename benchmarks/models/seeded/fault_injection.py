"""Puts a wrong kernel into one execution, so that the reference and all others stay right."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import onnx
import torch
from torch._decomp import decomposition_table
from torch.utils._python_dispatch import TorchDispatchMode

from analyzers.guest.models.executions.execution_registry import EXECUTIONS
from analyzers.guest.models.keras import keras_executions
from analyzers.guest.models.model_types import ModelUnderTest
from benchmarks.models.seeded.seeded_fault import Fault, Kernel

_ROOT = Path(__file__).resolve().parents[3]


@contextmanager
def injected(fault: Fault) -> Generator[None, None, None]:
    """The execution of a fault is wrong within."""
    right = EXECUTIONS[fault.execution]
    if fault.execution == "decompositions":
        with _decomposed(fault):
            yield
    elif fault.execution.startswith("keras-"):
        with _planted(fault):
            yield
    else:
        EXECUTIONS[fault.execution] = _wrong(right, fault)
        try:
            yield
        finally:
            EXECUTIONS[fault.execution] = right


def overload(name: str) -> Any:
    """The operator of a name such as ``addmm.default``."""
    packet, _, kind = name.partition(".")
    return getattr(getattr(torch.ops.aten, packet), kind)


def _wrong(right: Any, fault: Fault) -> Any:
    kinds = {"inductor": _lowered, "channels-last": _dispatched, "onednn-off": _dispatched}
    return kinds.get(fault.execution, _exported)(right, fault)


# ----------------------------------------------------------- ATen's own kernels


class _Mode(TorchDispatchMode):
    """Lets a wrong kernel answer for one operator."""

    def __init__(self, fault: Fault) -> None:
        super().__init__()
        self.operator = overload(fault.operator)
        self.wrong: Kernel = fault.wrong
        self.strided = fault.execution == "channels-last"

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func is not self.operator or (self.strided and not any(map(_is_strided, args))):
            return func(*args, **kwargs)
        return self.wrong(func, args, kwargs)


def _is_strided(value: Any) -> bool:
    """Whether an argument is laid out with the channels last, and not otherwise."""
    if isinstance(value, (list, tuple)):
        return any(map(_is_strided, value))
    if not isinstance(value, torch.Tensor) or value.dim() != 4 or value.is_contiguous():
        return False
    return value.is_contiguous(memory_format=torch.channels_last)


def _dispatched(right: Any, fault: Fault) -> Any:
    class Dispatched(type(right)):  # type: ignore[misc]
        def prepared(self, model: ModelUnderTest) -> Callable[..., Any]:
            run = super().prepared(model)

            def call(*inputs: Any, **keywords: Any) -> Any:
                with _Mode(fault):
                    return run(*inputs, **keywords)

            return call

    return Dispatched()


@contextmanager
def _decomposed(fault: Fault) -> Generator[None, None, None]:
    """The table of decompositions has a wrong rule."""
    operator = overload(fault.operator)
    right = decomposition_table[operator]
    decomposition_table[operator] = _instead(right, fault.wrong)
    try:
        yield
    finally:
        decomposition_table[operator] = right


def _instead(right: Callable[..., Any], wrong: Kernel) -> Callable[..., Any]:
    """A function that can stand where the right one stood."""

    def called(*args: Any, **kwargs: Any) -> Any:
        return wrong(right, args, kwargs)

    return called


def _lowered(right: Any, fault: Fault) -> Any:
    """The compiler, in the process that it is forked for, has a wrong lowering."""

    class Lowered(type(right)):  # type: ignore[misc]
        def prepared(self, model: ModelUnderTest) -> Callable[..., Any]:
            lowering: Any = import_module("torch._inductor.lowering")
            operator = overload(fault.operator)
            lowering.lowerings[operator] = _instead(lowering.lowerings[operator], fault.wrong)
            return super().prepared(model)

    return Lowered()


# --------------------------------------------------------------- exported graphs


def _exported(right: Any, fault: Fault) -> Any:
    class Exported(type(right)):  # type: ignore[misc]
        def exported(self, flattened: Any) -> bytes:
            return _changed(super().exported(flattened), fault)

    return Exported()


def _changed(graph: bytes, fault: Fault) -> bytes:
    program = onnx.load_model_from_string(graph)
    for node in list(program.graph.node):
        if node.op_type == fault.operator:
            fault.wrong(program.graph, node)
    return bytes(program.SerializeToString())


# ------------------------------------------------------------- backends of Keras


@contextmanager
def _planted(fault: Fault) -> Generator[None, None, None]:
    """The interpreter of the backend begins with the wrong function; it is started anew."""
    backend = fault.execution[len("keras-") :]
    kind: Any = keras_executions.BackendProcess
    right = kind._program
    given = (backend, fault.operator, fault.wrong)

    def program(self: Any, theirs: int, back: int) -> str:
        planting = f"from benchmarks.models.seeded.keras_kernels import plant; plant{given!r}; "
        first = f"import sys; sys.path.insert(0, {str(_ROOT)!r}); "
        return first + planting + right(self, theirs, back)

    keras_executions.close_all()
    kind._program = program
    try:
        yield
    finally:
        kind._program = right
        keras_executions.close_all()
