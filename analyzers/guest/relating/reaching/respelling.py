"""Recipes of values: what a target's argument has to be made by to be such a value."""

from __future__ import annotations

from collections import Counter
from typing import Any, List, Tuple

from ...generation.recipes import BadRecipe, Call, Display, Literal, Pairs, Recipe, literal
from ..libraries.library import Library

MOST_ELEMENTS = 64
"""A larger array is told only where most of its elements are the same."""
_MAKERS = {"torch": "tensor", "numpy": "array", "jax": "jax_array"}


def respelled(value: Any, like: Any, library: Library) -> Recipe:
    """The recipe of a value in the place of ``like``; raises :class:`BadRecipe`.

    An array becomes one of the kind that ``like`` is: of torch, NumPy or JAX.
    """
    if not library.is_array(value):
        return literal(value)
    kind = _kind(like)
    if kind is None:
        return literal(_number(value, library))
    dtype, shape, elements = library.plain(value)
    keywords = _contents(shape, elements)
    if dtype != "float32":
        keywords.insert(0, ("dtype", Literal(dtype)))
    if kind == "torch" and getattr(like, "requires_grad", False):
        keywords.append(("requires_grad", Literal(value=True)))
    return Call(_MAKERS[kind], (literal(tuple(shape)),), tuple(keywords))


def _kind(like: Any) -> Any:
    """The library whose array a value is."""
    if not (hasattr(like, "dtype") and hasattr(like, "shape")):
        return None
    name = type(like).__module__.partition(".")[0]
    return {"torch": "torch", "numpy": "numpy", "jaxlib": "jax", "jax": "jax"}.get(name)


def _number(array: Any, library: Library) -> Any:
    _, _, elements = library.plain(array)
    if elements.size != 1:
        raise BadRecipe("an array is no number")
    return elements.item()


def _contents(shape: Tuple[int, ...], elements: Any) -> List[Tuple[str, Recipe]]:
    """The element that is there most, and where there are others."""
    import numpy

    if 0 in shape:
        return []
    flat = elements.reshape(-1).tolist()
    texts = [repr(each) for each in flat]
    most, count = Counter(texts).most_common(1)[0]
    if len(flat) - count > MOST_ELEMENTS:
        raise BadRecipe("the array is too large to be told")
    fill = flat[texts.index(most)]
    found: List[Tuple[str, Recipe]] = [] if most in ("0", "0.0") else [("fill", literal(fill))]
    others = [
        (literal(tuple(int(n) for n in numpy.unravel_index(place, shape))), literal(each))
        for place, each in enumerate(flat)
        if texts[place] != most
    ]
    return [*found, ("at", Pairs(tuple(others)))] if others else found


def replaced(recipe: Recipe, path: Tuple[Any, ...], new: Recipe) -> Recipe:
    """A recipe with another at a path of indices and keys; raises :class:`BadRecipe`."""
    if not path:
        return new
    if isinstance(recipe, Display) and isinstance(path[0], int):
        items = list(recipe.items)
        items[path[0]] = replaced(items[path[0]], path[1:], new)
        return Display(recipe.kind, tuple(items))
    if isinstance(recipe, Pairs):
        key = literal(path[0])
        pairs = [(k, replaced(v, path[1:], new) if k == key else v) for k, v in recipe.items]
        return Pairs(tuple(pairs))
    raise BadRecipe("it is no part of a display")
