"""Check values against aN constraints and the dimensions that a call's values share."""

from __future__ import annotations

import math
import numbers
import re
import sys
from collections.abc import Mapping
from typing import Any, Callable, Dict, List, Optional, Sequence

from ...annotations.constraints import Constraint
from ...annotations.syntax import parse
from .shared_dimensions import Dimensions
from .value_comparison import as_numpy, described, finite, is_array, same

_SAME = {
    "int": "int64",
    "long": "int64",
    "float": "float32",
    "half": "float16",
    "double": "float64",
}


def is_of(value: Any, module: str) -> bool:
    """Return whether a value is an array of ``torch``, ``numpy`` or ``jax``."""
    name = {"torch": "Tensor", "numpy": "ndarray", "jax": "Array"}[module]
    kind = getattr(sys.modules.get(module), name, None)
    return isinstance(value, kind) if isinstance(kind, type) else False


def array_problem(value: Any, constraint: Constraint, known: Dimensions) -> Optional[str]:
    """Return why an array does not meet a constraint; binds dimensions."""
    return (
        _dtype(value, constraint, known)
        or _shape(value, constraint, known)
        or _layout(value, constraint)
        or _numbers(value, constraint, known)
    )


def _dtype(value: Any, constraint: Constraint, known: Dimensions) -> Optional[str]:
    wanted = known.value(constraint["dtype"])
    if wanted is None:
        return None
    words = wanted if isinstance(wanted, (list, tuple)) else [wanted]
    names = [str(word).rpartition(".")[2] for word in words]
    own = str(value.dtype).rpartition(".")[2]
    if own in names or own in [_SAME.get(name) for name in names]:
        return None
    if "float" in names and own == "float64":
        return None
    return f"its dtype is {own}, not {' or '.join(names)}"


def _shape(value: Any, constraint: Constraint, known: Dimensions) -> Optional[str]:
    shape = tuple(int(size) for size in value.shape)
    problem = known.problem(shape, constraint["shape"])
    return f"its shape is {shape}: {problem}" if problem else None


def _layout(value: Any, constraint: Constraint) -> Optional[str]:
    wanted = constraint.value("requires_grad")
    if wanted is not None and bool(getattr(value, "requires_grad", False)) != wanted:
        return "it requires no gradient" if wanted else "it requires a gradient"
    if constraint.value("contiguous") and not getattr(value, "is_contiguous", lambda: True)():
        return "it is not contiguous"
    return None


def _numbers(value: Any, constraint: Constraint, known: Dimensions) -> Optional[str]:
    if constraint.value("finite") and not finite(value):
        return "it has numbers that are not finite"
    found = as_numpy(value)
    if found is None or not found.size or found.dtype.kind not in "iufb":
        return None
    return _below(found, constraint, known) or _above(found, constraint, known)


def _below(found: Any, constraint: Constraint, known: Dimensions) -> Optional[str]:
    low = _as_in(found, known.value(constraint["min"]))
    if low is None:
        return None
    least = found.min()
    fits = least > low if constraint.value("exclude_min") else least >= low
    return None if fits else f"its smallest number is {least}, the bound {low}"


def _above(found: Any, constraint: Constraint, known: Dimensions) -> Optional[str]:
    high = _as_in(found, known.value(constraint["max"]))
    if high is None:
        return None
    most = found.max()
    fits = most < high if constraint.value("exclude_max") else most <= high
    return None if fits else f"its largest number is {most}, the bound {high}"


def _as_in(found: Any, bound: Any) -> Any:
    """A bound in the precision of an array of floats: 0.1 is no float32."""
    if not isinstance(bound, (int, float)):
        return None
    return found.dtype.type(bound) if found.dtype.kind == "f" else bound


Problem = Optional[str]


def problem_of(value: Any, constraint: Constraint, known: Dimensions) -> Problem:
    """Return why a value does not meet a constraint, ``None`` where it does; binds dimensions."""
    check = _CHECKS.get(constraint.kind)
    return None if check is None else check(value, constraint, known)


def problem_of_call(
    values: Mapping[str, Any],
    constraints: Mapping[str, Constraint],
    namespace: Mapping[str, Any],
    known: Optional[Dimensions] = None,
) -> Problem:
    """Return why the arguments of a call do not meet their constraints together."""
    known = Dimensions(namespace, values) if known is None else known
    for name, constraint in constraints.items():
        if name in values:
            problem = problem_of(values[name], constraint, known)
            if problem:
                return f"{name}: {problem}"
    return known.settle()


def parsed(text: str) -> Constraint:
    """The constraint that a text describes; raises ``parsing.Wrong``."""
    found = _parsed.get(text)
    if found is None:
        found = _parsed[text] = parse(text)
    return found


_parsed: Dict[str, Constraint] = {}


# ------------------------------------------------------------------- choices


def _froms(value: Any, constraint: Constraint, known: Dimensions) -> Problem:
    options = known.value(constraint["values"])
    if not isinstance(options, (list, tuple, set, frozenset, dict, range)):
        return None
    return None if any(same(value, each) for each in options) else "it is none of those listed"


def _anys(value: Any, constraint: Constraint, known: Dimensions) -> Problem:
    problems: List[str] = []
    for option in _several(constraint["options"]):
        trial = known.copy()
        problem = _element(value, option, trial)
        if problem is None:
            known.take(trial)
            return None
        problems.append(problem)
    return problems[0] if len(problems) == 1 else f"it is {described(value)}"


def _several(given: Any) -> Sequence[Any]:
    return given if isinstance(given, tuple) else () if given is None else (given,)


def _element(value: Any, given: Any, known: Dimensions) -> Problem:
    if isinstance(given, Constraint):
        return problem_of(value, given, known)
    if given is None or not (given.literal or known.value(given) is not None):
        return None
    wanted = known.value(given)
    return None if same(value, wanted) else f"it is {described(value)}, not {described(wanted)}"


# ------------------------------------------------------------------- scalars


def _bools(value: Any, constraint: Constraint, known: Dimensions) -> Problem:
    del constraint, known
    is_bool = isinstance(value, bool) or type(value).__name__ in ("bool_", "bool")
    return None if is_bool else f"it is {described(value)}, no bool"


def _ints(value: Any, constraint: Constraint, known: Dimensions) -> Problem:
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        return f"it is {described(value)}, no integer"
    multiple = known.value(constraint["multiple_of"])
    if multiple and value % multiple:
        return f"it is {value}, no multiple of {multiple}"
    return _bounds(value, constraint, known)


def _floats(value: Any, constraint: Constraint, known: Dimensions) -> Problem:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return f"it is {described(value)}, no float"
    number = float(value)
    if math.isnan(number) or math.isinf(number):
        word = "allow_nan" if math.isnan(number) else "allow_inf"
        return None if constraint.value(word) else f"it is {number}"
    return _bounds(number, constraint, known)


def _bounds(value: Any, constraint: Constraint, known: Dimensions) -> Problem:
    low, high = known.value(constraint["min"]), known.value(constraint["max"])
    if isinstance(low, (int, float)) and not (
        value > low or (value == low and not constraint.value("exclude_min"))
    ):
        return f"it is {value}, the least is {low}"
    if isinstance(high, (int, float)) and not (
        value < high or (value == high and not constraint.value("exclude_max"))
    ):
        return f"it is {value}, the most is {high}"
    return None


def _strings(value: Any, constraint: Constraint, known: Dimensions) -> Problem:
    if not isinstance(value, str):
        return f"it is {described(value)}, no string"
    pattern, alphabet = constraint.value("pattern"), constraint.value("alphabet")
    if isinstance(pattern, str) and not re.search(pattern, value):
        return f"{described(value)} does not match {pattern!r}"
    if isinstance(alphabet, str) and not set(value) <= set(alphabet):
        return f"{described(value)} has other characters than {alphabet!r}"
    return _length(value, constraint, known)


def _length(value: Any, constraint: Constraint, known: Dimensions) -> Problem:
    low, high = known.value(constraint["min_len"]), known.value(constraint["max_len"])
    outside = (low is not None and len(value) < low) or (high is not None and len(value) > high)
    return f"it has {len(value)} elements" if outside else None


# ---------------------------------------------------------------- containers


def _lists(value: Any, constraint: Constraint, known: Dimensions) -> Problem:
    if not isinstance(value, list):
        return f"it is {described(value)}, no list"
    problem = _length(value, constraint, known)
    if problem is None and constraint.value("unique"):
        alike = any(same(a, b) for n, a in enumerate(value) for b in value[:n])
        problem = "two elements are the same" if alike else None
    return problem or _each(value, constraint["elements"], known)


def _each(values: Any, given: Any, known: Dimensions) -> Problem:
    found = ((n, _element(value, given, known)) for n, value in enumerate(values))
    return next((f"element {n}: {problem}" for n, problem in found if problem), None)


def _tuples(value: Any, constraint: Constraint, known: Dimensions) -> Problem:
    given = _several(constraint["elements"])
    if not isinstance(value, tuple):
        return f"it is {described(value)}, no tuple"
    if len(value) != len(given):
        return f"it has {len(value)} elements, not {len(given)}"
    found = ((n, _element(each, one, known)) for n, (each, one) in enumerate(zip(value, given)))
    return next((f"element {n}: {problem}" for n, problem in found if problem), None)


def _list_of(check: Callable[[Any, Constraint, Dimensions], Problem]) -> Any:
    def checked(value: Any, constraint: Constraint, known: Dimensions) -> Problem:
        if not isinstance(value, list):
            return f"it is {described(value)}, no list"
        problem = _length(value, constraint, known)
        found = ((n, check(each, constraint, known)) for n, each in enumerate(value))
        return problem or next((f"element {n}: {p}" for n, p in found if p), None)

    return checked


def _any_string(value: Any, constraint: Constraint, known: Dimensions) -> Problem:
    del constraint, known
    return None if isinstance(value, str) else f"it is {described(value)}, no string"


def _dicts(value: Any, constraint: Constraint, known: Dimensions) -> Problem:
    if not isinstance(value, Mapping):
        return f"it is {described(value)}, no dictionary"
    keys = _each(list(value), constraint["keys"], known)
    inside = _each(list(value.values()), constraint["values"], known)
    return _length(value, constraint, known) or keys or inside


# ------------------------------------------------------------------- objects


def _callables(value: Any, constraint: Constraint, known: Dimensions) -> Problem:
    del constraint, known
    return None if callable(value) else f"it is {described(value)}, and cannot be called"


def _configs(value: Any, constraint: Constraint, known: Dimensions) -> Problem:
    for name, given in constraint.arguments:
        if name != "of" and hasattr(value, name):
            problem = _element(getattr(value, name), given, known)
            if problem:
                return f"{name}: {problem}"
    return None


def _array(module: str) -> Callable[[Any, Constraint, Dimensions], Problem]:
    def checked(value: Any, constraint: Constraint, known: Dimensions) -> Problem:
        if not is_array(value) or not is_of(value, module):
            return f"it is {described(value)}, no array of {module}"
        return array_problem(value, constraint, known)

    return checked


_CHECKS: Dict[str, Callable[[Any, Constraint, Dimensions], Problem]] = {
    "froms": _froms,
    "anys": _anys,
    "bools": _bools,
    "ints": _ints,
    "floats": _floats,
    "strings": _strings,
    "lists": _lists,
    "tuples": _tuples,
    "int_lists": _list_of(_ints),
    "float_lists": _list_of(_floats),
    "bool_lists": _list_of(_bools),
    "string_lists": _list_of(_any_string),
    "dicts": _dicts,
    "tensors": _array("torch"),
    "np_arrays": _array("numpy"),
    "jax_arrays": _array("jax"),
    "callables": _callables,
    "configs": _configs,
}
