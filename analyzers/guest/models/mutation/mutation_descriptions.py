"""Mutations in words for the author of a model."""

from __future__ import annotations

from typing import Callable, Mapping

from ..model_types import Mutation
from .mutation_grammar import (
    ADDITION,
    BLOCKING,
    BUNDLE,
    COPY,
    DEACTIVATION,
    EXCHANGE,
    FUZZING,
    INVERSION,
    REACTIVATION,
    REMOVAL,
    SHUFFLING,
    SWITCH,
    layer_text,
    layers_of,
)

_SHARE = "30 % of the neurons"


def described(mutation: Mutation) -> str:
    """What a mutation does to a model: "an `nn.ReLU()` after `layer1.0.conv1`".

    The mutation is one that :func:`~.spelling.parsed` gave.
    """
    return _WORDS[mutation.rule](mutation)


def _place(name: str) -> str:
    """``relu#2``: the second call of a function; ``pool#2``: the second use of a layer."""
    if name == ".":
        return "the model's own"
    layer, sharp, count = name.partition("#")
    rest = count.split(".")[0]
    return f"`{layer}` (use {rest})" if sharp and rest.isdigit() else f"`{name}`"


def _layers(detail: str) -> str:
    return ", ".join(f"`nn.{layer_text(made)}`" for made in layers_of(detail))


def _added(mutation: Mutation) -> str:
    return f"an {_layers(mutation.detail)} after {_place(mutation.layer)}"


def _bundled(mutation: Mutation) -> str:
    return f"{_layers(mutation.detail)} after {_place(mutation.layer)}"


def _switched(mutation: Mutation) -> str:
    return f"{_place(mutation.layer)} and {_place(mutation.detail)} in each other's place"


def _replaced(mutation: Mutation) -> str:
    return f"an {_layers(mutation.detail)} instead of the activation {_place(mutation.layer)}"


def _neurons(verb: str) -> Callable[[Mutation], str]:
    def words(mutation: Mutation) -> str:
        return f"{verb} in {_place(mutation.layer)} ({mutation.detail})"

    return words


_WORDS: Mapping[str, Callable[[Mutation], str]] = {
    REMOVAL: lambda mutation: f"without {_place(mutation.layer)}",
    COPY: lambda mutation: f"{_place(mutation.layer)} twice in a row",
    DEACTIVATION: lambda mutation: f"without the activation {_place(mutation.layer)}",
    SWITCH: _switched,
    ADDITION: _added,
    BUNDLE: _bundled,
    REACTIVATION: _replaced,
    FUZZING: _neurons(f"noise on the weights of {_SHARE}"),
    SHUFFLING: _neurons(f"shuffled weights of {_SHARE}"),
    INVERSION: _neurons(f"the sign of {_SHARE} turned"),
    BLOCKING: _neurons(f"zero weights for {_SHARE} that feed it"),
    EXCHANGE: _neurons(f"{_SHARE} that feed it in each other's place"),
}
