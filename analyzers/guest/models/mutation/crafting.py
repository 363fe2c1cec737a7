"""Layers made from their source, the same ones for the same seed."""

from __future__ import annotations

from functools import cache
from typing import Any, Callable

from .spelling import Made, layers_of
from .universe import MAKEABLE


class Inapplicable(Exception):  # noqa: N818 - a limit, not an error
    """A mutation cannot be made of a model; says why."""


def crafted(detail: str, seed: int) -> Any:
    """The layer, or the layers one after another, of a mutation's detail, in evaluation mode.

    Weights are drawn as torch draws them, from ``seed``; no other random number is touched.
    Raises :class:`Inapplicable` for what torch.nn lacks or refuses.
    """
    import torch

    layers = layers_of(detail)
    unknown = [made.kind for made in layers if made.kind not in MAKEABLE]
    if unknown:
        raise Inapplicable(f"{unknown[0]} is no layer to put in")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        made = [_one(layer) for layer in layers]
    return made[0] if len(made) == 1 else torch.nn.Sequential(*made).eval()


def _one(made: Made) -> Any:
    import torch

    try:
        return getattr(torch.nn, made.kind)(*made.arguments, **made.keywords).eval()
    except (TypeError, ValueError, RuntimeError, AttributeError) as error:
        raise Inapplicable(f"torch.nn.{made.kind}: {error}") from error


def passing() -> Any:
    """What stands where a layer was: gives its input, as a tensor of its own."""
    return _removed()()


@cache
def _removed() -> Callable[[], Any]:
    import torch

    class Removed(torch.nn.Module):  # type: ignore[misc]
        """Nothing: a copy of the input, so that what works in place below changes no other."""

        def forward(self, value: Any) -> Any:
            return value.clone()

    return Removed


def is_removed(module: Any) -> bool:
    """Whether a layer was removed here."""
    return type(module) is _removed()
