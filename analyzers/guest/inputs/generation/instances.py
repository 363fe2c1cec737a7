"""Objects that the project's own code makes: instances of classes, what generators return."""

from __future__ import annotations

import ast
import inspect
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Tuple

from ..recipes import (
    BadRecipe,
    CallRecipe,
    DisplayRecipe,
    LiteralRecipe,
    PairsRecipe,
    Recipe,
    literal,
    parse,
)
from .call_scope import CallScope, UnsatisfiableConstraint

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


def instance(
    constructor: Optional[Mapping[str, Any]], scope: CallScope, owner: str
) -> Optional[SearchStrategy[Recipe]]:
    """Instances of the class ``owner``; ``None`` without a constructor's contract.

    Where the constructor has examples, only those are used (aNNoTest, 3.1.4).
    """
    from hypothesis.strategies import sampled_from

    if constructor is None:
        return None
    if not owner:
        raise UnsatisfiableConstraint("self", "the class of the instance is not known")
    examples = constructor.get("examples") or ()
    if examples:
        return sampled_from([example(owner, source, scope) for source in examples])
    from .call_strategies import inputs

    return inputs(constructor, scope.inner).map(lambda arguments: called(owner, arguments))


def given(recipe: Recipe, scope: CallScope) -> Dict[str, Any]:
    """The plain values that an instance is made with, by parameter; defaults are among them."""
    if not isinstance(recipe, CallRecipe):
        return {}
    try:
        signature = inspect.signature(scope.value(recipe.function))
        bound = signature.bind(*recipe.arguments, **dict(recipe.keywords))
    except Exception:
        return {}
    own = {name: value.value for name, value in bound.arguments.items() if _is_literal(value)}
    defaults = {name: each.default for name, each in signature.parameters.items()}
    left = defaults.keys() - bound.arguments.keys()
    return {**own, **{name: defaults[name] for name in left if _is_plain(defaults[name])}}


def _is_literal(recipe: Any) -> bool:
    return isinstance(recipe, LiteralRecipe)


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, (bool, int, float, str))


def generated(generator: str, scope: CallScope) -> SearchStrategy[Recipe]:
    """What a generator function of the project returns, its arguments drawn from its contract."""
    from hypothesis.strategies import just

    contract = scope.generators.get(generator)
    if contract is None:
        try:
            found = scope.value(generator)
        except Exception as error:
            problem = f"there is no generator {generator}: {error}"
            raise UnsatisfiableConstraint(f"objs({generator})", problem) from error
        if not callable(found):
            raise UnsatisfiableConstraint(f"objs({generator})", f"{generator} cannot be called")
        return just(CallRecipe(generator))
    if contract.get("drawing"):
        raise UnsatisfiableConstraint(
            f"objs({generator})", "the generator needs an object of its own"
        )
    from .call_strategies import inputs

    inner = {**scope.generators, generator: {"drawing": True}}
    arguments = inputs(contract, lambda: CallScope(scope.namespace, inner))
    return arguments.map(lambda given: called(generator, given))


def called(function: str, arguments: Mapping[str, Recipe]) -> Recipe:
    """The call with arguments by parameter, those with stars spread."""
    positional: List[Recipe] = []
    keywords: List[Tuple[str, Recipe]] = []
    for name, recipe in arguments.items():
        if name.startswith("**") and isinstance(recipe, PairsRecipe):
            keywords += _keywords(recipe)
        elif name.startswith("*") and isinstance(recipe, DisplayRecipe):
            positional += recipe.items
        else:
            keywords.append((name, recipe))
    return CallRecipe(function, tuple(positional), tuple(keywords))


def _keywords(recipe: PairsRecipe) -> List[Tuple[str, Recipe]]:
    found: List[Tuple[str, Recipe]] = []
    for key, value in recipe.items:
        if not isinstance(key, LiteralRecipe) or not str(key.value).isidentifier():
            raise BadRecipe("keywords are names")
        found.append((str(key.value), value))
    return found


def example(owner: str, source: str, scope: CallScope) -> Recipe:
    """The instance for a ``@cc_example``: a list of arguments, or a dictionary of them.

    What is no recipe is evaluated, where it comes to a plain value.
    """
    try:
        node = ast.parse(source.strip(), mode="eval").body
        if isinstance(node, ast.Dict):
            names = [_key(key) for key in node.keys]
            values = [_recipe(value, scope) for value in node.values]
            return CallRecipe(owner, (), tuple(zip(names, values)))
        if isinstance(node, (ast.List, ast.Tuple)):
            return CallRecipe(owner, tuple(_recipe(item, scope) for item in node.elts))
    except UnsatisfiableConstraint:
        raise
    except Exception as error:
        raise UnsatisfiableConstraint(f"cc_example({source})", f"{error}") from error
    raise UnsatisfiableConstraint(
        f"cc_example({source})", "it is no list and no dictionary of arguments"
    )


def _key(node: Optional[ast.expr]) -> str:
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        raise BadRecipe("its keys are not the names of parameters")
    return node.value


def _recipe(node: ast.expr, scope: CallScope) -> Recipe:
    source = ast.unparse(node)
    try:
        return parse(source)
    except BadRecipe:
        return literal(scope.value(source))
