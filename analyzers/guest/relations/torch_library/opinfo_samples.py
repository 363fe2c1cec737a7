"""Valid calls from ``op_db``: each operator's samples, for each function and method it has."""

from __future__ import annotations

import inspect
import sys
import types
import unittest
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from itertools import islice
from typing import Any, Dict, Generator, Iterator, List, Optional, Sequence, Tuple

from ..relation_types import CallSource, Library, LiveCall
from .call_selection import most_different, several
from .call_tracing import traced


@cache
def opinfo_database() -> List[Any]:
    """``op_db``: torch's operators with generators of sample inputs (``OpInfo``)."""
    with _expecttest():
        from torch.testing._internal.common_methods_invocations import op_db

    return list(op_db)


@cache
def moduleinfo_database() -> List[Any]:
    """``module_db``: torch's layers with generators of inputs (``ModuleInfo``)."""
    with _expecttest():
        from torch.testing._internal.common_modules import module_db

    return list(module_db)


@contextmanager
def _expecttest() -> Generator[None, None, None]:
    """What torch's tests import is there, if only by name.

    Of ``expecttest`` the test data needs a base class that is never used.
    """
    if find_spec("expecttest") is not None:
        yield
        return
    standin: Any = types.ModuleType("expecttest")
    standin.TestCase = unittest.TestCase
    sys.modules["expecttest"] = standin
    try:
        yield
    finally:
        sys.modules.pop("expecttest", None)


MOST_SAMPLES = 300
MOST_OPERATOR_CALLS = 16
MOST_OTHER_OPERATOR_CALLS = 3
"""How many samples are looked at; how many calls of the first dtype and of each other are kept."""

OPERATOR_DTYPES = ("float32", "int64", "bool", "complex64", "float64", "bfloat16")
"""The first that an operator supports is the one most calls are for."""


def opinfo_calls(library: Library, operators: Sequence[Any]) -> Iterator[Tuple[CallSource, str]]:
    """The calls of some operators."""
    for operator in operators:
        for call in _operator_calls(operator, library):
            yield call, "op_db"


def _operator_calls(operator: Any, library: Library) -> Iterator[CallSource]:
    most, looked = MOST_OPERATOR_CALLS, MOST_SAMPLES
    for dtype in OPERATOR_DTYPES:
        found = _samples(operator, dtype, library, looked)
        if not found:
            continue
        for lives in _of_variants(operator, found, library):
            yield from several(most_different(lives), library, most)
        most, looked = MOST_OTHER_OPERATOR_CALLS, 4 * MOST_OTHER_OPERATOR_CALLS


def _samples(operator: Any, dtype: str, library: Library, most: int) -> List[Any]:
    import torch

    kind = getattr(torch, dtype)
    library.seed()
    try:
        if not operator.supports_dtype(kind, "cpu"):
            return []
        samples = operator.sample_inputs_func(operator, "cpu", kind, requires_grad=False)
        return list(islice(samples, most))
    except Exception:
        return []


def _of_variants(
    operator: Any, samples: Sequence[Any], library: Library
) -> Iterator[List[LiveCall]]:
    functions = list(_variants(operator))
    names = [library.named(function) for function in functions]
    if names[0] is None:
        yield from _inside(functions[0], samples[: 4 * MOST_OTHER_OPERATOR_CALLS], library)
    for name in dict.fromkeys(name for name in names if name):
        yield [_operator_call(name, sample, library) for sample in samples]


def _variants(operator: Any) -> Iterator[Any]:
    yield operator.op
    for info in (operator, *operator.aliases):
        names = ("op", "method_variant", "inplace_variant")
        found = (getattr(info, name, None) for name in names)
        yield from (function for function in found if function is not None)


def _operator_call(name: str, sample: Any, library: Library) -> LiveCall:
    given = [sample.input, *sample.args]
    return LiveCall(name, library.function(name), given, dict(sample.kwargs))


def _inside(function: Any, samples: Sequence[Any], library: Library) -> Iterator[List[LiveCall]]:
    """The calls that a test's own wrapper makes."""
    found: Dict[str, List[LiveCall]] = {}
    for sample in samples:
        run = _run(function, sample)
        for live in traced(run, library):
            found.setdefault(live.api, []).append(live)
    yield from found.values()


def _run(function: Any, sample: Any) -> Any:
    return lambda: function(sample.input, *sample.args, **sample.kwargs)


MOST_LAYER_CALLS = 16
MOST_OTHER_LAYER_CALLS = 4
LAYER_DTYPES = ("float32", "float64", "bfloat16", "complex64")


def moduleinfo_calls(library: Library, modules: Sequence[Any]) -> Iterator[Tuple[CallSource, str]]:
    """The calls of some layers."""
    for module in modules:
        for call in _layer_calls(module, library):
            yield call, "module_db"


def _layer_calls(module: Any, library: Library) -> Iterator[CallSource]:
    name = library.named(module.module_cls)
    if name is None:
        return
    most = MOST_LAYER_CALLS
    for dtype in LAYER_DTYPES:
        found = [_layer_call(name, item, library) for item in _inputs(module, dtype, library)]
        lives = [live for live in found if live is not None]
        yield from several(most_different(lives), library, most)
        most = MOST_OTHER_LAYER_CALLS if lives else most


def _inputs(module: Any, dtype: str, library: Library) -> List[Any]:
    import torch

    kind = getattr(torch, dtype)
    if kind not in module.dtypes:
        return []
    library.seed()
    try:
        made = module.module_inputs_func(
            module, device="cpu", dtype=kind, requires_grad=False, training=True
        )
        return list(islice(made, 100))
    except Exception:
        return []


def _layer_call(name: str, item: Any, library: Library) -> Optional[LiveCall]:
    """A layer's call; what its inputs have names for is put in order."""
    layer = library.function(name)
    made, given = item.constructor_input, item.forward_input
    if given is None:
        return None
    inputs = list(given.args)
    if given.kwargs:
        try:
            bound = inspect.signature(layer.forward).bind(None, *given.args, **given.kwargs)
        except TypeError:
            return None
        bound.apply_defaults()
        if bound.kwargs:
            return None
        inputs = list(bound.args[1:])
    return LiveCall(name, layer, list(made.args), dict(made.kwargs), inputs)
