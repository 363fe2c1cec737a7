"""Two calls of one model in a row: the first may not change what the second gives.

A cache that is filled for other lengths or dtypes does.  State that the model is meant to
have does too, and is no defect: nothing is said of a model whose ``state_dict`` changes,
or that gives something else when it is called again.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple

from ...runtime import framework_setup
from ...runtime.call_outcomes import shown
from ...runtime.execution import Arguments, PreparedTarget
from ...runtime.time_limits import TimeUp
from .value_comparison import as_numpy, described, is_array

RELATIVE = 1e-3
"""The difference to the greatest element that other sizes may make by rounding."""


def order_problem(prepared: PreparedTarget, arguments: Arguments, earlier: str) -> Optional[str]:
    """Return what a call gives after an ``earlier`` one (``x=recipe, …``), where that is else."""
    twice, control, later = (_model(prepared, arguments) for _ in range(3))
    if twice is None or control is None or later is None:
        return None
    alone = _called(prepared, twice, arguments)
    usual = [_called(prepared, each, arguments) for each in (twice, control)]
    if not all(close(alone, each) for each in usual):
        return None
    before = _state(later)
    try:
        _called(prepared, later, {**arguments, **earlier_arguments(earlier)})
    except TimeUp:
        raise
    except Exception:
        return None
    if not close(before, _state(later)):
        return None
    try:
        found = _called(prepared, later, arguments)
    except TimeUp:
        raise
    except Exception as error:
        return f"it raises {type(error).__name__} then: {shown(error)}"
    return None if close(alone, found) else _difference(alone, found)


def earlier_arguments(earlier: str) -> Dict[str, Mapping[str, Any]]:
    """Return the arguments that ``name=recipe, …`` gives."""
    call = ast.parse(f"_({earlier})", mode="eval").body
    assert isinstance(call, ast.Call)
    return {
        each.arg: {"kind": "made", "recipe": ast.unparse(each.value)}
        for each in call.keywords
        if each.arg is not None
    }


def _model(prepared: PreparedTarget, arguments: Arguments) -> Optional[Callable[..., Any]]:
    """Return the method of a new instance, as it is used once trained; ``None`` of others."""
    framework_setup.seed()
    method = prepared.bind(arguments).function()
    owner: Any = getattr(method, "__self__", None)
    if not (callable(getattr(owner, "eval", None)) and hasattr(owner, "state_dict")):
        return None
    owner.eval()
    return method


def _called(prepared: PreparedTarget, method: Callable[..., Any], arguments: Arguments) -> Any:
    framework_setup.seed()
    bound = prepared.bind(arguments)
    framework_setup.seed()
    return prepared.call(replace(bound, function=lambda: method))


def _state(method: Any) -> List[Any]:
    state = method.__self__.state_dict()
    return [as_numpy(each).copy() for each in state.values() if is_array(each)]


def close(left: Any, right: Any) -> bool:
    """Return whether two results have the same numbers, but for rounding."""
    if is_array(left) and is_array(right):
        return tuple(left.shape) == tuple(right.shape) and _near(left, right)
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(close(left[key], right[key]) for key in left)
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        return len(left) == len(right) and all(map(close, left, right))
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return left == right or abs(left - right) <= RELATIVE * max(abs(left), abs(right))
    return type(left) is type(right)


def _near(left: Any, right: Any) -> bool:
    import numpy

    first, second = as_numpy(left), as_numpy(right)
    if first is None or second is None or first.dtype.kind not in "fciub":
        return True
    scale = numpy.abs(first[numpy.isfinite(first)]).max(initial=0)
    allowed = RELATIVE * float(scale)
    return bool(numpy.allclose(first, second, rtol=0, atol=allowed, equal_nan=True))


def _difference(alone: Any, found: Any) -> str:
    worst = greatest_difference(alone, found)
    if worst is None:
        return f"{described(found)} then, {described(alone)} without it"
    where, first, second = worst
    return f"result{where} is {second:.6g} then, {first:.6g} without it"


def greatest_difference(left: Any, right: Any) -> Optional[Tuple[str, float, float]]:
    """Return where two arrays of one shape differ most, as an index, and both numbers."""
    if not (is_array(left) and is_array(right)) or tuple(left.shape) != tuple(right.shape):
        return None
    import numpy

    first, second = as_numpy(left), as_numpy(right)
    if first is None or second is None or not first.size:
        return None
    off = numpy.abs(first.astype(float) - second.astype(float))
    place = numpy.unravel_index(int(numpy.argmax(numpy.nan_to_num(off, nan=-1.0))), off.shape)
    where = f"[{', '.join(str(int(each)) for each in place)}]" if place else ""
    return where, float(first[place]), float(second[place])
