"""Lists, tuples and dictionaries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Tuple

from ..annotations.nouns import Constraint
from ..annotations.rendering import render
from .choices import element
from .recipes import Display, Literal, Pairs, Recipe, evaluate, makers, names
from .scope import Scope, Unmeetable
from .strategies import strategy

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

MORE_ELEMENTS = 5
"""How many elements more than the fewest there are where no most is said."""

_BOUNDS = ("min", "max", "exclude_min", "exclude_max")


def lengths(constraint: Constraint) -> Tuple[int, int]:
    """The fewest and the most elements of a constraint's values."""
    low = constraint.value("min_len", 0)
    high: Optional[int] = constraint.value("max_len")
    return low, low + MORE_ELEMENTS if high is None else high


def lists(constraint: Constraint, scope: Scope) -> SearchStrategy[Recipe]:
    """Lists of what a constraint says, of integers where none does."""
    given = constraint["elements"]
    if isinstance(given, tuple):
        raise Unmeetable(render(constraint), "its elements are one constraint")
    inside = strategy(Constraint("ints"), scope) if given is None else element(given, scope)
    return _listed(constraint, inside, unique=constraint.value("unique", False))


def _listed(
    constraint: Constraint, inside: SearchStrategy[Recipe], *, unique: bool = False
) -> SearchStrategy[Recipe]:
    from hypothesis.strategies import lists as several

    low, high = lengths(constraint)
    found = several(inside, min_size=low, max_size=high, unique_by=_identity if unique else None)
    return found.map(lambda items: Display("list", tuple(items)))


def _identity(recipe: Recipe) -> Any:
    """What two recipes have in common if their values are equal, as keys of a dictionary are."""
    if isinstance(recipe, Literal):
        return recipe.value
    if names(recipe) or makers(recipe) or not isinstance(recipe, Display):
        return recipe.source()
    value = evaluate(recipe, {})
    try:
        hash(value)
    except TypeError:
        return recipe.source()
    return value


def int_lists(constraint: Constraint, scope: Scope) -> SearchStrategy[Recipe]:
    """Lists of integers within bounds."""
    return _listed(constraint, strategy(_bounded("ints", constraint), scope))


def float_lists(constraint: Constraint, scope: Scope) -> SearchStrategy[Recipe]:
    """Lists of finite floats within bounds."""
    return _listed(constraint, strategy(_bounded("floats", constraint), scope))


def bool_lists(constraint: Constraint, scope: Scope) -> SearchStrategy[Recipe]:
    """Lists of booleans."""
    return _listed(constraint, strategy(Constraint("bools"), scope))


def string_lists(constraint: Constraint, scope: Scope) -> SearchStrategy[Recipe]:
    """Lists of strings."""
    return _listed(constraint, strategy(Constraint("strings"), scope))


def _bounded(kind: str, constraint: Constraint) -> Constraint:
    given = tuple(item for item in constraint.arguments if item[0] in _BOUNDS)
    return Constraint(kind, given)


def tuples(constraint: Constraint, scope: Scope) -> SearchStrategy[Recipe]:
    """Tuples with one element for each constraint."""
    from hypothesis.strategies import tuples as joined

    given = constraint["elements"]
    inside = [element(item, scope) for item in given] if isinstance(given, tuple) else []
    return joined(*inside).map(lambda items: Display("tuple", items))


def dicts(constraint: Constraint, scope: Scope) -> SearchStrategy[Recipe]:
    """Dictionaries; keys are strings, and values integers, where nothing is said."""
    from hypothesis.strategies import lists as several
    from hypothesis.strategies import tuples as joined

    low, high = lengths(constraint)
    keys, values = (
        element(_one(constraint, name) or Constraint(kind), scope)
        for name, kind in (("keys", "strings"), ("values", "ints"))
    )
    found = several(
        joined(keys, values),
        min_size=low,
        max_size=high,
        unique_by=lambda pair: _identity(pair[0]),
    )
    return found.map(lambda items: Pairs(tuple(items)))


def _one(constraint: Constraint, name: str) -> Any:
    given = constraint[name]
    if isinstance(given, tuple):
        raise Unmeetable(render(constraint), f"its {name} are one constraint")
    return given
