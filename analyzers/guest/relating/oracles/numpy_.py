"""NumPy's function of the same name: kernels that share nothing with torch's."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, reduce
from typing import Any, Dict, Iterator, List

from ..comparing import MISSING, difference
from ..libraries.library import Library
from ..nouns import Api, Disagreement
from ..outcomes import shown
from ..synthesis.binding import bound, is_default
from .exempt import is_exempt
from .namesakes import Namesake, namesake_of
from .steady import conditioned
from .trial import Trial

NAME = "numpy"


def judge(trial: Trial) -> Iterator[Disagreement]:
    """What NumPy computes of the same real numbers, floating ones in float64."""
    known = namesake_of(trial.live.api) if trial.library.name == "torch" else None
    if known is None or trial.is_open or is_exempt(NAME, trial.live.api):
        return
    expected = trial.attempt(lambda: _computed(trial, known))
    tolerance = replace(trial.tolerance, dtypes=False)
    if expected is MISSING:
        return
    text = difference(trial.value, expected, trial.library, tolerance)
    if text is not None and conditioned(trial, expected, tolerance):
        related = f"numpy.{known.function} of the same numbers, floating ones in float64"
        yield trial.told(NAME, related, (shown(trial.value), shown(expected)), text)


def _computed(trial: Trial, known: Namesake) -> Any:
    """The value as a tensor; raises where the call has no counterpart in NumPy."""
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


def _split(trial: Trial, known: Namesake) -> Any:
    """The operands in their order, and the options by NumPy's names."""
    api = _apis(trial.library)[trial.live.api]
    values = bound(api, trial.live)
    names = [each.name for each in api.parameters[: known.operands]]
    operands = [values.pop(name, None) for name in names]
    options: Dict[str, Any] = dict(known.defaults)
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


def _common(operands: List[Any]) -> Any:
    """The dtype that torch computes in."""
    import torch

    there = [each for each in operands if each is not None]
    if any(isinstance(each, torch.Tensor) and each.is_complex() for each in there):
        raise TypeError("complex numbers are no real ones")
    first = there[0]
    found = [torch.result_type(first, each) for each in there]
    return reduce(torch.promote_types, found)


def _elements(operand: Any, dtype: Any, library: Library) -> Any:
    """An operand's numbers, rounded as torch does before it computes."""
    import numpy as np
    import torch

    if operand is None:
        return None
    if dtype.is_floating_point and isinstance(operand, (bool, int, float)):
        return np.float64(operand)
    tensor = operand if isinstance(operand, torch.Tensor) else torch.tensor(operand)
    elements = library.plain(tensor.to(dtype))[2]
    return elements.astype(np.float64) if dtype.is_floating_point else elements


@cache
def _by_name(name: str) -> Dict[str, Api]:
    from ..libraries import library

    return {api.name: api for api in library(name).apis()}


def _apis(library: Library) -> Dict[str, Api]:
    return _by_name(library.name)
