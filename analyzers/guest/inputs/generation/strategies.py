"""Turn constraints into Hypothesis strategies, which draw recipes of valid values only.

The function of a kind's name in the module that :data:`KINDS` gives builds its strategy from a
constraint whose plain parameters (:data:`PLAIN`) are settled here, before or in each draw.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Callable, Dict, FrozenSet, Mapping, Tuple

from ...annotations.checking import InvalidConstraint, check
from ...annotations.constraints import Argument, Constraint, Expression
from ...annotations.syntax import render
from ..recipes import Recipe, evaluate
from .call_scope import CallScope, UnsatisfiableConstraint

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

    Builder = Callable[[Constraint, CallScope], "SearchStrategy[Recipe]"]

KINDS: Dict[str, str] = {
    "froms": "collection_strategies",
    "anys": "collection_strategies",
    "bools": "scalar_strategies",
    "ints": "scalar_strategies",
    "floats": "scalar_strategies",
    "strings": "scalar_strategies",
    "lists": "collection_strategies",
    "tuples": "collection_strategies",
    "dicts": "collection_strategies",
    "int_lists": "collection_strategies",
    "float_lists": "collection_strategies",
    "bool_lists": "collection_strategies",
    "string_lists": "collection_strategies",
    "np_shapes": "shape_strategies",
    "np_arrays": "array_strategies",
    "tensors": "array_strategies",
    "jax_arrays": "array_strategies",
    "objs": "object_strategies",
    "configs": "object_strategies",
    "callables": "object_strategies",
    "datasets": "data_strategies",
    "loaders": "data_strategies",
    "modules": "object_strategies",
    "optimizers": "object_strategies",
    "images": "data_strategies",
    "paths": "data_strategies",
}
"""The module of this package whose function of the kind's name builds its strategies."""

PLAIN: FrozenSet[str] = frozenset(
    {
        "min", "max", "multiple_of", "exclude_min", "exclude_max", "allow_nan", "allow_inf",
        "width", "min_len", "max_len", "unique", "alphabet", "pattern", "min_dims", "max_dims",
        "min_side", "max_side", "dtype", "device", "requires_grad", "contiguous", "finite",
        "batch_size", "channels", "suffix", "form", "name", "kind",
    }
)  # fmt: skip
"""Parameters that are values: builders find a literal there, or nothing."""

_MOST_KEPT = 256


def strategy(constraint: Constraint, scope: CallScope) -> SearchStrategy[Recipe]:
    """Return a strategy for recipes of values that meet a constraint, drawn from many times.

    Raises ``UnsatisfiableConstraint`` where no value can be built.
    """
    if constraint.kind == "configs":
        return _built(constraint, scope)
    from .shape_strategies import note

    for name, given in constraint.arguments:
        if name in ("shape", "in", "out"):
            note(given, scope)
    settled = tuple(
        (name, _settled(constraint, name, given, scope)) for name, given in constraint.arguments
    )
    constraint = Constraint(constraint.kind, settled)
    open_ = tuple(name for name, given in settled if name in PLAIN and not _is_literal(given))
    return _deferred(constraint, open_, scope) if open_ else _built(constraint, scope)


def builder(kind: str) -> Builder:
    """The function that builds strategies of a kind."""
    module = import_module(f"{__package__}.{KINDS[kind]}")
    return getattr(module, kind)  # type: ignore[no-any-return]


def _built(constraint: Constraint, scope: CallScope) -> SearchStrategy[Recipe]:
    try:
        check(constraint)
    except InvalidConstraint as unfit:
        raise UnsatisfiableConstraint(render(constraint), str(unfit)) from unfit
    return builder(constraint.kind)(constraint, scope)


def _is_literal(given: Argument) -> bool:
    return isinstance(given, Expression) and given.literal


def _settled(constraint: Constraint, name: str, given: Argument, scope: CallScope) -> Argument:
    if name not in PLAIN or not isinstance(given, Expression) or given.literal:
        return given
    if scope.varies(given.source):
        return given
    try:
        return _as_literal(scope.value(given.source), name)
    except Exception as error:
        problem = f"{name} cannot be computed: {type(error).__name__}: {error}"
        raise UnsatisfiableConstraint(render(constraint), problem) from error


def _as_literal(value: Any, name: str) -> Expression:
    if name == "dtype":
        value = [_dtype(each) for each in value] if isinstance(value, list) else _dtype(value)
    return Expression(repr(value), literal=True, value=value)


def _dtype(value: Any) -> str:
    """The name of a dtype, which a library's own, such as ``torch.float32``, has too."""
    if isinstance(value, str):
        return value
    return str(getattr(value, "__name__", None) or value).rpartition(".")[2]


def _deferred(
    constraint: Constraint, names: Tuple[str, ...], scope: CallScope
) -> SearchStrategy[Recipe]:
    """A strategy whose parameters ``names`` are drawn, or computed from other arguments."""
    from hypothesis import assume
    from hypothesis.strategies import composite

    from .shape_strategies import bind

    given = dict(constraint.arguments)
    inner = {
        name: strategy(item, scope)
        for name, item in given.items()
        if name in names and isinstance(item, Constraint)
    }
    kept: Dict[str, Any] = {}

    def chosen(draw: DrawFn, name: str) -> Expression:
        if name in inner:
            return _as_literal(evaluate(draw(inner[name]), scope.namespace), name)
        source = given[name].source  # type: ignore[union-attr]
        bind(source, scope, draw)
        return _as_literal(scope.value(source), name)

    @composite
    def drawn(draw: DrawFn) -> Recipe:
        values = {name: chosen(draw, name) for name in names}
        key = repr([item.source for item in values.values()])
        if key not in kept and len(kept) < _MOST_KEPT:
            kept[key] = _or_none(_replaced(constraint, values), scope)
        found = kept[key] if key in kept else _or_none(_replaced(constraint, values), scope)
        assume(found is not None)
        return draw(found)  # type: ignore[no-any-return]

    return drawn()


def _replaced(constraint: Constraint, values: Mapping[str, Expression]) -> Constraint:
    given = tuple((name, values.get(name, item)) for name, item in constraint.arguments)
    return Constraint(constraint.kind, given)


def _or_none(constraint: Constraint, scope: CallScope) -> Any:
    try:
        return _built(constraint, scope)
    except UnsatisfiableConstraint:
        return None
