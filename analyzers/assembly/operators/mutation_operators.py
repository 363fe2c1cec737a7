"""API replacement: a layer with a similar one, chosen by roulette over their similarity."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

from analyzers.assembly.disassembly.blocks import Block, BlockArgument
from analyzers.assembly.layer_tables import LayerApi, LayerParameter, Similarity, roulette_choice
from analyzers.assembly.operators.block_changes import (
    BOUNDARY,
    GENERATION,
    REPLACEMENT,
    BlockChange,
    BlockMutant,
    api_of,
    bound,
    complete,
    example_of,
    is_called,
    is_replaceable,
    kind,
    rewritten,
    with_arguments,
)
from analyzers.assembly.operators.parameter_values import (
    UnknownError,
    drawn,
    group,
    holds,
    is_drawable,
    names,
    outside,
    value_of,
)

_TRIES = 6


def generated(block: Block, apis: Mapping[str, LayerApi], rng: random.Random) -> BlockMutant | None:
    """Return a block with one parameter (and those tied to it) at another legal value."""
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


def _reachable(block: Block, api: LayerApi, given: Mapping[str, str]) -> list[LayerParameter]:
    if is_called(block) and api.name != block.api:
        return [each for each in api.parameters if each.name in given]
    return list(api.parameters)


def _at_another(
    block: Block,
    api: LayerApi,
    given: Mapping[str, str],
    parameter: LayerParameter,
    rng: random.Random,
) -> BlockMutant | None:
    now = complete(api, given)
    value = drawn(parameter, now.get(parameter.name, ""), rng)
    if value is None:
        return None
    changes = reconciled(api, now, {parameter.name: value}, rng)
    if changes is None:
        return None
    change = BlockChange(
        GENERATION,
        block.api,
        value,
        now.get(parameter.name, ""),
        parameter.name,
        tied=tuple((name, each) for name, each in changes.items() if name != parameter.name),
        group=f"{parameter.name}: {group(parameter, value)}",
    )
    return BlockMutant(with_arguments(block, api, changes), change)


def reconciled(
    api: LayerApi, now: Mapping[str, str], changes: Mapping[str, str], rng: random.Random
) -> dict[str, str] | None:
    """Return changes with those of tied parameters that keep the computable conditions."""
    changes = dict(changes)
    for _ in range(len(api.requires) + 1):
        sources = {**now, **changes}
        broken = next((each for each in api.requires if holds(each, sources) is False), None)
        if broken is None:
            return changes
        repair = _repair(api, now, changes, broken, rng)
        if repair is None:
            return None
        changes.update(repair)
    return None


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


def bounded(block: Block, apis: Mapping[str, LayerApi]) -> Iterator[BlockMutant]:
    """Yield the block with each parameter but bools just outside of each end of its legal range."""
    api = api_of(block, apis)
    given = None if api is None else bound(block, api)
    if api is None or given is None:
        return
    for parameter in _reachable(block, api, given):
        for value in outside(parameter):
            was = given.get(parameter.name, parameter.default)
            changed = with_arguments(block, api, {parameter.name: value})
            kind = f"{parameter.name}: outside, {value}"
            yield BlockMutant(
                changed, BlockChange(BOUNDARY, block.api, value, was, parameter.name, group=kind)
            )


TAKEN_IN = ("in_channels", "in_features", "num_features", "input_size", "num_channels")
TAKEN_IN_TOO = (*TAKEN_IN, "embed_dim", "d_model", "normalized_shape", "in1_features")
GIVEN_OUT = ("out_channels", "out_features", "hidden_size", "embedding_dim")
_MEANINGS = (
    TAKEN_IN_TOO,
    (*GIVEN_OUT, "dim_feedforward"),
    ("kernel_size", "output_size", "scale_factor"),
    ("p", "dropout"),
    ("dim", "axis", "start_dim"),
    ("num_heads", "nhead"),
)
_NEVER: Mapping[str, int] = MappingProxyType({})
_PLAIN = frozenset({"int", "float", "bool", "str", "ints", "floats", "none"})
_TAKEN: tuple[tuple[type, frozenset[str]], ...] = (
    (type(None), frozenset({"none"})),
    (bool, frozenset({"bool"})),
    (int, frozenset({"int", "float"})),
    (float, frozenset({"float"})),
    (tuple, frozenset({"ints", "floats"})),
    (list, frozenset({"ints", "floats"})),
)


def replaced(
    block: Block,
    apis: Mapping[str, LayerApi],
    similarity: Similarity,
    spelled: Callable[[str], str],
    rng: random.Random,
    fed: str = "",
    used: Mapping[str, int] = _NEVER,
) -> BlockMutant | None:
    """Return a block of another API; ``None`` where there is none that arguments can be found for.

    ``spelled`` writes an API as the file can call it; ``fed`` is the source of the number of
    features that the block is fed, where it is known.  ``used`` is how often each API was
    put somewhere: its chances sink with that.
    """
    old = api_of(block, apis)
    given = bound(block, old) if old is not None else None
    if old is None or given is None or not is_replaceable(block):
        return None
    among = kind(block.api, block.role)
    row = [
        (name, weight / (1 + used.get(name, 0)))
        for name, weight in similarity.row(old.name)
        if kind(name, "") == among and not apis[name].container
    ]
    for _ in range(8):
        chosen = roulette_choice(row, rng)
        if chosen is None:
            return None
        arguments = carried(apis[chosen], given, fed, rng)
        if arguments is not None:
            new = tuple(BlockArgument(name, value) for name, value in arguments.items())
            changed = rewritten(block, chosen, spelled(chosen), new)
            return BlockMutant(
                changed, BlockChange(REPLACEMENT, chosen, chosen, block.api, group=chosen)
            )
    return None


def carried(
    api: LayerApi, given: Mapping[str, str], fed: str, rng: random.Random
) -> dict[str, str] | None:
    """Return the arguments of another API in the place of these; ``None`` if some are unknown."""
    found, example = dict[str, str](), example_of(api)
    for parameter in api.parameters:
        source = _source(parameter, given, fed, example, rng)
        if source is not None:
            found[parameter.name] = source
        elif not parameter.default:
            return None
    changes = reconciled(api, complete(api, found), {}, rng)
    if changes is None:
        return example or None
    return {**found, **changes}


def _source(
    parameter: LayerParameter,
    given: Mapping[str, str],
    fed: str,
    example: Mapping[str, str],
    rng: random.Random,
) -> str | None:
    same = given.get(parameter.name)
    if same is not None and _fits(parameter, same):
        return same
    if parameter.default:
        return None
    alike = _alike(parameter, given)
    if alike is not None:
        return alike
    if fed and parameter.name in TAKEN_IN_TOO:
        return fed
    if parameter.name in example:
        return example[parameter.name]
    return drawn(parameter, "", rng)


def _alike(parameter: LayerParameter, given: Mapping[str, str]) -> str | None:
    for meaning in _MEANINGS:
        if parameter.name in meaning:
            sources = (given[name] for name in meaning if name in given)
            return next((each for each in sources if _fits(parameter, each)), None)
    return None


def _fits(parameter: LayerParameter, source: str) -> bool:
    if parameter.choices:
        return source in parameter.choices
    try:
        value = value_of(source)
    except UnknownError:
        return True
    kinds = set(parameter.kinds)
    if isinstance(value, tuple | list) and parameter.length not in {None, len(value)}:
        return False
    wanted = next((takes for made, takes in _TAKEN if isinstance(value, made)), {"str"})
    return bool(kinds & wanted) or not kinds & _PLAIN


def features_before(blocks: Sequence[Block], slot: int, apis: Mapping[str, LayerApi]) -> str:
    """Return the source of how many features a slot is fed, as the last block before it says."""
    for block in reversed([each for each in blocks if each.slot < slot]):
        api = api_of(block, apis)
        given = None if api is None else bound(block, api)
        for name in (*GIVEN_OUT, "num_features", "normalized_shape", "d_model", "embed_dim"):
            if given and name in given:
                return given[name]
    return ""
