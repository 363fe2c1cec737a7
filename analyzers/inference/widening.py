"""Contracts with fewer limits, for inputs whose validity another revision decides.

An example proves that its values are valid, and nothing of other values: what was seen
once becomes a range around it, and a size that was seen once a size with a name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from analyzers.guest.annotations.constraints import Argument, Constraint, Expression
from analyzers.guest.annotations.syntax import parse, render
from analyzers.vocabulary import Contract

from .facts import ConstraintSource
from .function_contracts import CONSTRUCTOR, FunctionContract, ParameterContract

_ARRAYS = frozenset({"tensors", "np_arrays", "jax_arrays"})
_EXAMPLES = frozenset(
    {
        ConstraintSource.TEST,
        ConstraintSource.CALL,
        ConstraintSource.DOCUMENT,
        ConstraintSource.DEFAULT,
        ConstraintSource.NAME,
    }
)
LARGEST = 33
MOST = 6


def widened_contract(terms: FunctionContract) -> Contract:
    """Return the contract with the union of what its sources say in place of what all admit.

    Examples are widened, and sizes and strides of arrays have no inferred limits.
    """
    contract = terms.contract
    constructor = contract.constructor
    return replace(
        contract,
        arguments=_arguments(contract, terms.terms, ""),
        constructor=constructor
        and replace(constructor, arguments=_arguments(constructor, terms.terms, CONSTRUCTOR)),
    )


def _arguments(
    contract: Contract, terms: Mapping[str, ParameterContract], prefix: str
) -> dict[str, str]:
    return {
        name: _union(constraint, terms[prefix + name])
        for name, constraint in contract.arguments.items()
    }


def _union(constraint: str, term: ParameterContract) -> str:
    if term.source is ConstraintSource.GIVEN:
        return constraint
    sources = dict.fromkeys((constraint, *term.alternatives))
    is_example = term.source in _EXAMPLES
    options = dict.fromkeys(
        render(_widened(parse(each), is_example=is_example)) for each in list(sources)[:MOST]
    )
    return f"anys({', '.join(options)})" if len(options) > 1 else next(iter(options))


def _widened(constraint: Constraint, *, is_example: bool) -> Constraint:
    if constraint.kind in _ARRAYS:
        return _any_sizes(constraint)
    if constraint.kind == "anys":
        options = cast("tuple[Constraint | Expression, ...]", constraint["options"])
        wider = tuple(
            _widened(each, is_example=is_example) if isinstance(each, Constraint) else each
            for each in options
        )
        return Constraint("anys", (("options", wider),))
    around = _around(constraint.value("values")) if constraint.kind == "froms" else None
    if is_example and around is not None:
        return Constraint("anys", (("options", (constraint, parse(around))),))
    return constraint


def _around(values: object) -> str | None:
    """Return the constraint of the values around examples; ``None`` for other than numbers."""
    if not isinstance(values, Sequence) or not values:
        return None
    if all(type(each) is bool for each in values):
        return "bools()"
    if all(type(each) is int and each > 1 for each in values):
        return f"ints(min=1, max={min(max(values) + 1, LARGEST)})"
    if all(type(each) is float and each > 0 for each in values):
        return f"floats(min=0, max={2 * max(values)!r})"
    return None


def _any_sizes(constraint: Constraint) -> Constraint:
    kept = [each for each in constraint.arguments if each[0] not in ("shape", "contiguous")]
    shape = constraint["shape"]
    if shape is not None and not _is_anonymous(shape):
        sizes = tuple(map(_named, shape)) if isinstance(shape, tuple) else shape
        kept.append(("shape", sizes))
    return Constraint(constraint.kind, tuple(kept))


def _is_anonymous(shape: Argument) -> bool:
    """Return whether no size of a shape is shared or fixed: all are ranges."""
    if isinstance(shape, Expression):
        return False
    sizes = shape if isinstance(shape, tuple) else (shape,)
    return all(isinstance(each, Constraint) and each.kind == "ints" for each in sizes)


def _named(size: Constraint | Expression) -> Constraint | Expression:
    """Return a fixed size above one as a size with a name: equal sizes stay equal."""
    if isinstance(size, Constraint) or type(size.value) is not int or size.value < 2:
        return size
    name = f"size_{size.value}"
    return Expression(repr(name), literal=True, value=name)
