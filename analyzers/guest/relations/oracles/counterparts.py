"""NumPy's function of the same name: kernels that share nothing with torch's."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any, Iterator, Mapping, Optional

from ..library_calls import apis_by_name, format_value, outcome_of, success_outcome
from ..relation_types import (
    CRASH,
    CRASHED,
    STATUS,
    VALUE,
    Disagreement,
    Library,
    LiveCall,
    Relation,
)
from ..result_comparison import MISSING, difference
from ..synthesis.parameter_matching import bind_arguments, is_default
from .call_stability import is_well_conditioned_difference
from .call_under_test import CallUnderTest
from .call_values import dtypes_of, may_write, writes
from .exemptions import is_exempt

RELATED_API = VALUE
FEWEST_INPUTS = 3
"""A relation that was seen to hold on fewer inputs may hold by chance."""


def judge_related_api(trial: CallUnderTest) -> Iterator[Disagreement]:
    """Yield each value relation's target, called as its template says."""
    for relation in trial.relations:
        if relation.source == trial.live.api and not (0 < relation.inputs < FEWEST_INPUTS):
            yield from _judged(trial, relation)


def _judged(trial: CallUnderTest, relation: Relation) -> Iterator[Disagreement]:
    from ..synthesis.call_templates import apply_template

    source = apis_by_name(trial.library).get(relation.source)
    if source is None:
        return
    live = trial.attempt(
        lambda: apply_template(relation.template, source, trial.live, trial.library)
    )
    if not isinstance(live, LiveCall) or is_exempt(RELATED_API, live.api):
        return
    if writes(live.api) and not may_write(live, trial.value):
        return
    outcome, expected = outcome_of(lambda: trial.run(live), is_told=False)
    if outcome.status == CRASHED:
        ours, kind = success_outcome(trial.value), relation.kind
        yield Disagreement(trial.live.api, relation.template, kind, CRASH, ours, outcome)
    elif relation.kind != STATUS and not outcome.exception:
        text = trial.differs(expected)
        if text is not None and not ("dtype is" in text and len(dtypes_of(trial.live)) > 1):
            values = (format_value(trial.value), format_value(expected))
            yield trial.told(RELATED_API, relation.template, values, text)


@dataclass(frozen=True)
class NumpyFunction:
    """A function of NumPy.

    The first ``operands`` parameters are given in their order; ``options`` are
    further ones, with what NumPy calls them; ``defaults`` are NumPy's keywords
    whose default is another one there.
    """

    function: str
    operands: int = 1
    options: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, int] = field(default_factory=dict)


_OF_ONE = (
    "abs acos acosh asin asinh atan atanh bitwise_not ceil cos cosh deg2rad exp exp2 expm1 "
    "fliplr flipud floor isfinite isinf isnan isneginf isposinf log log10 log1p log2 logical_not "
    "negative rad2deg reciprocal signbit sin sinc sinh sqrt square tan tanh trace trunc"
)
_OF_TWO = (
    "add atan2 bitwise_and bitwise_or bitwise_xor copysign dot float_power fmax fmin fmod gcd "
    "greater greater_equal hypot inner kron less less_equal logaddexp logaddexp2 logical_and "
    "logical_or logical_xor matmul maximum minimum multiply not_equal outer remainder subtract "
    "true_divide vdot"
)
_REDUCING = "all any amax amin mean nansum nanmean prod sum"
_ALONG = "cumprod cumsum"
_OTHER_NAMES: dict[str, str] = {
    "absolute": "abs",
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctan2": "atan2",
    "arctanh": "atanh",
    "bmm": "matmul",
    "div": "true_divide",
    "divide": "true_divide",
    "ge": "greater_equal",
    "gt": "greater",
    "le": "less_equal",
    "lt": "less",
    "mm": "matmul",
    "mul": "multiply",
    "mv": "matmul",
    "ne": "not_equal",
    "neg": "negative",
    "sub": "subtract",
}
_AXIS = {"dim": "axis", "keepdim": "keepdims"}
_OTHERS: dict[str, NumpyFunction] = {
    "clamp": NumpyFunction("clip", 3),
    "clip": NumpyFunction("clip", 3),
    "diagonal": NumpyFunction(
        "diagonal", options={"offset": "offset", "dim1": "axis1", "dim2": "axis2"}
    ),
    "diff": NumpyFunction("diff", options={"n": "n", "dim": "axis"}),
    "eq": NumpyFunction("equal", 2),
    "flip": NumpyFunction("flip", options={"dims": "axis"}),
    "pow": NumpyFunction("power", 2),
    "roll": NumpyFunction("roll", options={"shifts": "shift", "dims": "axis"}),
    "rot90": NumpyFunction("rot90", options={"k": "k", "dims": "axes"}),
    "std": NumpyFunction("std", options=_AXIS, defaults={"ddof": 1}),
    "swapaxes": NumpyFunction("swapaxes", options={"axis0": "axis1", "axis1": "axis2"}),
    "transpose": NumpyFunction("swapaxes", options={"dim0": "axis1", "dim1": "axis2"}),
    "tril": NumpyFunction("tril", options={"diagonal": "k"}),
    "triu": NumpyFunction("triu", options={"diagonal": "k"}),
    "var": NumpyFunction("var", options=_AXIS, defaults={"ddof": 1}),
    "where": NumpyFunction("where", 3),
}


NUMPY_FUNCTIONS: dict[str, NumpyFunction] = {
    **{name: NumpyFunction(name) for name in _OF_ONE.split()},
    **{name: NumpyFunction(name, 2) for name in _OF_TWO.split()},
    **{name: NumpyFunction(name, options=_AXIS) for name in _REDUCING.split()},
    **{name: NumpyFunction(name, options={"dim": "axis"}) for name in _ALONG.split()},
    **_OTHERS,
}
"""By the last name of torch's function or method."""

NUMPY_FUNCTIONS.update((name, NUMPY_FUNCTIONS[other]) for name, other in _OTHER_NAMES.items())

_PLACES = ("torch.", "torch.Tensor.", "torch.special.")
_ORDERED = ("torch.Tensor.where",)
"""Their parameters have another order than the function's of that name."""


def numpy_function_of(api: str) -> Optional[NumpyFunction]:
    """Return what NumPy has of a function or method of torch's."""
    place, _, name = api.rpartition(".")
    return NUMPY_FUNCTIONS.get(name) if f"{place}." in _PLACES and api not in _ORDERED else None


NUMPY = "numpy"


def judge_by_numpy(trial: CallUnderTest) -> Iterator[Disagreement]:
    """Yield what NumPy computes of the same real numbers, floating ones in float64."""
    known = numpy_function_of(trial.live.api)
    if known is None or trial.is_open:
        return
    expected = trial.attempt(lambda: _computed(trial, known))
    tolerance = replace(trial.tolerance, dtypes=False)
    if expected is MISSING:
        return
    text = difference(trial.value, expected, trial.library, tolerance)
    if text is not None and is_well_conditioned_difference(trial, expected, tolerance):
        related = f"numpy.{known.function} of the same numbers, floating ones in float64"
        yield trial.told(NUMPY, related, (format_value(trial.value), format_value(expected)), text)


def _computed(trial: CallUnderTest, known: NumpyFunction) -> Any:
    """Return the value as a tensor; raises where the call has no counterpart in NumPy."""
    import numpy as np
    import torch

    operands, options = _split(trial, known)
    mixed = operands[1:] if known.function == "where" else operands
    dtype = _common(mixed)
    result = trial.value.dtype
    if result.is_floating_point and not dtype.is_floating_point:
        dtype = result
    given = [_elements(each, dtype, trial.library) for each in mixed]
    if "axis" in options and not given[0].ndim:
        raise TypeError("NumPy has no axes of numbers")
    if known.function == "where":
        given.insert(0, trial.library.plain(operands[0])[2])
    with np.errstate(all="ignore"):
        value = np.asarray(getattr(np, known.function)(*given, **options))
    if value.dtype == np.uint64:
        value = value.astype(np.int64)
    return torch.from_numpy(np.ascontiguousarray(value).reshape(value.shape))


def _split(trial: CallUnderTest, known: NumpyFunction) -> Any:
    api = apis_by_name(trial.library)[trial.live.api]
    values = bind_arguments(api, trial.live)
    names = [each.name for each in api.parameters[: known.operands]]
    operands = [values.pop(name, None) for name in names]
    options: dict[str, Any] = dict(known.defaults)
    for parameter in api.parameters:
        if parameter.name not in values:
            continue
        value = values[parameter.name]
        if not is_default(parameter, value, trial.library.namespace):
            options[known.options[parameter.name]] = _option(value)
    return operands, options


def _option(value: Any) -> Any:
    """Sizes and dimensions as NumPy takes them; raises for what means something else there."""
    if isinstance(value, (list, tuple)) and value:
        return tuple(value)
    if isinstance(value, (list, tuple)) or not isinstance(value, (bool, int)):
        raise TypeError("it has no counterpart in NumPy")
    return value


def _common(operands: list[Any]) -> Any:
    import torch

    there = [each for each in operands if each is not None]
    if any(isinstance(each, torch.Tensor) and each.is_complex() for each in there):
        raise TypeError("complex numbers are no real ones")
    first = there[0]
    found = [torch.result_type(first, each) for each in there]
    return reduce(torch.promote_types, found)


def _elements(operand: Any, dtype: Any, library: Library) -> Any:
    """Return an operand's numbers, rounded as torch does before it computes."""
    import numpy as np
    import torch

    if operand is None:
        return None
    if dtype.is_floating_point and isinstance(operand, (bool, int, float)):
        return np.float64(operand)
    tensor = operand if isinstance(operand, torch.Tensor) else torch.tensor(operand)
    elements = library.plain(tensor.to(dtype))[2]
    return elements.astype(np.float64) if dtype.is_floating_point else elements
