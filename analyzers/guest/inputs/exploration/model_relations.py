"""Relations between calls that a model or a function keeps: reloading, row order, masked places.

Each returns what is wrong as a text, and ``None`` where the relation holds or cannot be
asked of these arguments.  Whether it should hold at all, base says.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Callable, Dict, List, Optional, Tuple

from ...protocol.argument_decoding import Unusable
from ...runtime import framework_setup
from ...runtime.call_outcomes import shown
from ...runtime.execution import Arguments, Bound, PreparedTarget
from .call_order import close
from .value_comparison import described, is_array

Called = Tuple[Any, Dict[str, Any]]
OTHER_SEED = 12_345


def reload_problem(prepared: PreparedTarget, arguments: Arguments) -> Optional[str]:
    """Return what differs in a model made with other weights that loads this one's state."""
    saved, _ = _bound(prepared, arguments)
    loaded, _ = _bound(prepared, arguments, seed=OTHER_SEED)
    sides: List[Any] = [getattr(each, "__self__", None) for each in (saved, loaded)]
    model, other = sides
    if not (hasattr(model, "load_state_dict") and hasattr(model, "eval")):
        raise Unusable("there is no model to be reloaded")
    state = {name: each.clone() for name, each in model.state_dict().items()}
    expected = _result(prepared, saved, arguments)
    try:
        other.load_state_dict(state)
        found = _result(prepared, loaded, arguments)
    except Exception as error:
        return f"it raises {type(error).__name__}: {shown(error)}"
    return _compared(expected, found)


def permutation_problem(prepared: PreparedTarget, arguments: Arguments) -> Optional[str]:
    """Return what differs where the rows of all arrays come in another order."""
    function, bound = _bound(prepared, arguments)
    rows = {len(each) for each in _arrays(bound) if each.ndim}
    if len(rows) != 1 or max(rows) < 2:
        raise Unusable("the arrays have no common rows")
    count = max(rows)
    order = [*range(1, count), 0]

    def permuted(value: Any) -> Any:
        return value[order] if is_array(value) and value.ndim and len(value) == count else value

    expected = _result(prepared, function, arguments)
    other, changed = _bound(prepared, arguments)
    found = _called(prepared, other, _with(changed, permuted))
    if is_array(expected) and expected.ndim and len(expected) == count:
        expected = expected[order]
    elif not is_array(expected) or expected.ndim:
        raise Unusable("the result is neither a number nor one row for each")
    return _compared(expected, found)


def masked_problem(
    prepared: PreparedTarget, arguments: Arguments, name: str, mask: str, *, kept: bool
) -> Optional[str]:
    """Return what differs where ``name`` has other elements at the places that a mask hides.

    ``kept`` is the value of the mask at places that count.
    """
    from .postcondition_checks import arguments_by_name

    function, bound = _bound(prepared, arguments)
    named = arguments_by_name(bound)
    array: Any = named.get(name)
    marks: Any = named.get(mask)
    if not (is_array(array) and is_array(marks) and "bool" in str(marks.dtype)):
        raise Unusable("there is no mask of an array")
    fits = tuple(array.shape[: marks.ndim]) == tuple(marks.shape) and marks.ndim
    hidden = ~marks if kept else marks
    if not fits or not hidden.any() or hidden.all():
        raise Unusable("the mask does not hide some places of the array")
    expected = _result(prepared, function, arguments)
    other, changed = _bound(prepared, arguments)
    target = arguments_by_name(changed)[name]

    def disturbed(value: Any) -> Any:
        if value is not target:
            return value
        copy = value.clone() if hasattr(value, "clone") else value.copy()
        copy[hidden] = copy[hidden] * -3 + 2
        return copy

    found = _called(prepared, other, _with(changed, disturbed))
    shape: Any = getattr(expected, "shape", ())
    whole = tuple(shape[: marks.ndim]) == tuple(marks.shape)
    return _compared(*(each[~hidden] if whole else each for each in (expected, found)))


def _bound(
    prepared: PreparedTarget, arguments: Arguments, seed: int = framework_setup.SEED
) -> Tuple[Callable[..., Any], Bound]:
    """Return the function of a new instance, in evaluation mode, and its bound call."""
    framework_setup.seed(seed)
    bound = prepared.bind(arguments)
    function = bound.function()
    owner: Any = getattr(function, "__self__", None)
    if callable(getattr(owner, "eval", None)):
        owner.eval()
    return function, bound


def _result(prepared: PreparedTarget, function: Callable[..., Any], arguments: Arguments) -> Any:
    return _called(prepared, function, prepared.bind(arguments))


def _called(prepared: PreparedTarget, function: Callable[..., Any], bound: Bound) -> Any:
    framework_setup.seed()
    return prepared.call(replace(bound, function=lambda: function))


def _arrays(bound: Bound) -> List[Any]:
    return [each for each in (*bound.args, *bound.kwargs.values()) if is_array(each)]


def _with(bound: Bound, change: Callable[[Any], Any]) -> Bound:
    kwargs = {name: change(each) for name, each in bound.kwargs.items()}
    return replace(bound, args=[change(each) for each in bound.args], kwargs=kwargs)


def _compared(expected: Any, found: Any) -> Optional[str]:
    if close(expected, found):
        return None
    return f"the result is {described(found)} then, {described(expected)} before"
