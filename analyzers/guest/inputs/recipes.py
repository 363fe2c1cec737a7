"""Recipes: how a value is made, as a small tree that is also a Python expression.

The grammar is closed: literals, displays, calls of makers (:data:`makers.MAKERS`) by plain name,
and the tested file's own names, called or not. Reading one executes nothing.
"""

from __future__ import annotations

import ast
import math
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, Callable, Dict, FrozenSet, Iterator, Mapping, Tuple, Union

from .makers import MAKERS

MOST_CHARACTERS = 20_000
MOST_DEPTH = 40
MOST_PARTS = 8
"""How long a recipe, how deep its nesting and how long its dotted names may be."""

_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...))
_SPECIAL = {"inf": math.inf, "nan": math.nan}
_BRACKETS = {"tuple": ("(", ")"), "list": ("[", "]"), "set": ("{", "}")}


class BadRecipe(Exception):  # noqa: N818 - a fact about the text
    """A text that is no recipe, or a value that none describes."""


@dataclass(frozen=True, eq=False)
class LiteralRecipe:
    """A number, string, ``None``, ``True``, ``False`` or ``...``; complex ones are imaginary."""

    value: Any

    def source(self) -> str:
        """The Python expression that it is."""
        value = self.value
        if type(value) is complex:
            sign = math.copysign(1.0, value.imag) < 0
            if value.real != 0 or not math.isfinite(value.imag):
                raise BadRecipe(f"no literal is {value!r}")
            return f"{'-' if sign else ''}{abs(value.imag)!r}j"
        return "..." if value is ... else repr(value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LiteralRecipe) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    @property
    def _identity(self) -> Tuple[type, str]:
        return type(self.value), repr(self.value)


@dataclass(frozen=True)
class DisplayRecipe:
    """A tuple, list or set (``kind``) of recipes."""

    kind: str
    items: Tuple[Recipe, ...] = ()

    def source(self) -> str:
        """The Python expression that it is."""
        if self.kind == "set" and not self.items:
            raise BadRecipe("there is no display of an empty set")
        left, right = _BRACKETS[self.kind]
        comma = "," if self.kind == "tuple" and len(self.items) == 1 else ""
        return left + ", ".join([item.source() for item in self.items]) + comma + right


@dataclass(frozen=True)
class PairsRecipe:
    """A dictionary."""

    items: Tuple[Tuple[Recipe, Recipe], ...] = ()

    def source(self) -> str:
        """The Python expression that it is."""
        inside = [f"{key.source()}: {value.source()}" for key, value in self.items]
        return "{" + ", ".join(inside) + "}"


@dataclass(frozen=True)
class NameRecipe:
    """Something of the tested file, by its dotted name."""

    dotted: str

    def source(self) -> str:
        """The Python expression that it is."""
        return self.dotted


@dataclass(frozen=True)
class CallRecipe:
    """A call of a maker, or else of something of the tested file by its dotted name."""

    function: str
    arguments: Tuple[Recipe, ...] = ()
    keywords: Tuple[Tuple[str, Recipe], ...] = ()

    def source(self) -> str:
        """The Python expression that it is."""
        inside = [item.source() for item in self.arguments]
        inside += [f"{name}={item.source()}" for name, item in self.keywords]
        return f"{self.function}({', '.join(inside)})"


Recipe = Union[LiteralRecipe, DisplayRecipe, PairsRecipe, NameRecipe, CallRecipe]


def literal(value: Any) -> Recipe:
    """The recipe of a plain value, containers included; raises :class:`BadRecipe`."""
    if type(value) in _PLAIN:
        recipe = LiteralRecipe(value)
        recipe.source()
        return recipe
    if type(value) is dict:
        return PairsRecipe(tuple((literal(key), literal(item)) for key, item in value.items()))
    for kind in (tuple, list, set):
        if type(value) is kind and (value or kind is not set):
            items = sorted(value, key=repr) if kind is set else value
            return DisplayRecipe(kind.__name__, tuple(literal(item) for item in items))
    raise BadRecipe(f"a {type(value).__name__} has no literal")


# ------------------------------------------------------------------- reading


def parse(source: str) -> Recipe:
    """The recipe that a text is; raises :class:`BadRecipe`."""
    if len(source) > MOST_CHARACTERS:
        raise BadRecipe(f"a recipe has at most {MOST_CHARACTERS} characters")
    try:
        return _read(ast.parse(source, mode="eval").body, MOST_DEPTH)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise BadRecipe(f"it cannot be parsed: {error}") from error


def _read(node: ast.expr, depth: int) -> Recipe:
    reader = _READERS.get(type(node))
    if reader is None:
        raise BadRecipe(f"a recipe has no {type(node).__name__}")
    if depth <= 0:
        raise BadRecipe(f"a recipe is nested {MOST_DEPTH} deep at most")
    return reader(node, depth - 1)


def _constant(node: Any, _depth: int) -> Recipe:
    if type(node.value) is int and node.value.bit_length() > 4096:
        raise BadRecipe("the integer is too large")
    return LiteralRecipe(node.value)


def _unary(node: Any, depth: int) -> Recipe:
    inside = _read(node.operand, depth)
    number = isinstance(inside, LiteralRecipe) and type(inside.value) in (int, float, complex)
    if not isinstance(node.op, ast.USub) or not number or isinstance(node.operand, ast.UnaryOp):
        raise BadRecipe("a recipe has no operator but the sign of a number")
    value = inside.value  # type: ignore[union-attr]
    return LiteralRecipe(complex(0.0, -value.imag) if type(value) is complex else -value)


def _display(node: Any, depth: int) -> Recipe:
    kind = type(node).__name__.lower()
    return DisplayRecipe(kind, tuple([_read(item, depth) for item in node.elts]))


def _pairs(node: Any, depth: int) -> Recipe:
    if None in node.keys:
        raise BadRecipe("a recipe has no **")
    pairs = zip(node.keys, node.values)
    return PairsRecipe(tuple([(_read(key, depth), _read(value, depth)) for key, value in pairs]))


def _name(node: Any, _depth: int) -> Recipe:
    dotted = _dotted(node)
    return LiteralRecipe(_SPECIAL[dotted]) if dotted in _SPECIAL else NameRecipe(dotted)


def _dotted(node: ast.expr) -> str:
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        raise BadRecipe("a recipe has attributes of names only")
    parts.append(node.id)
    if len(parts) > MOST_PARTS:
        raise BadRecipe(f"a name has {MOST_PARTS} parts at most")
    if any(part.startswith("__") for part in parts):
        raise BadRecipe("a recipe has no name with two underscores before it")
    return ".".join(reversed(parts))


def _call(node: Any, depth: int) -> Recipe:
    function = _dotted(node.func)
    if function in _SPECIAL:
        raise BadRecipe(f"{function} is a number")
    keywords = []
    for keyword in node.keywords:
        if keyword.arg is None or keyword.arg.startswith("__"):
            raise BadRecipe("a recipe has no ** and no keyword with two underscores before it")
        keywords.append((keyword.arg, _read(keyword.value, depth)))
    return CallRecipe(function, tuple([_read(item, depth) for item in node.args]), tuple(keywords))


_READERS: Dict[type, Callable[[Any, int], Recipe]] = {
    ast.Constant: _constant,
    ast.UnaryOp: _unary,
    ast.Tuple: _display,
    ast.List: _display,
    ast.Set: _display,
    ast.Dict: _pairs,
    ast.Name: _name,
    ast.Attribute: _name,
    ast.Call: _call,
}


def names(recipe: Recipe) -> FrozenSet[str]:
    """The dotted names of the tested file that a recipe uses."""
    found = {part.dotted for part in parts(recipe) if isinstance(part, NameRecipe)}
    found |= {
        part.function for part in parts(recipe) if isinstance(part, CallRecipe)
    } - MAKERS.keys()
    return frozenset(found)


def makers(recipe: Recipe) -> FrozenSet[str]:
    """The makers that a recipe uses."""
    found = {part.function for part in parts(recipe) if isinstance(part, CallRecipe)}
    return frozenset(found & MAKERS.keys())


def parts(recipe: Recipe) -> Iterator[Recipe]:
    """A recipe and all those inside it."""
    yield recipe
    for inside in _inside(recipe):
        yield from parts(inside)


def _inside(recipe: Recipe) -> Tuple[Recipe, ...]:
    if isinstance(recipe, DisplayRecipe):
        return recipe.items
    if isinstance(recipe, PairsRecipe):
        return tuple(item for pair in recipe.items for item in pair)
    if isinstance(recipe, CallRecipe):
        return recipe.arguments + tuple(item for _, item in recipe.keywords)
    return ()


# ------------------------------------------------------------------- making


def evaluate(recipe: Recipe, namespace: Mapping[str, Any]) -> Any:
    """The value that a recipe makes, with the tested file's names; what it raises is theirs."""
    return _MAKING[type(recipe)](recipe, namespace)


def _make_display(recipe: DisplayRecipe, namespace: Mapping[str, Any]) -> Any:
    made = [_MAKING[type(item)](item, namespace) for item in recipe.items]
    if recipe.kind == "tuple":
        return tuple(made)
    return made if recipe.kind == "list" else set(made)


def _make_pairs(recipe: PairsRecipe, namespace: Mapping[str, Any]) -> Any:
    return {evaluate(key, namespace): evaluate(item, namespace) for key, item in recipe.items}


def _make_call(recipe: CallRecipe, namespace: Mapping[str, Any]) -> Any:
    name = recipe.function
    function = _maker(name) if name in MAKERS else looked_up(name, namespace)
    arguments = [_MAKING[type(item)](item, namespace) for item in recipe.arguments]
    return function(
        *arguments, **{key: _MAKING[type(item)](item, namespace) for key, item in recipe.keywords}
    )


@cache
def _maker(name: str) -> Callable[..., Any]:
    module = import_module(f"{__package__}.makers.{MAKERS[name]}")
    return getattr(module, name)  # type: ignore[no-any-return]


def looked_up(dotted: str, namespace: Mapping[str, Any]) -> Any:
    """Return what a dotted name means in a namespace; raise ``NameError`` or ``AttributeError``."""
    first, *rest = dotted.split(".")
    if first not in namespace:
        raise NameError(f"name {first!r} is not defined")
    found = namespace[first]
    for part in rest:
        found = getattr(found, part)
    return found


_MAKING: Dict[type, Callable[[Any, Mapping[str, Any]], Any]] = {
    LiteralRecipe: lambda recipe, _: recipe.value,
    DisplayRecipe: _make_display,
    PairsRecipe: _make_pairs,
    NameRecipe: lambda recipe, namespace: looked_up(recipe.dotted, namespace),
    CallRecipe: _make_call,
}
