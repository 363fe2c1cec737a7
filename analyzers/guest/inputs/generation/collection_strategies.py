"""Listed values, and alternatives of constraints."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, List, Optional, Sequence, Tuple, Union

from ...annotations.constraints import Constraint, Expression
from ...annotations.syntax import render
from ..makers import MAKERS
from ..recipes import (
    BadRecipe,
    CallRecipe,
    DisplayRecipe,
    LiteralRecipe,
    PairsRecipe,
    Recipe,
    evaluate,
    literal,
    makers,
    names,
    parse,
    parts,
)
from .call_scope import CallScope, UnsatisfiableConstraint
from .strategies import strategy

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

_MOST_ELEMENTS = 1000


def froms(constraint: Constraint, scope: CallScope) -> SearchStrategy[Recipe]:
    """One of the listed values; the first is the simplest."""
    from hypothesis.strategies import sampled_from

    given = constraint["values"]
    if not isinstance(given, Expression):
        raise UnsatisfiableConstraint(render(constraint), "froms takes a list of values")
    found = _listed(given, scope)
    if not found:
        raise UnsatisfiableConstraint(render(constraint), "there is nothing to choose from")
    return sampled_from(found)


def anys(constraint: Constraint, scope: CallScope) -> SearchStrategy[Recipe]:
    """Any of the constraints, or of the bare values; those that cannot be met are left out."""
    from hypothesis.strategies import one_of

    options = constraint["options"]
    found, unmet = [], None
    for option in options if isinstance(options, tuple) else ():
        try:
            found.append(element(option, scope))
        except UnsatisfiableConstraint as problem:
            unmet = unmet or problem
    if not found:
        raise unmet or UnsatisfiableConstraint(
            render(constraint), "there is nothing to choose from"
        )
    return one_of(found)


def element(given: Union[Constraint, Expression], scope: CallScope) -> SearchStrategy[Recipe]:
    """Return a constraint, or a bare value as the constraint that allows just that value."""
    from hypothesis.strategies import just

    if isinstance(given, Constraint):
        return strategy(given, scope)
    if not given.literal and scope.varies(given.source):
        from hypothesis.strategies import composite

        from .shape_strategies import bind

        @composite
        def drawn(draw: DrawFn) -> Recipe:
            bind(given.source, scope, draw)
            return _literal(given.source, scope.value(given.source))

        return drawn()
    return just(exactly(given, scope))


def exactly(given: Expression, scope: CallScope) -> Recipe:
    """The recipe of an expression's value: by the names in it, or else by what it is worth."""
    if given.literal:
        return _literal(given.source, given.value)
    recipe = _by_name(given.source, scope)
    return recipe if recipe is not None else _literal(given.source, _worth(given, scope))


def _literal(source: str, value: Any) -> Recipe:
    try:
        return literal(value)
    except BadRecipe as problem:
        raise UnsatisfiableConstraint(source, f"{problem}; name it in the file") from problem


def _worth(given: Expression, scope: CallScope) -> Any:
    try:
        return scope.value(given.source)
    except Exception as error:
        problem = f"it cannot be computed: {type(error).__name__}: {error}"
        raise UnsatisfiableConstraint(given.source, problem) from error


def _by_name(source: str, scope: CallScope) -> Any:
    """The recipe that an expression is; ``None`` where it is none of the tested file's names."""
    try:
        recipe = parse(source)
    except BadRecipe:
        return None
    known = all(name.partition(".")[0] in scope.namespace for name in names(recipe))
    ours = {part.function for part in parts(recipe) if isinstance(part, CallRecipe)} & MAKERS.keys()
    return recipe if known and not ours & scope.namespace.keys() else None


def _listed(given: Expression, scope: CallScope) -> List[Recipe]:
    if given.literal:
        return [_literal(given.source, value) for value in _ordered(given.value)]
    node = ast.parse(given.source.strip(), mode="eval").body
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return [exactly(_expression(item), scope) for item in node.elts]
    return _elements(given, _worth(given, scope), scope)


def _ordered(values: Any) -> Sequence[Any]:
    return sorted(values, key=repr) if isinstance(values, set) else list(values)


def _expression(node: ast.expr) -> Expression:
    source = ast.unparse(node)
    try:
        return Expression(source, literal=True, value=ast.literal_eval(node))
    except (ValueError, TypeError):
        return Expression(source)


def _elements(given: Expression, values: Any, scope: CallScope) -> List[Recipe]:
    """The elements of what an expression is worth: literals, or by their places in it."""
    try:
        found = list(values)[:_MOST_ELEMENTS]
    except TypeError as error:
        raise UnsatisfiableConstraint(given.source, "it is no list of values") from error
    whole = _by_name(given.source, scope)
    made: List[Recipe] = []
    for place, value in enumerate(found):
        try:
            made.append(literal(value))
        except BadRecipe as problem:
            if whole is None:
                raise UnsatisfiableConstraint(
                    given.source, f"{problem}; name it in the file"
                ) from problem
            made.append(CallRecipe("element", (whole, LiteralRecipe(place))))
    return made


MORE_ELEMENTS = 5
"""How many elements more than the fewest there are where no most is said."""

_BOUNDS = ("min", "max", "exclude_min", "exclude_max")


def lengths(constraint: Constraint) -> Tuple[int, int]:
    """The fewest and the most elements of a constraint's values."""
    low = constraint.value("min_len", 0)
    high: Optional[int] = constraint.value("max_len")
    return low, low + MORE_ELEMENTS if high is None else high


def lists(constraint: Constraint, scope: CallScope) -> SearchStrategy[Recipe]:
    """Lists of what a constraint says, of integers where none does."""
    given = constraint["elements"]
    if isinstance(given, tuple):
        raise UnsatisfiableConstraint(render(constraint), "its elements are one constraint")
    inside = strategy(Constraint("ints"), scope) if given is None else element(given, scope)
    return _listed_recipes(constraint, inside, unique=constraint.value("unique", False))


def _listed_recipes(
    constraint: Constraint, inside: SearchStrategy[Recipe], *, unique: bool = False
) -> SearchStrategy[Recipe]:
    from hypothesis.strategies import lists as several

    low, high = lengths(constraint)
    found = several(inside, min_size=low, max_size=high, unique_by=_identity if unique else None)
    return found.map(lambda items: DisplayRecipe("list", tuple(items)))


def _identity(recipe: Recipe) -> Any:
    if isinstance(recipe, LiteralRecipe):
        return recipe.value
    if names(recipe) or makers(recipe) or not isinstance(recipe, DisplayRecipe):
        return recipe.source()
    value = evaluate(recipe, {})
    try:
        hash(value)
    except TypeError:
        return recipe.source()
    return value


def int_lists(constraint: Constraint, scope: CallScope) -> SearchStrategy[Recipe]:
    """Lists of integers within bounds."""
    return _listed_recipes(constraint, strategy(_bounded("ints", constraint), scope))


def float_lists(constraint: Constraint, scope: CallScope) -> SearchStrategy[Recipe]:
    """Lists of finite floats within bounds."""
    return _listed_recipes(constraint, strategy(_bounded("floats", constraint), scope))


def bool_lists(constraint: Constraint, scope: CallScope) -> SearchStrategy[Recipe]:
    """Lists of booleans."""
    return _listed_recipes(constraint, strategy(Constraint("bools"), scope))


def string_lists(constraint: Constraint, scope: CallScope) -> SearchStrategy[Recipe]:
    """Lists of strings."""
    return _listed_recipes(constraint, strategy(Constraint("strings"), scope))


def _bounded(kind: str, constraint: Constraint) -> Constraint:
    given = tuple(item for item in constraint.arguments if item[0] in _BOUNDS)
    return Constraint(kind, given)


def tuples(constraint: Constraint, scope: CallScope) -> SearchStrategy[Recipe]:
    """Tuples with one element for each constraint."""
    from hypothesis.strategies import tuples as joined

    given = constraint["elements"]
    inside = [element(item, scope) for item in given] if isinstance(given, tuple) else []
    return joined(*inside).map(lambda items: DisplayRecipe("tuple", items))


def dicts(constraint: Constraint, scope: CallScope) -> SearchStrategy[Recipe]:
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
    return found.map(lambda items: PairsRecipe(tuple(items)))


def _one(constraint: Constraint, name: str) -> Any:
    given = constraint[name]
    if isinstance(given, tuple):
        raise UnsatisfiableConstraint(render(constraint), f"its {name} are one constraint")
    return given
