"""Valid calls from ``op_db``: each operator's samples, for each function and method it has."""

from __future__ import annotations

from itertools import islice
from typing import Any, Dict, Iterator, List, Sequence, Tuple

from ....nouns import Call, Live
from ...library import Library
from .choosing import varied
from .keeping import several
from .tracing import traced

MOST_SAMPLES = 300
MOST_CALLS = 16
MOST_OTHER = 3
"""How many samples are looked at; how many calls of the first dtype and of each other are kept."""

DTYPES = ("float32", "int64", "bool", "complex64", "float64", "bfloat16")
"""The first that an operator supports is the one most calls are for."""


def sampled(library: Library, operators: Sequence[Any]) -> Iterator[Tuple[Call, str]]:
    """The calls of some operators."""
    for operator in operators:
        for call in _calls(operator, library):
            yield call, "op_db"


def _calls(operator: Any, library: Library) -> Iterator[Call]:
    most, looked = MOST_CALLS, MOST_SAMPLES
    for dtype in DTYPES:
        found = _samples(operator, dtype, library, looked)
        if not found:
            continue
        for lives in _of_variants(operator, found, library):
            yield from several(varied(lives), library, most)
        most, looked = MOST_OTHER, 4 * MOST_OTHER


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


def _of_variants(operator: Any, samples: Sequence[Any], library: Library) -> Iterator[List[Live]]:
    functions = list(_variants(operator))
    names = [library.named(function) for function in functions]
    if names[0] is None:
        yield from _inside(functions[0], samples[: 4 * MOST_OTHER], library)
    for name in dict.fromkeys(name for name in names if name):
        yield [_live(name, sample, library) for sample in samples]


def _variants(operator: Any) -> Iterator[Any]:
    yield operator.op
    for info in (operator, *operator.aliases):
        names = ("op", "method_variant", "inplace_variant")
        found = (getattr(info, name, None) for name in names)
        yield from (function for function in found if function is not None)


def _live(name: str, sample: Any, library: Library) -> Live:
    given = [sample.input, *sample.args]
    return Live(name, library.function(name), given, dict(sample.kwargs))


def _inside(function: Any, samples: Sequence[Any], library: Library) -> Iterator[List[Live]]:
    """The calls that a test's own wrapper makes."""
    found: Dict[str, List[Live]] = {}
    for sample in samples:
        run = _run(function, sample)
        for live in traced(run, library):
            found.setdefault(live.api, []).append(live)
    yield from found.values()


def _run(function: Any, sample: Any) -> Any:
    return lambda: function(sample.input, *sample.args, **sample.kwargs)
