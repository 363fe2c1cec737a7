"""Listed values, and alternatives of constraints."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, List, Sequence, Union

from ..annotations.nouns import Constraint, Expression
from ..annotations.rendering import render
from .makers import MAKERS
from .recipes import BadRecipe, Call, Literal, Recipe, literal, names, parse, parts
from .scope import Scope, Unmeetable
from .strategies import strategy

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

_MOST_ELEMENTS = 1000


def froms(constraint: Constraint, scope: Scope) -> SearchStrategy[Recipe]:
    """One of the listed values; the first is the simplest."""
    from hypothesis.strategies import sampled_from

    given = constraint["values"]
    if not isinstance(given, Expression):
        raise Unmeetable(render(constraint), "froms takes a list of values")
    found = _listed(given, scope)
    if not found:
        raise Unmeetable(render(constraint), "there is nothing to choose from")
    return sampled_from(found)


def anys(constraint: Constraint, scope: Scope) -> SearchStrategy[Recipe]:
    """Any of the constraints, or of the bare values; those that cannot be met are left out."""
    from hypothesis.strategies import one_of

    options = constraint["options"]
    found, unmet = [], None
    for option in options if isinstance(options, tuple) else ():
        try:
            found.append(element(option, scope))
        except Unmeetable as problem:
            unmet = unmet or problem
    if not found:
        raise unmet or Unmeetable(render(constraint), "there is nothing to choose from")
    return one_of(found)


def element(given: Union[Constraint, Expression], scope: Scope) -> SearchStrategy[Recipe]:
    """What stands among others: a constraint, or a bare value, which means just that value."""
    from hypothesis.strategies import just

    if isinstance(given, Constraint):
        return strategy(given, scope)
    if not given.literal and scope.varies(given.source):
        return _computed(given, scope)
    return just(exactly(given, scope))


def exactly(given: Expression, scope: Scope) -> Recipe:
    """The recipe of an expression's value: by the names in it, or else by what it is worth."""
    if given.literal:
        return _literal(given.source, given.value)
    recipe = _by_name(given.source, scope)
    return recipe if recipe is not None else _literal(given.source, _worth(given, scope))


def _computed(given: Expression, scope: Scope) -> SearchStrategy[Recipe]:
    from hypothesis.strategies import composite

    from .shapes import bind

    @composite
    def drawn(draw: DrawFn) -> Recipe:
        bind(given.source, scope, draw)
        return _literal(given.source, scope.value(given.source))

    return drawn()


def _literal(source: str, value: Any) -> Recipe:
    try:
        return literal(value)
    except BadRecipe as problem:
        raise Unmeetable(source, f"{problem}; name it in the file") from problem


def _worth(given: Expression, scope: Scope) -> Any:
    try:
        return scope.value(given.source)
    except Exception as error:
        problem = f"it cannot be computed: {type(error).__name__}: {error}"
        raise Unmeetable(given.source, problem) from error


def _by_name(source: str, scope: Scope) -> Any:
    """The recipe that an expression is; ``None`` where it is none of the tested file's names."""
    try:
        recipe = parse(source)
    except BadRecipe:
        return None
    known = all(name.partition(".")[0] in scope.namespace for name in names(recipe))
    ours = {part.function for part in parts(recipe) if isinstance(part, Call)} & MAKERS.keys()
    return recipe if known and not ours & scope.namespace.keys() else None


def _listed(given: Expression, scope: Scope) -> List[Recipe]:
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


def _elements(given: Expression, values: Any, scope: Scope) -> List[Recipe]:
    """The elements of what an expression is worth: literals, or by their places in it."""
    try:
        found = list(values)[:_MOST_ELEMENTS]
    except TypeError as error:
        raise Unmeetable(given.source, "it is no list of values") from error
    whole = _by_name(given.source, scope)
    made: List[Recipe] = []
    for place, value in enumerate(found):
        try:
            made.append(literal(value))
        except BadRecipe as problem:
            if whole is None:
                raise Unmeetable(given.source, f"{problem}; name it in the file") from problem
            made.append(Call("element", (whole, Literal(place))))
    return made
