"""Which arguments a failure comes of: with others in their place it goes away.

The idea is that of Hypothesis's explain phase: each argument alone is replaced
by other valid values; one that may be any of them does not matter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Mapping, Sequence

from ..annotations.nouns import Constraint
from ..generation.recipes import BadRecipe, Recipe, evaluate, parse
from ..generation.scope import compiled
from . import drawing
from .dimensions import Dimensions
from .matching import problem_of, problem_of_call
from .outcomes import RETURNED, Key, Outcome
from .plan import Plan
from .trying import Inputs

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

OTHERS = 12
_DRAWN = 60
_FROM_POOL = 100


Pool = Sequence[Mapping[str, Mapping[str, Any]]]


def mattering(
    plan: Plan,
    inputs: Inputs,
    key: Key,
    outcome: Callable[[Inputs], Outcome],
    pool: Pool,
) -> Iterator[str]:
    """The arguments without which a failure would not be, of those that could be another.

    ``pool`` are the arguments of other inputs; ``outcome`` raises ``Enough``
    when the time is over.
    """
    try:
        for place in inputs:
            others = _others(plan, inputs, place, pool)
            changed = ({**inputs, place: other} for other in others)
            if _matters((each for each in changed if is_valid(plan, each)), key, outcome):
                yield place
    except drawing.Enough:
        return


def _matters(others: Iterator[Inputs], key: Key, outcome: Callable[[Inputs], Outcome]) -> bool:
    """Whether the failure goes away for one of a few inputs that differ in one argument."""
    tried = 0
    for other in others:
        found = outcome(other)
        if found.kind == RETURNED:
            return True
        tried += found.key == key
        if tried >= OTHERS:
            break
    return False


def _others(plan: Plan, inputs: Inputs, place: str, pool: Pool) -> Iterator[Recipe]:
    """Other recipes for an argument: drawn beside the rest of the input, then from other inputs."""
    seen = {inputs[place].source()}
    for recipe in [*_drawn(plan, inputs, place), *_pooled(place, pool)]:
        source = recipe.source()
        if source not in seen:
            seen.add(source)
            yield recipe


def _drawn(plan: Plan, inputs: Inputs, place: str) -> List[Recipe]:
    """Drawn with the dimensions as the other arguments bind them."""
    constraint = plan.constraints.get(place)
    if constraint is None:
        return []
    values = _values(plan, {name: each for name, each in inputs.items() if name != place})
    known = Dimensions(plan.prepared.namespace, values)
    for name, value in values.items():
        if name in plan.constraints:
            problem_of(value, plan.constraints[name], known)
    found: List[Recipe] = []
    try:
        drawing.draw(_beside(plan, constraint, known), found.append, _DRAWN, plan.seed)
    except Exception:
        return found
    return found


def _beside(plan: Plan, constraint: Constraint, known: Dimensions) -> SearchStrategy[Recipe]:
    """A strategy for one argument where the others are there already."""
    from hypothesis.strategies import composite

    from ..generation.strategies import strategy

    scope = plan.scope()
    inner = strategy(constraint, scope)

    @composite
    def drawn(draw: DrawFn) -> Recipe:
        scope.begin()
        scope.dims.update(known.sizes)
        scope.known.update(known.values)
        return draw(inner)

    return drawn()


def _pooled(place: str, pool: Pool) -> Iterator[Recipe]:
    for arguments in pool[:_FROM_POOL]:
        given = arguments.get(place)
        if given is not None and given["kind"] == "made":
            try:
                yield parse(given["recipe"])
            except BadRecipe:
                continue


def is_valid(plan: Plan, inputs: Inputs) -> bool:
    """Whether inputs meet their constraints together, and the preconditions."""
    try:
        values = _values(plan, inputs)
    except Exception:
        return False
    if problem_of_call(values, plan.constraints, plan.prepared.namespace) is not None:
        return False
    names = {**plan.prepared.namespace, **values}
    return all(_holds(condition, names) for condition in plan.contract.get("requires") or ())


def _values(plan: Plan, inputs: Inputs) -> Dict[str, Any]:
    return {name: evaluate(each, plan.prepared.namespace) for name, each in inputs.items()}


def _holds(condition: str, names: Dict[str, Any]) -> bool:
    try:
        return bool(eval(compiled(condition), dict(names)))  # the guest's own sandbox
    except Exception:
        return False
