"""Which mutations a model has room for."""

from __future__ import annotations

import random
from typing import Callable, Mapping, Optional, Sequence, Tuple

from ..nouns import Mutation
from .rules import (
    ADDITION,
    BUNDLE,
    COPY,
    DEACTIVATION,
    INNER,
    REACTIVATION,
    REMOVAL,
    SWITCH,
)
from .spelling import SEEDS
from .surveying import Layer
from .universe import REPLACEMENTS, additions, bundle


def _keeps(layer: Layer) -> bool:
    return layer.keeps


def _gives(layer: Layer) -> bool:
    return layer.whole and bool(layer.gives)


def _activates(layer: Layer) -> bool:
    return layer.activates


def _paired(layer: Layer) -> bool:
    return layer.whole and layer.given is not None and layer.gives is not None


def _weighed(layer: Layer) -> bool:
    return bool(layer.weights)


FITS: Mapping[str, Callable[[Layer], bool]] = {
    **dict.fromkeys(INNER, _weighed),
    REMOVAL: _keeps,
    COPY: _keeps,
    SWITCH: _paired,
    ADDITION: _gives,
    BUNDLE: _gives,
    DEACTIVATION: _activates,
    REACTIVATION: _activates,
}
"""What a rule asks of a layer."""


def switchable(one: Layer, other: Layer) -> bool:
    """Whether two layers have one input shape, one output shape, and neither holds the other."""
    apart = not f"{one.name}.".startswith(f"{other.name}.") and not (
        f"{other.name}.".startswith(f"{one.name}.")
    )
    same = (one.given, one.gives) == (other.given, other.gives)
    return apart and same and _paired(one) and _paired(other)


def candidate(layers: Sequence[Layer], rule: str, rng: random.Random) -> Optional[Mutation]:
    """A mutation by one rule, drawn at random from all that fit; ``None`` where none does."""
    fitting = [layer for layer in layers if FITS[rule](layer)]
    if rule == SWITCH:
        return _switch(fitting, rng)
    if not fitting:
        return None
    layer = rng.choice(fitting)
    detail, seeded = _detail(layer, rule, rng)
    if detail is None:
        return None
    return Mutation(rule, layer.name, detail, rng.randrange(1, SEEDS) if seeded else 0)


def _switch(layers: Sequence[Layer], rng: random.Random) -> Optional[Mutation]:
    pairs = [
        (one.name, other.name)
        for index, one in enumerate(layers)
        for other in layers[index + 1 :]
        if switchable(one, other)
    ]
    return Mutation(SWITCH, *rng.choice(pairs)) if pairs else None


def _detail(layer: Layer, rule: str, rng: random.Random) -> Tuple[Optional[str], bool]:
    if rule in INNER:
        return rng.choice(layer.weights), True
    if rule in (REMOVAL, COPY, DEACTIVATION):
        return "", False
    if rule == REACTIVATION:
        others = [each for each in REPLACEMENTS if each.split("(")[0] != layer.kind]
        return rng.choice(others), True
    shape = layer.gives or ()
    if rule == ADDITION:
        return rng.choice(additions(shape)), True
    layers = bundle(shape, rng)
    return (" > ".join(layers) if layers else None), True
