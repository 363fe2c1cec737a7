"""Which layer is built for one size only, by what torch says where another one comes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from analyzers.assembly.configuration import Built, Flow, Function, depends
from analyzers.assembly.inputs import value_of

_EXPECTED = (
    re.compile(r"shapes cannot be multiplied \(\d+x\d+ and (?P<size>\d{1,9})x\d+\)"),
    re.compile(r"expected input\[[\d, ]*\] to have (?P<size>\d{1,9}) channels"),
    re.compile(r"normalized_shape=\[(?P<size>\d{1,9})\], expected input"),
    re.compile(r"running_mean should contain \d+ elements not (?P<size>\d{1,9})"),
    re.compile(r"input\.size\(-1\) must be equal to input_size\. Expected (?P<size>\d{1,9})"),
)
_OF_INPUT = frozenset(
    {
        "in_channels",
        "in_features",
        "num_embeddings",
        "normalized_shape",
        "num_features",
        "input_size",
        "d_model",
        "embed_dim",
    }
)


def legal(flow: Flow, default: int) -> tuple[int, ...]:
    """Other values of a parameter of a layer, within its legal range, near the default."""
    low = flow.parameter.low if flow.parameter.low is not None else 0
    high = flow.parameter.high if flow.parameter.high is not None else 1 << 20
    values = dict.fromkeys((default + 1, default + 2, 2 * default))
    return tuple(v for v in values if v != default and low <= v <= high)


def is_free(flow: Flow) -> bool:
    """Whether a layer takes other values of a parameter without asking for another input."""
    return "int" in flow.parameter.kinds and flow.parameter.name not in _OF_INPUT


def expected(detail: str) -> int | None:
    """The size that a layer was built for, from torch's words on another one."""
    found = (pattern.search(detail) for pattern in _EXPECTED)
    return next((int(match["size"]) for match in found if match), None)


def built_for(size: int, given: str, function: Function, built: Sequence[Built]) -> Built | None:
    """The one layer that is built for a size whatever the parameter ``given`` is."""
    found = [
        each
        for each in built
        if each.api.parameters
        and (argument := each.arguments.get(each.api.parameters[0].name)) is not None
        and value_of(argument, function) == size
        and given not in depends(function, argument)
    ]
    return found[0] if len(found) == 1 else None
