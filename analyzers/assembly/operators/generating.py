"""Random generation and boundary checking: one parameter, inside and just outside its range."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping

from analyzers.assembly.constraints import LayerApi, Parameter
from analyzers.assembly.disassembly import Block
from analyzers.assembly.operators.binding import api_of, bound, complete, is_called, with_arguments
from analyzers.assembly.operators.literals import holds, names
from analyzers.assembly.operators.nouns import BOUNDARY, GENERATION, Change, Mutant
from analyzers.assembly.operators.values import drawn, group, is_drawable, outside

_TRIES = 6


def generated(block: Block, apis: Mapping[str, LayerApi], rng: random.Random) -> Mutant | None:
    """A block with one parameter at another legal value; ``None`` where none can be changed.

    Where conditions over several parameters would break, those are changed with it.
    """
    api = api_of(block, apis)
    given = None if api is None else bound(block, api)
    if api is None or given is None:
        return None
    found = [each for each in _reachable(block, api, given) if not each.tied and is_drawable(each)]
    for parameter in rng.sample(found, len(found)):
        for _ in range(_TRIES):
            mutant = _at_another(block, api, given, parameter, rng)
            if mutant is not None:
                return mutant
    return None


def _reachable(block: Block, api: LayerApi, given: Mapping[str, str]) -> list[Parameter]:
    """The parameters that can be given: of a function known by its layer, those that are."""
    if is_called(block) and api.name != block.api:
        return [each for each in api.parameters if each.name in given]
    return list(api.parameters)


def _at_another(
    block: Block,
    api: LayerApi,
    given: Mapping[str, str],
    parameter: Parameter,
    rng: random.Random,
) -> Mutant | None:
    now = complete(api, given)
    value = drawn(parameter, now.get(parameter.name, ""), rng)
    if value is None:
        return None
    changes = reconciled(api, now, {parameter.name: value}, rng)
    if changes is None:
        return None
    change = Change(
        GENERATION,
        block.api,
        value,
        now.get(parameter.name, ""),
        parameter.name,
        tied=tuple((name, each) for name, each in changes.items() if name != parameter.name),
        group=f"{parameter.name}: {group(parameter, value)}",
    )
    return Mutant(with_arguments(block, api, changes), change)


def reconciled(
    api: LayerApi, now: Mapping[str, str], changes: Mapping[str, str], rng: random.Random
) -> dict[str, str] | None:
    """Changes with those of tied parameters that keep all conditions; ``None``: none are found.

    A condition that cannot be computed, as a source in it is no literal, breaks nothing.
    """
    changes = dict(changes)
    for _ in range(len(api.requires) + 1):
        broken = _broken(api, {**now, **changes})
        if broken is None:
            return changes
        repair = _repair(api, now, changes, broken, rng)
        if repair is None:
            return None
        changes.update(repair)
    return None


def _broken(api: LayerApi, sources: Mapping[str, str]) -> str | None:
    return next((each for each in api.requires if holds(each, sources) is False), None)


def _repair(
    api: LayerApi,
    now: Mapping[str, str],
    changes: Mapping[str, str],
    condition: str,
    rng: random.Random,
) -> dict[str, str] | None:
    for name in sorted(names(condition) - changes.keys()):
        parameter = api.parameter(name)
        if parameter is None or not is_drawable(parameter) or parameter.tied:
            continue
        draws = (drawn(parameter, now.get(name, ""), rng) for _ in range(_TRIES))
        for value in (*changes.values(), *draws):
            if value is not None and holds(condition, {**now, **changes, name: value}):
                return {name: value}
    return None


def bounded(block: Block, apis: Mapping[str, LayerApi]) -> Iterator[Mutant]:
    """The block with each parameter just outside of each end of its legal range.

    Bool parameters are left alone: they take anything.
    """
    api = api_of(block, apis)
    given = None if api is None else bound(block, api)
    if api is None or given is None:
        return
    for parameter in _reachable(block, api, given):
        for value in outside(parameter):
            was = given.get(parameter.name, parameter.default)
            changed = with_arguments(block, api, {parameter.name: value})
            kind = f"{parameter.name}: outside, {value}"
            yield Mutant(
                changed, Change(BOUNDARY, block.api, value, was, parameter.name, group=kind)
            )
