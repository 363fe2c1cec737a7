"""Objects: what generators return, configurations, functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Optional, Tuple

from ..annotations.nouns import Argument, Constraint, Expression
from ..annotations.rendering import render
from .choices import element
from .fields import Unsaid, needed
from .instances import generated
from .recipes import BadRecipe, Call, Literal, Recipe, parse
from .scope import Scope, Unmeetable

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_NAMESPACE = "argparse.Namespace"


def objs(constraint: Constraint, scope: Scope) -> SearchStrategy[Recipe]:
    """What a generator function returns, called with arguments from its own annotations."""
    given = constraint["generator"]
    if not isinstance(given, Expression) or not _is_dotted(given.source):
        raise Unmeetable(render(constraint), "objs takes the name of a generator function")
    return generated(given.source, scope)


def _is_dotted(source: str) -> bool:
    return all(part.isidentifier() for part in source.split("."))


def callables(constraint: Constraint, scope: Scope) -> SearchStrategy[Recipe]:
    """Functions of any arguments that return one value, drawn once."""
    from hypothesis.strategies import just

    given = constraint["returns"]
    if given is None:
        return just(Call("function"))
    returned = element(_single(given), scope)
    return returned.map(lambda recipe: Call("function", (recipe,)))


def _single(given: Argument) -> Any:
    return Constraint("tuples", (("elements", given),)) if isinstance(given, tuple) else given


def configs(constraint: Constraint, scope: Scope) -> SearchStrategy[Recipe]:
    """Instances of a class by its keywords, or namespaces.

    Fields of the class that are left out keep their defaults, or are drawn from
    their type hints.
    """
    from hypothesis.strategies import fixed_dictionaries

    given = {name: _single(value) for name, value in constraint.arguments if name != "of"}
    named, of = _class(constraint, scope)
    if of is not None:
        try:
            given = {**given, **needed(of, given)}
        except Unsaid as unsaid:
            raise Unmeetable(render(constraint), str(unsaid)) from unsaid
    fields: Dict[str, Any] = {name: element(value, scope) for name, value in given.items()}
    return fixed_dictionaries(fields).map(
        lambda drawn: _config(named, {name: drawn[name] for name in fields})
    )


def _class(constraint: Constraint, scope: Scope) -> Tuple[Optional[str], Any]:
    """The dotted name of the class and the class; ``None`` for namespaces."""
    given = constraint["of"]
    if not isinstance(given, Expression):
        return None, None
    source = str(given.value) if given.literal else given.source
    try:
        parse(f"{source}()")
        of = scope.value(source)
    except NameError as error:
        if source == _NAMESPACE:
            return _NAMESPACE, None
        raise Unmeetable(render(constraint), f"{error}") from error
    except (BadRecipe, Exception) as error:
        raise Unmeetable(render(constraint), f"{source} is no class here: {error}") from error
    if not callable(of):
        raise Unmeetable(render(constraint), f"{source} cannot be called")
    return source, of


def _config(named: Optional[str], fields: Dict[str, Recipe]) -> Recipe:
    keywords = tuple(fields.items())
    if named == _NAMESPACE:
        return Call("config", (Literal("argparse"),), keywords)
    return Call(named or "config", (), keywords)
