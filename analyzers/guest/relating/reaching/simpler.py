"""Arguments of a target that are smaller in one way: fewer, of fewer elements, plainer."""

from __future__ import annotations

import math
from typing import Any, Dict, FrozenSet, Iterator, List, Mapping, Optional, Tuple

from ...generation.recipes import BadRecipe, Call, Display, Literal, Pairs, Recipe, literal, parse

ARRAYS = ("tensor", "array", "jax_array")
Recipes = Mapping[str, Recipe]
Cost = Tuple[int, int, int]


def cost(recipes: Recipes) -> Cost:
    """How much there is to read: arguments, characters, and what their digits are."""
    texts = [recipe.source() for recipe in recipes.values()]
    digits = sum("0123456789".find(letter) + 1 for text in texts for letter in text)
    return len(texts), sum(map(len, texts)), digits


def recipes_of(arguments: Mapping[str, Mapping[str, Any]]) -> Optional[Recipes]:
    """The recipes of arguments; ``None`` where one has none."""
    try:
        return {
            name: parse(given["recipe"] if given["kind"] == "made" else given["source"])
            for name, given in arguments.items()
        }
    except (BadRecipe, KeyError):
        return None


def simpler(recipes: Recipes, optional: FrozenSet[str]) -> Iterator[Dict[str, Recipe]]:
    """Arguments of less :func:`cost`, the boldest first; those that are ``optional`` may go."""
    most = cost(recipes)
    for found in _changed(recipes, optional):
        if cost(found) < most:
            yield found


def _changed(recipes: Recipes, optional: FrozenSet[str]) -> Iterator[Dict[str, Recipe]]:
    for name in recipes:
        if name in optional:
            yield {each: recipe for each, recipe in recipes.items() if each != name}
    sizes = {size for recipe in recipes.values() for size in _shape(recipe) or ()}
    for size in sorted(sizes, reverse=True):
        for new in _fewer(size):
            yield {name: _resized(recipe, size, new) for name, recipe in recipes.items()}
    for name, recipe in recipes.items():
        for found in _simpler(recipe):
            yield {**recipes, name: found}


def _fewer(size: int) -> List[int]:
    return sorted({new for new in (1, 2, size // 2, size - 1) if 0 < new < size})


def _simpler(recipe: Recipe) -> Iterator[Recipe]:
    if isinstance(recipe, Literal):
        yield from _plainer(recipe)
    elif isinstance(recipe, Display):
        yield from _of_display(recipe)
    elif isinstance(recipe, Call) and _shape(recipe) is not None:
        yield from _of_array(recipe)


def _plainer(recipe: Literal) -> Iterator[Recipe]:
    value = recipe.value
    if type(value) is bool:
        yield Literal(value=False)
    elif type(value) in (int, float):
        kind = type(value)
        yield from (Literal(kind(plain)) for plain in (0, 1, -1, 2))
        if kind is float and math.isfinite(value):
            yield Literal(float(round(value)))
        if kind is int:
            yield Literal(int(value / 2))


def _of_display(recipe: Display) -> Iterator[Recipe]:
    items = recipe.items
    if recipe.kind == "list" and len(items) > 1:
        yield Display("list", items[:1])
        for number in range(len(items)):
            yield Display("list", items[:number] + items[number + 1 :])
    for number, item in enumerate(items):
        for found in _simpler(item):
            yield Display(recipe.kind, (*items[:number], found, *items[number + 1 :]))


# --------------------------------------------------------------------- arrays


def _shape(recipe: Recipe) -> Optional[Tuple[int, ...]]:
    """The shape of an array's recipe."""
    if not (isinstance(recipe, Call) and recipe.function in ARRAYS and recipe.arguments):
        return None
    shape = recipe.arguments[0]
    if not (isinstance(shape, Display) and len(recipe.arguments) == 1):
        return None
    sizes = [each.value for each in shape.items if isinstance(each, Literal)]
    return tuple(sizes) if len(sizes) == len(shape.items) else None


def _resized(recipe: Recipe, size: int, new: int) -> Recipe:
    """An array with ``new`` wherever its shape has ``size``, also inside displays."""
    if isinstance(recipe, Display):
        return Display(recipe.kind, tuple(_resized(item, size, new) for item in recipe.items))
    shape = _shape(recipe)
    if shape is None or not isinstance(recipe, Call):
        return recipe
    return _shaped(recipe, tuple(new if each == size else each for each in shape))


def _shaped(recipe: Call, shape: Tuple[int, ...]) -> Call:
    """An array of another shape; elements beyond it go to its first place where none is left."""
    given = dict(recipe.keywords)
    at = given.pop("at", None)
    if isinstance(at, Pairs):
        kept = tuple(pair for pair in at.items if _is_in(pair[0], shape))
        if not kept and 0 not in shape:
            kept = ((literal((0,) * len(shape)), at.items[0][1]),)
        given["at"] = Pairs(kept)
    return Call(recipe.function, (literal(shape),), tuple(given.items()))


def _is_in(place: Recipe, shape: Tuple[int, ...]) -> bool:
    items = place.items if isinstance(place, Display) else ()
    numbers = [each.value for each in items if isinstance(each, Literal)]
    inside = all(-size <= number < size for number, size in zip(numbers, shape))
    return len(numbers) == len(shape) and inside


def _of_array(recipe: Call) -> Iterator[Recipe]:
    given = dict(recipe.keywords)
    shape = _shape(recipe) or ()
    for axis, size in enumerate(shape):
        for new in _fewer(size):
            yield _shaped(recipe, (*shape[:axis], new, *shape[axis + 1 :]))
    for name in ("contiguous", "seed", "values", "low", "high", "at", "fill"):
        if name in given:
            yield _with(recipe, {name: None})
    if "seed" in given:
        drawn = {"seed": None, "low": None, "high": None, "values": None}
        for fill in (None, literal(1), given.get("low"), given.get("high")):
            yield _with(recipe, {**drawn, "fill": fill})
    at, filling = given.get("at"), given.get("fill")
    if isinstance(at, Pairs):
        yield from _of_elements(recipe, at)
    if isinstance(filling, Literal):
        for plain in _plainer(filling):
            yield _with(recipe, {"fill": plain})


def _of_elements(recipe: Call, at: Pairs) -> Iterator[Recipe]:
    pairs = at.items
    for _, element in pairs:
        yield _with(recipe, {"at": None, "fill": element})
    for number, (place, element) in enumerate(pairs):
        others = (*pairs[:number], *pairs[number + 1 :])
        if others:
            yield _with(recipe, {"at": Pairs(others)})
        for found in _simpler(element):
            yield _with(
                recipe, {"at": Pairs((*pairs[:number], (place, found), *pairs[number + 1 :]))}
            )


def _with(recipe: Call, changes: Mapping[str, Optional[Recipe]]) -> Call:
    """With other keywords; ``None`` leaves one out."""
    given = {**dict(recipe.keywords), **changes}
    keywords = tuple((name, each) for name, each in given.items() if each is not None)
    return Call(recipe.function, recipe.arguments, keywords)
