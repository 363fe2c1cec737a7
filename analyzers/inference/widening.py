"""Contracts with fewer limits, for inputs whose validity another revision decides."""

from __future__ import annotations

from dataclasses import replace

from analyzers.guest.annotations.constraints import Argument, Constraint, Expression
from analyzers.guest.annotations.syntax import parse, render
from analyzers.vocabulary import Contract

from .facts import ConstraintSource
from .function_contracts import CONSTRUCTOR, FunctionContract

_ARRAYS = frozenset({"tensors", "np_arrays", "jax_arrays"})


def widened_contract(terms: FunctionContract) -> Contract:
    """Return the contract without the inferred limits on the sizes and strides of arrays.

    Ranks and sizes that only follow from one reading of the code are not drawn apart
    otherwise: a function may take more than its present body shows.
    """
    arguments = {
        name: render(_widened(parse(constraint)))
        if terms.terms[name].source is not ConstraintSource.GIVEN
        else constraint
        for name, constraint in terms.contract.arguments.items()
        if name in terms.terms and not name.startswith(CONSTRUCTOR)
    }
    return replace(terms.contract, arguments={**terms.contract.arguments, **arguments})


def _widened(constraint: Constraint) -> Constraint:
    if constraint.kind not in _ARRAYS:
        return constraint
    kept = [each for each in constraint.arguments if each[0] not in ("shape", "contiguous")]
    shape = constraint["shape"]
    if shape is not None and not _is_anonymous(shape):
        kept.append(("shape", shape))
    return Constraint(constraint.kind, tuple(kept))


def _is_anonymous(shape: Argument) -> bool:
    """Return whether no size of a shape is shared or fixed: all are ranges."""
    if isinstance(shape, Expression):
        return False
    sizes = shape if isinstance(shape, tuple) else (shape,)
    return all(isinstance(each, Constraint) and each.kind == "ints" for each in sizes)
