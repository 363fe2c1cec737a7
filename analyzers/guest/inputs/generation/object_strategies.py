"""Strategies for fields of configuration classes that an annotation leaves out."""

from __future__ import annotations

import ast
import inspect
import typing
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Tuple, Union

from ...annotations.constraints import Argument, Constraint, Expression
from ...annotations.syntax import render
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
from .collection_strategies import element
from .shape_strategies import dimensions, shape_recipe, sizes, whole

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy


def instance(
    constructor: Optional[Mapping[str, Any]], scope: CallScope, owner: str
) -> Optional[SearchStrategy[Recipe]]:
    """Draw instances of ``owner``; a constructor's examples alone where it has some."""
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
    """Return the value of a generator of the project, its arguments drawn from its contract."""
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
    """Build the instance for a ``@cc_example``: a list of arguments, or a dictionary of them."""
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


_ENDS = {
    "ge": ("min", None),
    "gt": ("min", "exclude_min"),
    "le": ("max", None),
    "lt": ("max", "exclude_max"),
}


class UnknownFieldType(Exception):  # noqa: N818 - a fact about a class
    """A field without a default, whose type hint does not say what it takes."""


def needed_fields(of: Any, given: Mapping[str, Any]) -> Dict[str, Constraint]:
    """Return constraints for fields without a value; raise ``UnknownFieldType`` without a hint."""
    hints = _hints(of)
    found: Dict[str, Constraint] = {}
    for name, parameter in _parameters(of).items():
        if name in given or parameter.default is not inspect.Parameter.empty:
            continue
        constraint = constraint_of_hint(hints.get(name, parameter.annotation), _limits(of, name))
        if constraint is None:
            raise UnknownFieldType(f"field {name} has no default, and its type says too little")
        found[name] = constraint
    return found


def _parameters(of: Any) -> Dict[str, inspect.Parameter]:
    try:
        every = inspect.signature(of).parameters
    except (TypeError, ValueError):
        return {}
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return {name: each for name, each in every.items() if each.kind in kinds}


def _hints(of: Any) -> Dict[str, Any]:
    found: Dict[str, Any] = {}
    for source in (of, getattr(of, "__init__", None)):
        try:
            found.update(typing.get_type_hints(source, include_extras=True))
        except Exception:
            continue
    return found


def constraint_of_hint(hint: Any, limits: Optional[Dict[str, Any]] = None) -> Optional[Constraint]:
    """A constraint for a type hint; small positive numbers, as sizes and rates are."""
    limits = limits or {}
    origin, inside = typing.get_origin(hint), typing.get_args(hint)
    if hasattr(hint, "__metadata__"):
        return constraint_of_hint(inside[0], {**_read(hint.__metadata__), **limits})
    if origin is typing.Literal:
        return Constraint("froms", (("values", _literal(list(inside))),))
    if origin is Union or type(hint).__name__ == "UnionType":
        return _any(inside, limits)
    if origin in (list, List) and len(inside) == 1:
        element = constraint_of_hint(inside[0])
        return element and _constraint("lists", elements=element, min_len=1, max_len=3)
    return _plain(hint, limits)


def _any(inside: Any, limits: Dict[str, Any]) -> Optional[Constraint]:
    options: List[Constraint] = []
    for hint in inside:
        found = Constraint("froms", (("values", _literal([None])),))
        each = found if hint is type(None) else constraint_of_hint(hint, limits)
        if each is not None:
            options.append(each)
    return Constraint("anys", (("options", tuple(options)),)) if options else None


def _plain(hint: Any, limits: Dict[str, Any]) -> Optional[Constraint]:
    if hint is bool:
        return Constraint("bools")
    if hint is int:
        return _constraint("ints", **_whole(limits))
    if hint is float:
        ends = {"min": 0.0, "max": 1.0} if not {"min", "max"} & limits.keys() else {}
        return _constraint("floats", **ends, **limits)
    if hint is str:
        return _constraint("strings", min_len=1, max_len=8)
    return None


def _whole(limits: Dict[str, Any]) -> Dict[str, Any]:
    low = limits.get("min", min(1, limits.get("max", 1)))
    high = limits.get("max", max(16, low + 15))
    found = {"min": low + bool(limits.get("exclude_min"))}
    found["max"] = high - bool(limits.get("exclude_max"))
    return found


def _limits(of: Any, name: str) -> Dict[str, Any]:
    fields = getattr(of, "model_fields", None)
    field = fields.get(name) if isinstance(fields, dict) else None
    return _read(getattr(field, "metadata", ()))


def _read(metadata: Any) -> Dict[str, Any]:
    found: Dict[str, Any] = {}
    for each in metadata:
        for word, (end, excluded) in _ENDS.items():
            value = getattr(each, word, None)
            if isinstance(value, (int, float)):
                found[end] = value
                found.update({excluded: True} if excluded else {})
    return found


def _literal(value: Any) -> Expression:
    return Expression(repr(value), literal=True, value=value)


def _constraint(kind: str, **arguments: Any) -> Constraint:
    given = tuple(
        (name, value if isinstance(value, Constraint) else _literal(value))
        for name, value in arguments.items()
    )
    return Constraint(kind, given)


_INPUTS, _MOST_SEED = ("b", "4"), 99
_OPTIMIZERS = ("SGD", "Adam", "AdamW", "RMSprop")


def modules(constraint: Constraint, scope: CallScope) -> SearchStrategy[Recipe]:
    """Draw modules from inputs to outputs of these shapes, for a batch of any size.

    Dimensions that both shapes begin with, by one name, are the batch.
    """
    from hypothesis.strategies import composite

    inputs, outputs = _apart(constraint)
    taken, given = (dimensions(_words(each), scope) for each in (inputs, outputs))

    @composite
    def drawn(draw: DrawFn) -> Recipe:
        shapes = [shape_recipe(sizes(each, scope, draw)) for each in (taken, given)]
        seed = draw(whole(0, _MOST_SEED))
        return CallRecipe("module", tuple(shapes), (("seed", LiteralRecipe(seed)),) if seed else ())

    return drawn()


def _words(words: List[str]) -> Expression:
    text = " ".join(words)
    return Expression(repr(text), literal=True, value=text)


def _apart(constraint: Constraint) -> Tuple[List[str], List[str]]:
    """The dimensions of inputs and of outputs, without those of the batch."""
    inputs = _said(constraint["in"]) or list(_INPUTS)
    outputs = _said(constraint["out"]) or [*(inputs[:1] if _names(inputs[0]) else []), "_"]
    if _several(inputs[0]) and _several(outputs[0]):
        return inputs[1:], outputs[1:]
    if _names(inputs[0]) and inputs[0] == outputs[0] and len(inputs) > 1 and len(outputs) > 1:
        return inputs[1:], outputs[1:]
    if any(_several(word) for word in (*inputs, *outputs)):
        raise UnsatisfiableConstraint(
            render(constraint), "only a batch can be of several dimensions"
        )
    return inputs, outputs


def _said(given: Optional[Argument]) -> List[str]:
    return str(given.value).split() if isinstance(given, Expression) and given.literal else []


def _several(word: str) -> bool:
    return word == "..." or word.startswith("*")


def _names(word: str) -> bool:
    return word.isidentifier()


def optimizers(constraint: Constraint, scope: CallScope) -> SearchStrategy[Recipe]:  # noqa: ARG001
    """Optimizers of a small module by name, of the usual ones where none is said."""
    from hypothesis.strategies import just, sampled_from

    name = constraint.value("name")
    if name is None:
        return sampled_from(
            [CallRecipe("optimizer", (LiteralRecipe(each),)) for each in _OPTIMIZERS]
        )
    import torch

    meant = next((each for each in _spellings(str(name)) if _is_class(torch.optim, each)), None)
    if meant is None:
        raise UnsatisfiableConstraint(render(constraint), f"torch.optim has no {name}")
    return just(CallRecipe("optimizer", (LiteralRecipe(meant),)))


def _spellings(name: str) -> List[str]:
    """A name as it is said, then as torch writes it: ``adam`` is ``Adam``."""
    import torch

    return [name, *(each for each in vars(torch.optim) if each.lower() == name.lower())]


def _is_class(module: Any, name: str) -> bool:
    return isinstance(getattr(module, name, None), type)


_NAMESPACE = "argparse.Namespace"


def objs(constraint: Constraint, scope: CallScope) -> SearchStrategy[Recipe]:
    """Return what a generator function returns, called with arguments from its own annotations."""
    given = constraint["generator"]
    if not isinstance(given, Expression) or not _is_dotted(given.source):
        raise UnsatisfiableConstraint(
            render(constraint), "objs takes the name of a generator function"
        )
    return generated(given.source, scope)


def _is_dotted(source: str) -> bool:
    return all(part.isidentifier() for part in source.split("."))


def callables(constraint: Constraint, scope: CallScope) -> SearchStrategy[Recipe]:
    """Functions of any arguments that return one value, drawn once."""
    from hypothesis.strategies import just

    given = constraint["returns"]
    if given is None:
        return just(CallRecipe("function"))
    returned = element(_single(given), scope)
    return returned.map(lambda recipe: CallRecipe("function", (recipe,)))


def _single(given: Argument) -> Any:
    return Constraint("tuples", (("elements", given),)) if isinstance(given, tuple) else given


def configs(constraint: Constraint, scope: CallScope) -> SearchStrategy[Recipe]:
    """Draw instances of a class by its keywords, or namespaces."""
    from hypothesis.strategies import fixed_dictionaries

    given = {name: _single(value) for name, value in constraint.arguments if name != "of"}
    named, of = _class(constraint, scope)
    if of is not None:
        try:
            given = {**given, **needed_fields(of, given)}
        except UnknownFieldType as unsaid:
            raise UnsatisfiableConstraint(render(constraint), str(unsaid)) from unsaid
    fields: Dict[str, Any] = {name: element(value, scope) for name, value in given.items()}
    return fixed_dictionaries(fields).map(
        lambda drawn: _config(named, {name: drawn[name] for name in fields})
    )


def _class(constraint: Constraint, scope: CallScope) -> Tuple[Optional[str], Any]:
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
        raise UnsatisfiableConstraint(render(constraint), f"{error}") from error
    except (BadRecipe, Exception) as error:
        raise UnsatisfiableConstraint(
            render(constraint), f"{source} is no class here: {error}"
        ) from error
    if not callable(of):
        raise UnsatisfiableConstraint(render(constraint), f"{source} cannot be called")
    return source, of


def _config(named: Optional[str], fields: Dict[str, Recipe]) -> Recipe:
    keywords = tuple(fields.items())
    if named == _NAMESPACE:
        return CallRecipe("config", (LiteralRecipe("argparse"),), keywords)
    return CallRecipe(named or "config", (), keywords)
