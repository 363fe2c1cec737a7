"""Torch modules between shapes, and optimizers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Optional, Tuple

from ..annotations.nouns import Argument, Constraint, Expression
from ..annotations.rendering import render
from .dimensions import dimensions
from .recipes import Call, Literal, Recipe
from .scope import Scope, Unmeetable
from .shapes import shape_recipe, sizes, whole

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

_INPUTS, _MOST_SEED = ("b", "4"), 99
_OPTIMIZERS = ("SGD", "Adam", "AdamW", "RMSprop")


def modules(constraint: Constraint, scope: Scope) -> SearchStrategy[Recipe]:
    """Modules from inputs to outputs of these shapes, for a batch of any size.

    The first dimension is the batch where both shapes begin with the same name,
    or with several dimensions.  Names are the sizes that other arguments have.
    """
    from hypothesis.strategies import composite

    inputs, outputs = _apart(constraint)
    taken, given = (dimensions(_words(each), scope) for each in (inputs, outputs))

    @composite
    def drawn(draw: DrawFn) -> Recipe:
        shapes = [shape_recipe(sizes(each, scope, draw)) for each in (taken, given)]
        seed = draw(whole(0, _MOST_SEED))
        return Call("module", tuple(shapes), (("seed", Literal(seed)),) if seed else ())

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
        raise Unmeetable(render(constraint), "only a batch can be of several dimensions")
    return inputs, outputs


def _said(given: Optional[Argument]) -> List[str]:
    return str(given.value).split() if isinstance(given, Expression) and given.literal else []


def _several(word: str) -> bool:
    return word == "..." or word.startswith("*")


def _names(word: str) -> bool:
    return word.isidentifier()


def optimizers(constraint: Constraint, scope: Scope) -> SearchStrategy[Recipe]:  # noqa: ARG001
    """Optimizers of a small module by name, of the usual ones where none is said."""
    from hypothesis.strategies import just, sampled_from

    name = constraint.value("name")
    if name is None:
        return sampled_from([Call("optimizer", (Literal(each),)) for each in _OPTIMIZERS])
    import torch

    meant = next((each for each in _spellings(str(name)) if _is_class(torch.optim, each)), None)
    if meant is None:
        raise Unmeetable(render(constraint), f"torch.optim has no {name}")
    return just(Call("optimizer", (Literal(meant),)))


def _spellings(name: str) -> List[str]:
    """A name as it is said, then as torch writes it: ``adam`` is ``Adam``."""
    import torch

    return [name, *(each for each in vars(torch.optim) if each.lower() == name.lower())]


def _is_class(module: Any, name: str) -> bool:
    return isinstance(getattr(module, name, None), type)
