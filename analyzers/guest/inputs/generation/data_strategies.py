"""Datasets and data loaders: items that are alike, so that they can be stacked to batches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional, Tuple

from ...annotations.constraints import Argument, Constraint, Expression
from ...annotations.syntax import render
from ..recipes import CallRecipe, DisplayRecipe, LiteralRecipe, Recipe, evaluate
from .call_scope import CallScope, UnsatisfiableConstraint
from .collection_strategies import element
from .shape_strategies import whole

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

FORMS = ("pil", "numpy", "tensor", "path", "bytes")
FILES = (
    "image", "text", "json", "csv", "yaml", "npy", "npz", "pt", "wav", "folder",
)  # fmt: skip
_CHANNELS = (1, 3, 4)
_LEAST_SIDE, _MOST_SIDE, _MOST_SEED = 8, 32, 99
_PICTURES = ("png", "jpg", "jpeg", "bmp", "gif", "tif", "tiff", "webp", "ppm")
_OTHER_NAMES = {"yml": "yaml", "pth": "pt", "ckpt": "pt", "txt": "text", "md": "text"}


def images(constraint: Constraint, scope: CallScope) -> SearchStrategy[Recipe]:  # noqa: ARG001
    """Pictures of one colour, or of noise: of 8 to 32 pixels a side where nothing is said."""
    from hypothesis.strategies import composite

    form, channels = constraint.value("form", "pil"), constraint.value("channels", 3)
    if form not in FORMS:
        raise UnsatisfiableConstraint(render(constraint), f"form is one of {', '.join(FORMS)}")
    if channels not in _CHANNELS:
        raise UnsatisfiableConstraint(render(constraint), "a picture has 1, 3 or 4 channels")
    side = whole(*_sides(constraint))

    @composite
    def drawn(draw: DrawFn) -> Recipe:
        sides = (LiteralRecipe(draw(side)), LiteralRecipe(draw(side)))
        more = (LiteralRecipe(channels),) if channels != 3 else ()
        return CallRecipe("image", (LiteralRecipe(form), *sides, *more), _content(draw))

    return drawn()


def _sides(constraint: Constraint) -> Tuple[int, int]:
    low, high = constraint.value("min_side"), constraint.value("max_side")
    if high is None:
        low = _LEAST_SIDE if low is None else max(1, low)
        return low, max(low, _MOST_SIDE)
    if high < 1:
        raise UnsatisfiableConstraint(render(constraint), "a picture has one pixel at least")
    return max(1, min(_LEAST_SIDE, high) if low is None else low), high


def _content(draw: DrawFn) -> Tuple[Tuple[str, Recipe], ...]:
    kind = draw(whole(0, 2))
    if kind == 0:
        return ()
    if kind == 1:
        return (("fill", LiteralRecipe(draw(whole(0, 255)))),)
    return (("seed", LiteralRecipe(draw(whole(0, _MOST_SEED)))),)


def paths(constraint: Constraint, scope: CallScope) -> SearchStrategy[Recipe]:  # noqa: ARG001
    """Paths of new files, valid of their kind; the suffix tells it where nothing else does."""
    suffix = constraint.value("suffix") or ""
    suffix = suffix if not suffix or suffix.startswith(".") else f".{suffix}"
    kind = constraint.value("kind") or _kind(suffix)
    if kind not in FILES:
        raise UnsatisfiableConstraint(render(constraint), f"kind is one of {', '.join(FILES)}")
    form = constraint.value("form", "str")
    if form not in ("str", "path"):
        raise UnsatisfiableConstraint(render(constraint), "form is str or path")
    more = (("form", LiteralRecipe(form)),) if form == "path" else ()
    arguments = (LiteralRecipe(kind), LiteralRecipe(suffix)) if suffix else (LiteralRecipe(kind),)
    return whole(0, _MOST_SEED).map(
        lambda seed: CallRecipe(
            "path", arguments, ((("seed", LiteralRecipe(seed)),) if seed else ()) + more
        )
    )


def _kind(suffix: str) -> str:
    bare = suffix.lower().lstrip(".")
    if bare in _PICTURES:
        return "image"
    named = _OTHER_NAMES.get(bare, bare)
    return named if named in FILES else "text"


_MORE_ITEMS, _MOST_KEPT = 5, 256
_ARRAYS = {"tensors": "tensor", "np_arrays": "array", "jax_arrays": "jax_array"}
_LISTS = ("lists", "int_lists", "float_lists", "bool_lists", "string_lists")


def datasets(constraint: Constraint, scope: CallScope) -> SearchStrategy[Recipe]:
    """Map-style datasets of one item at least; arrays in them have one shape, lists one length."""
    from hypothesis.strategies import composite

    items = _Items(constraint, scope)

    @composite
    def drawn(draw: DrawFn) -> Recipe:
        return CallRecipe("dataset", (items.drawn(draw),))

    return drawn()


def loaders(constraint: Constraint, scope: CallScope) -> SearchStrategy[Recipe]:
    """Data loaders over such datasets, with the default collate; the last batch may be small."""
    from hypothesis.strategies import composite, integers

    items = _Items(constraint, scope)
    size: Optional[int] = constraint.value("batch_size")
    if size is not None and size < 1:
        raise UnsatisfiableConstraint(render(constraint), "a batch has one item at least")

    @composite
    def drawn(draw: DrawFn) -> Recipe:
        found = items.drawn(draw)
        batch = draw(integers(1, len(found.items))) if size is None else size
        return CallRecipe("loader", (found, LiteralRecipe(batch)))

    return drawn()


class _Items:
    """Draws lists of items of which all are like the first."""

    def __init__(self, constraint: Constraint, scope: CallScope) -> None:
        from hypothesis.strategies import integers

        given = constraint["items"]
        if isinstance(given, tuple):
            given = Constraint("tuples", (("elements", given),))
        if given is None:
            raise UnsatisfiableConstraint(render(constraint), "it does not say what its items are")
        low = constraint.value("min_len", 1)
        most = constraint.value("max_len")
        self._count = integers(low, max(low, low + _MORE_ITEMS if most is None else most))
        self._given, self._scope = given, scope
        self._first = element(given, scope)
        self._others: Dict[Argument, Any] = {}

    def drawn(self, draw: DrawFn) -> DisplayRecipe:
        count = draw(self._count)
        if count == 0:
            return DisplayRecipe("list")
        first = draw(self._first)
        others = self._like(first)
        return DisplayRecipe("list", (first, *[draw(others) for _ in range(count - 1)]))

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
    if given.kind in _ARRAYS and isinstance(first, CallRecipe):
        return _replaced(given, _form(first))
    if given.kind == "tuples" and isinstance(first, DisplayRecipe):
        elements: Any = given["elements"] or ()
        like = tuple(alike(each, inside) for each, inside in zip(elements, first.items))
        return _replaced(given, {"elements": like})
    if given.kind == "images" and isinstance(first, CallRecipe):
        return _image_alike(given, first)
    if given.kind in _LISTS and isinstance(first, DisplayRecipe):
        size = _literal(len(first.items))
        return _replaced(given, {"min_len": size, "max_len": size})
    return given


def _form(first: CallRecipe) -> Dict[str, Argument]:
    shape = first.arguments[0] if first.arguments else dict(first.keywords)["shape"]
    found: Dict[str, Argument] = {"shape": _literal(evaluate(shape, {}))}
    dtype = dict(first.keywords).get("dtype", LiteralRecipe("float32"))
    if len(first.arguments) > 1:
        dtype = first.arguments[1]
    if isinstance(dtype, LiteralRecipe):
        found["dtype"] = _literal(dtype.value)
    return found


def _image_alike(given: Constraint, first: CallRecipe) -> Constraint:
    sides = [part.value for part in first.arguments[1:3] if isinstance(part, LiteralRecipe)]
    if len(sides) != 2 or sides[0] != sides[1]:
        return given
    return _replaced(given, {"min_side": _literal(sides[0]), "max_side": _literal(sides[0])})


def _literal(value: Any) -> Expression:
    return Expression(repr(value), literal=True, value=value)


def _replaced(constraint: Constraint, given: Mapping[str, Argument]) -> Constraint:
    kept: Tuple[Tuple[str, Argument], ...] = tuple({**dict(constraint.arguments), **given}.items())
    return Constraint(constraint.kind, kept)
