"""Templates: how a target is called with the arguments of a source.

An expression over the names of the source's parameters:
``torch.tensor_split(input, indices_or_sections, dim=0)``,
``torch.nn.Softshrink(lambd)(input)``, ``torch.cat(tensors, dim=input.ndim)``,
``torch.block_diag(*tensors)``.  Its grammar is that of recipes, with one call
of what a call gave for layers, and stars before parameters.  Reading one
executes nothing; names outside of the library's APIs, dtypes and constants
are refused.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import lru_cache
from types import ModuleType
from typing import Any, Mapping, Optional, Sequence, Union

from ...inputs import recipes
from ...inputs.recipes import BadRecipe, NameRecipe, Recipe
from ..library_calls import apis_by_name
from ..relation_types import ApiParameter, Library, LibraryApi, LiveCall
from .parameter_matching import TemplateInapplicable, bare, bind_arguments, is_default

ATTRIBUTES = frozenset({"dtype", "device", "shape", "ndim", "T", "mT", "real", "imag"})
"""What a template may ask of a parameter's value."""


@dataclass(frozen=True)
class SourceParameter:
    """A parameter of the source as it is, or spread where ``star`` is true."""

    name: str
    star: bool = False


Term = Union[SourceParameter, Recipe]


@dataclass(frozen=True)
class CallTemplate:
    """A template that was read: what is called, and with what; ``inputs`` as in a call."""

    target: str
    arguments: tuple[Term, ...]
    keywords: tuple[tuple[str, Term], ...]
    inputs: Optional[tuple[Term, ...]]

    def uses(self) -> frozenset[str]:
        """Return the names in it, parameters and others, by their first parts."""
        terms = (*self.arguments, *(term for _, term in self.keywords), *(self.inputs or ()))
        found = {term.name for term in terms if isinstance(term, SourceParameter)}
        for term in terms:
            parts = () if isinstance(term, SourceParameter) else recipes.parts(term)
            named = (part.dotted for part in parts if isinstance(part, NameRecipe))
            found.update(dotted.split(".")[0] for dotted in named)
        return frozenset(found)


def apply_template(template: str, source: LibraryApi, live: LiveCall, library: Library) -> LiveCall:
    """The target's call with the values of a call of the source; values are shared, not copied.

    A parameter that the call leaves out is left out of the target's call too
    where both have the same default, and is its default else.  Raises
    :class:`BadRecipe` for what is no template of this source, and
    :class:`TemplateInapplicable` for a call that the template says nothing about:
    one that sets a parameter which the template does not mention, or leaves
    out one that it needs.
    """
    reading = _read(template, frozenset(bare(item.name) for item in source.parameters))
    function = _function(reading.target, library)
    values = bind_arguments(source, live)
    for parameter in source.parameters:
        name = bare(parameter.name)
        is_missed = name in values and name not in reading.uses()
        if is_missed and not is_default(parameter, values[name], library.namespace):
            raise TemplateInapplicable(f"the template says nothing of {name}")
    target = apis_by_name(library).get(reading.target)
    binder = _Binder(values, source, target, library)
    return LiveCall(
        reading.target,
        function,
        binder.positional(reading.arguments, is_input=False),
        binder.named(reading.keywords),
        None if reading.inputs is None else binder.positional(reading.inputs, is_input=True),
    )


@lru_cache(maxsize=65536)
def _read(text: str, names: frozenset[str]) -> CallTemplate:
    if len(text) > recipes.MOST_CHARACTERS:
        raise BadRecipe("the template is too long")
    try:
        node = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise BadRecipe(f"it cannot be parsed: {error}") from error
    if not isinstance(node, ast.Call):
        raise BadRecipe("a template is a call")
    if not isinstance(node.func, ast.Call):
        return CallTemplate(*_called(node, names), inputs=None)
    target, arguments, keywords = _called(node.func, names)
    if node.keywords:
        raise BadRecipe("a layer's inputs are given by position")
    return CallTemplate(
        target, arguments, keywords, tuple(_term(item, names) for item in node.args)
    )


def _called(
    node: ast.Call, names: frozenset[str]
) -> tuple[str, tuple[Term, ...], tuple[tuple[str, Term], ...]]:
    function = recipes.parse(ast.unparse(node.func))
    if not isinstance(function, NameRecipe) or function.dotted.split(".")[0] in names:
        raise BadRecipe("a template calls an API by its name")
    keywords = []
    for keyword in node.keywords:
        if keyword.arg is None or keyword.arg.startswith("__"):
            raise BadRecipe("a template has no **")
        keywords.append((keyword.arg, _term(keyword.value, names)))
    return function.dotted, tuple(_term(item, names) for item in node.args), tuple(keywords)


def _term(node: ast.expr, names: frozenset[str]) -> Term:
    star = isinstance(node, ast.Starred)
    inside = node.value if isinstance(node, ast.Starred) else node
    if isinstance(inside, ast.Name) and inside.id in names:
        return SourceParameter(inside.id, star)
    if star:
        raise BadRecipe("only a parameter can be spread")
    recipe = recipes.parse(ast.unparse(node))
    for part in recipes.parts(recipe):
        if isinstance(part, NameRecipe):
            first, *rest = part.dotted.split(".")
            if first in names and (len(rest) > 1 or not ATTRIBUTES.issuperset(rest)):
                raise BadRecipe(f"a template asks no {part.dotted}")
    return recipe


def _function(name: str, library: Library) -> Any:
    try:
        return library.function(name)
    except LookupError as error:
        raise BadRecipe(f"{library.name} has no API {name}") from error


class _Binder:
    """Binding of values to the places of a template."""

    def __init__(
        self,
        values: Mapping[str, Any],
        source: LibraryApi,
        target: Optional[LibraryApi],
        library: Library,
    ) -> None:
        self._values = values
        self._library = library
        self._source = {bare(item.name): item for item in source.parameters}
        self._target = {} if target is None else {item.name: item for item in target.parameters}
        self._places = () if target is None else target.parameters

    def positional(self, terms: Sequence[Term], *, is_input: bool) -> list[Any]:
        places = [item for item in self._places if item.is_input == is_input]
        padded = [*places, *[None] * len(terms)]
        kept = [term for term, at in zip(terms, padded) if not self._is_left_out(term, at)]
        if kept != list(terms[: len(kept)]):
            raise TemplateInapplicable("an argument before others is left out")
        return [value for term in kept for value in self._values_of(term)]

    def named(self, keywords: Sequence[tuple[str, Term]]) -> dict[str, Any]:
        return {
            name: self._value(term)
            for name, term in keywords
            if not self._is_left_out(term, self._target.get(name))
        }

    def _is_left_out(self, term: Term, place: Optional[ApiParameter]) -> bool:
        if not isinstance(term, SourceParameter) or term.name in self._values:
            return False
        default = self._source[term.name].default
        if default is None or place is None:
            return default is None and (place is None or not place.required)
        return not place.required and place.default in (default, None)

    def _values_of(self, term: Term) -> list[Any]:
        value = self._value(term)
        if not isinstance(term, SourceParameter) or not term.star:
            return [value]
        return list(value) if isinstance(value, (tuple, list)) else [value]

    def _value(self, term: Term) -> Any:
        if isinstance(term, SourceParameter):
            if term.name in self._values:
                return self._values[term.name]
            default = self._source[term.name].default
            if default is None:
                raise TemplateInapplicable(f"{term.name} is not given")
            return recipes.evaluate(default, self._library.namespace)
        for part in recipes.parts(term):
            if isinstance(part, recipes.CallRecipe):
                _function(part.function, self._library)
            elif isinstance(part, NameRecipe) and part.dotted.split(".")[0] not in self._source:
                self._check_constant(part)
        try:
            return recipes.evaluate(term, {**self._library.namespace, **self._values})
        except Exception as error:
            what = f"{term.source()}: {type(error).__name__}: {error}"
            raise TemplateInapplicable(what) from error

    def _check_constant(self, name: NameRecipe) -> None:
        try:
            value = recipes.evaluate(name, self._library.namespace)
        except (NameError, AttributeError) as error:
            raise BadRecipe(f"{name.dotted} is no name of {self._library.name}") from error
        is_code = callable(value) and not isinstance(value, type) and hasattr(value, "__code__")
        if isinstance(value, ModuleType) or is_code:
            raise BadRecipe(f"{name.dotted} is no value")
