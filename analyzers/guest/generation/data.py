"""Datasets and data loaders: items that are alike, so that they can be stacked to batches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional, Tuple

from ..annotations.nouns import Argument, Constraint, Expression
from ..annotations.rendering import render
from .choices import element
from .recipes import Call, Display, Literal, Recipe, evaluate
from .scope import Scope, Unmeetable

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

_MORE_ITEMS, _MOST_KEPT = 5, 256
_ARRAYS = {"tensors": "tensor", "np_arrays": "array", "jax_arrays": "jax_array"}
_LISTS = ("lists", "int_lists", "float_lists", "bool_lists", "string_lists")


def datasets(constraint: Constraint, scope: Scope) -> SearchStrategy[Recipe]:
    """Map-style datasets of one item at least; arrays in them have one shape, lists one length."""
    from hypothesis.strategies import composite

    items = _Items(constraint, scope)

    @composite
    def drawn(draw: DrawFn) -> Recipe:
        return Call("dataset", (items.drawn(draw),))

    return drawn()


def loaders(constraint: Constraint, scope: Scope) -> SearchStrategy[Recipe]:
    """Data loaders over such datasets, with the default collate; the last batch may be small."""
    from hypothesis.strategies import composite, integers

    items = _Items(constraint, scope)
    size: Optional[int] = constraint.value("batch_size")
    if size is not None and size < 1:
        raise Unmeetable(render(constraint), "a batch has one item at least")

    @composite
    def drawn(draw: DrawFn) -> Recipe:
        found = items.drawn(draw)
        batch = draw(integers(1, len(found.items))) if size is None else size
        return Call("loader", (found, Literal(batch)))

    return drawn()


class _Items:
    """Draws lists of items of which all are like the first."""

    def __init__(self, constraint: Constraint, scope: Scope) -> None:
        from hypothesis.strategies import integers

        given = constraint["items"]
        if isinstance(given, tuple):
            given = Constraint("tuples", (("elements", given),))
        if given is None:
            raise Unmeetable(render(constraint), "it does not say what its items are")
        low = constraint.value("min_len", 1)
        most = constraint.value("max_len")
        self._count = integers(low, max(low, low + _MORE_ITEMS if most is None else most))
        self._given, self._scope = given, scope
        self._first = element(given, scope)
        self._others: Dict[Argument, Any] = {}

    def drawn(self, draw: DrawFn) -> Display:
        count = draw(self._count)
        if count == 0:
            return Display("list")
        first = draw(self._first)
        others = self._like(first)
        return Display("list", (first, *[draw(others) for _ in range(count - 1)]))

    def _like(self, first: Recipe) -> Any:
        wanted = alike(self._given, first)
        if wanted not in self._others:
            if len(self._others) >= _MOST_KEPT:
                self._others.clear()
            self._others[wanted] = element(wanted, self._scope)
        return self._others[wanted]


def alike(given: Any, first: Recipe) -> Any:
    """A constraint of what can be stacked with a value of it: the same shapes and lengths."""
    if not isinstance(given, Constraint):
        return given
    if given.kind in _ARRAYS and isinstance(first, Call):
        return _replaced(given, _form(first))
    if given.kind == "tuples" and isinstance(first, Display):
        elements: Any = given["elements"] or ()
        like = tuple(alike(each, inside) for each, inside in zip(elements, first.items))
        return _replaced(given, {"elements": like})
    if given.kind == "images" and isinstance(first, Call):
        return _image_alike(given, first)
    if given.kind in _LISTS and isinstance(first, Display):
        size = _literal(len(first.items))
        return _replaced(given, {"min_len": size, "max_len": size})
    return given


def _form(first: Call) -> Dict[str, Argument]:
    """The shape and dtype of an array, from its recipe."""
    shape = first.arguments[0] if first.arguments else dict(first.keywords)["shape"]
    found: Dict[str, Argument] = {"shape": _literal(evaluate(shape, {}))}
    dtype = dict(first.keywords).get("dtype", Literal("float32"))
    if len(first.arguments) > 1:
        dtype = first.arguments[1]
    if isinstance(dtype, Literal):
        found["dtype"] = _literal(dtype.value)
    return found


def _image_alike(given: Constraint, first: Call) -> Constraint:
    sides = [part.value for part in first.arguments[1:3] if isinstance(part, Literal)]
    if len(sides) != 2 or sides[0] != sides[1]:
        return given
    return _replaced(given, {"min_side": _literal(sides[0]), "max_side": _literal(sides[0])})


def _literal(value: Any) -> Expression:
    return Expression(repr(value), literal=True, value=value)


def _replaced(constraint: Constraint, given: Mapping[str, Argument]) -> Constraint:
    kept: Tuple[Tuple[str, Argument], ...] = tuple({**dict(constraint.arguments), **given}.items())
    return Constraint(constraint.kind, kept)
