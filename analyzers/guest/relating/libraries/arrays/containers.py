"""Values around arrays: containers and plain values as text, and copied."""

from __future__ import annotations

from typing import Any, Callable, List

from ....generation.recipes import BadRecipe, Call, Display, Literal, Name, Pairs, Recipe, literal

MOST_ITEMS = 64
"""How many items a container, and how many elements an array has that is written out."""

PLAIN = {"int": int, "float": float, "bool": bool, "complex": complex, "slice": slice}
"""The names of Python itself that recipes of library calls may use."""


def spelled(value: Any, array: Callable[[Any], Recipe]) -> Recipe:
    """The recipe of a value; ``array`` spells what is neither container nor plain."""
    if type(value) in (list, tuple):
        if len(value) > MOST_ITEMS:
            raise BadRecipe("it is too long to be written")
        return Display(type(value).__name__, tuple(spelled(item, array) for item in value))
    if type(value) is dict:
        return Pairs(tuple((literal(key), spelled(at, array)) for key, at in value.items()))
    if isinstance(value, type) and PLAIN.get(value.__name__) is value:
        return Name(value.__name__)
    if type(value) is slice:
        parts = (value.start, value.stop, value.step)
        return Call("slice", tuple(literal(part) for part in parts))
    try:
        return number(value)
    except BadRecipe:
        return array(value)


def number(value: Any) -> Recipe:
    """A plain value; complex numbers of two parts are calls."""
    if type(value) is complex:
        return Call("complex", (Literal(value.real), Literal(value.imag)))
    return literal(value)


def elements(items: Any) -> Recipe:
    """The display of nested lists of numbers, such as ``tolist`` gives."""
    if not isinstance(items, list):
        return number(items)
    made: List[Recipe] = [elements(item) for item in items]  # pyright: ignore[reportUnknownVariableType]
    return Display("list", tuple(made))


def copied(value: Any, array: Callable[[Any], Any]) -> Any:
    """Containers of their own; ``array`` copies what is no container."""
    if type(value) in (list, tuple):
        return type(value)([copied(item, array) for item in value])
    if type(value) is dict:
        return {key: copied(item, array) for key, item in value.items()}
    return array(value)
