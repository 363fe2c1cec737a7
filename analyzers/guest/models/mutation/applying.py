"""Mutations of a model: which there are, and the model after them."""

from __future__ import annotations

import random
from typing import Any, Iterator, Mapping, Sequence

from ..nouns import Model, Mutation
from .copying import copied
from .crafting import Inapplicable, crafted, passing
from .fitting import FITS, candidate, switchable
from .inner import changed
from .layering import layered
from .rules import COPY, DEACTIVATION, INNER, REACTIVATION, REMOVAL, RULES, SWITCH
from .surveying import Layer, surveyed


def mutated(model: Model, mutations: Sequence[Mutation]) -> Model:
    """The model after the mutations, one after another; the model given stays as it was.

    The same model and mutations give the same mutant.  Raises :class:`Inapplicable` where a
    mutation has no place in the model, keeps no shape, or leaves a model that does not run.
    """
    if model.framework == "keras":
        from ..keras_.mutation import mutated as of_keras

        return of_keras(model, mutations)
    mutant = layered(model) if mutations else model
    for mutation in mutations:
        _check(mutation, surveyed(mutant))
        mutant = applied(mutant, mutation)
    if mutations:
        surveyed(mutant)
    return mutant


def applied(model: Model, mutation: Mutation) -> Model:
    """A :func:`layered` model after one mutation, without running it."""
    root = model.module
    module = _found(root, mutation.layer)
    if mutation.rule in INNER:
        made = copied(root, {}, changed(module, mutation))
    else:
        made = copied(root, _swaps(root, module, mutation), {})
    return Model(made, model.inputs, model.keywords, model.framework)


def _found(root: Any, name: str) -> Any:
    if name == ".":
        return root
    try:
        return root.get_submodule(name)
    except AttributeError as error:
        raise Inapplicable(f"no layer {name}") from error


def _swaps(root: Any, module: Any, mutation: Mutation) -> Mapping[int, Any]:
    import torch

    rule = mutation.rule
    if rule in (REMOVAL, DEACTIVATION):
        return {id(module): passing()}
    if rule == SWITCH:
        other = _found(root, mutation.detail)
        return {id(module): other, id(other): module}
    if rule == REACTIVATION:
        return {id(module): crafted(mutation.detail, mutation.seed)}
    added = copied(module, {}, {}) if rule == COPY else crafted(mutation.detail, mutation.seed)
    return {id(module): torch.nn.Sequential(module, added).eval()}


def _check(mutation: Mutation, layers: Sequence[Layer]) -> None:
    names = [mutation.layer] + ([mutation.detail] if mutation.rule == SWITCH else [])
    known = {layer.name: layer for layer in layers}
    for name in names:
        if name not in known:
            raise Inapplicable(f"no layer {name} that the model uses")
    chosen = [known[name] for name in names]
    if not FITS[mutation.rule](chosen[0]):
        raise Inapplicable(f"{RULES[mutation.rule]} is not for {mutation.layer}")
    if mutation.rule == SWITCH and not switchable(chosen[0], chosen[1]):
        raise Inapplicable(f"{names[0]} and {names[1]} differ in their shapes")


def mutations(model: Model, rng: random.Random, each: int = 1) -> Iterator[Mutation]:
    """Mutations of a model, ``each`` by every rule that fits it, in random order.

    Raises :class:`Inapplicable` where the model does not run.
    """
    if model.framework == "keras":
        from ..keras_.mutation import mutations as of_keras

        yield from of_keras(model, rng, each)
        return
    layers = surveyed(layered(model))
    for rule in rng.sample(list(RULES), len(RULES)):
        for _ in range(each):
            mutation = candidate(layers, rule, rng)
            if mutation is not None:
                yield mutation
