"""Inputs made for functions that no example calls: by the names of their parameters."""

from __future__ import annotations

import itertools
import warnings
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from ...inputs.recipes import DisplayRecipe, LiteralRecipe, Recipe, evaluate, literal
from ..relation_types import METHOD, ApiParameter, CallSource, LibraryApi, Namespace

Array = Callable[[Any, str], Recipe]
"""Makes the recipe of an array from nested lists and the name of a dtype."""

_INTS: Dict[str, Tuple[int, ...]] = {
    "axis1": (0,),
    "axis2": (1,),
    "dim0": (0,),
    "source": (0,),
    "destination": (1,),
    "start": (0, 1),
    "stop": (5,),
    "num": (3,),
}
_COUNTS = frozenset(
    (
        *("n", "k", "N", "M", "m", "num_classes", "depth", "decimals", "deg", "repeats", "shift"),
        *("axis", "axes", "dimension", "rank", "size", "sections", "ndim", "offset", "length"),
        *("width", "num_segments", "block_size", "begin", "window"),
    )
)
_SHAPES = ("shape", "newshape", "new_shape", "new_sizes", "output_shape", "dimensions", "sizes")
_SEQUENCES = ("arrays", "tup", "xs", "arys", "inputs", "operands", "seq", "array_list", "tensors")
_WORDS: Dict[str, Tuple[Any, ...]] = {
    "subscripts": ("ij,ij->j", "ij->ji"),
    "pattern": ("a b -> b a",),
    "q": (0.25, [0.2, 0.5]),
    "reps": (2, (2, 1)),
    "pad_width": (1, ((1, 0), (0, 2))),
    "indices_or_sections": (1, 2, [1]),
    "permutation": ((1, 0),),
    "keepdims": (True,),
    "axis": (0, 1, -1, None),
    "axes": ((0, 1),),
    "ddof": (1,),
    "k": (1, -1),
    "mode": ("same", "wrap"),
    "side": ("right",),
    "exponent": (2,),
    "dtype": ("float32",),
}
_OPTIONAL = ("axis", "keepdims", "ddof", "k", "axes", "side", "offset", "decimals", "descending")


@dataclass(frozen=True)
class CallLimits:
    """How many calls of one function are tried, and how many of those that succeed are kept."""

    tried: int = 60
    kept: int = 8


@dataclass(frozen=True)
class ArrayProfile:
    """What the arrays of a call are like."""

    first: Recipe
    second: Recipe
    indices: Recipe
    mask: Recipe


def profiles(array: Array) -> Tuple[ArrayProfile, ...]:
    """Matrices, vectors, integers, bools, scalars, stacks and empty arrays."""
    indices, mask = array([1, 0], "int32"), array([True, False], "bool")
    pairs: Tuple[Tuple[Any, Any, str], ...] = (
        ([[4.0, 1.5], [1.5, 3.0]], [[0.5, -1.0], [2.0, 1.0]], "float32"),
        ([0.5, -1.25, 2.0, 2.0], [1.0, 3.0, -2.0, 0.25], "float32"),
        ([3, 1, 2, 0], [1, 2, 2, 3], "int32"),
        ([[True, False], [True, True]], [[False, False], [True, False]], "bool"),
        (0.75, 0.5, "float32"),
        ([[[1.0, 2.0], [3.0, 5.0]]], [[[1.0, 0.0], [0.5, 2.0]]], "float32"),
        ([[[[1.0, 2.0], [3.0, -4.0]]]], [[[[0.5]]]], "float32"),
        ([float("nan"), float("inf"), -0.0, 1.0], [1.0, 2.0, 3.0, 4.0], "float32"),
        ([[2, 1], [1, 3]], [[1, 0], [1, 1]], "int32"),
        ([1.0, 2.0, 3.0], [0.0, 1.0, 0.5], "float32"),
        ([], [], "float32"),
    )
    return tuple(
        ArrayProfile(array(first, dtype), array(second, dtype), indices, mask)
        for first, second, dtype in pairs
    )


def calls_for(
    api: LibraryApi, made: Sequence[ArrayProfile], limits: CallLimits
) -> Iterator[CallSource]:
    """Calls of a function that may succeed, those with as few arguments as it needs first."""
    return itertools.islice(_calls(api, made), limits.tried)


def succeeds(call: CallSource, function: Any, namespace: Namespace) -> bool:
    """Whether a call returns something."""
    with suppress(Exception), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        arguments = [evaluate(item, namespace) for item in call.arguments]
        keywords = {name: evaluate(item, namespace) for name, item in call.keywords}
        function(*arguments, **keywords)
        return True
    return False


def _calls(api: LibraryApi, made: Sequence[ArrayProfile]) -> Iterator[CallSource]:
    for profile in made:
        yield from itertools.islice(_bare(api, profile), 6)
    for profile in made[:3]:
        base = next(_bare(api, profile), None)
        if base is not None:
            yield from _with_options(api, base)


def _bare(api: LibraryApi, profile: ArrayProfile) -> Iterator[CallSource]:
    """With what is required alone."""
    required = [item for item in api.parameters if item.required or item.name.startswith("*")]
    values = [_values(item, at, api, profile) for at, item in enumerate(required)]
    for chosen in itertools.product(*values):
        places = list(zip(required, chosen))
        yield CallSource(
            api.name,
            tuple(value for item, value in places if not item.keyword_only),
            tuple((item.name, value) for item, value in places if item.keyword_only),
        )


def _with_options(api: LibraryApi, base: CallSource) -> Iterator[CallSource]:
    for item in api.parameters:
        if not item.required and item.name in _OPTIONAL:
            for value in _WORDS.get(item.name, (1, True)):
                yield CallSource(
                    api.name, base.arguments, (*base.keywords, (item.name, literal(value)))
                )


def _values(item: ApiParameter, at: int, api: LibraryApi, profile: ArrayProfile) -> List[Recipe]:
    name = item.name.lstrip("*")
    if at == 0 and (api.kind == METHOD or name in ("a", "x", "arr", "m")):
        return [profile.first]
    for known in (_plain, _of_arrays):
        found = known(name, profile)
        if found is not None:
            return found
    return [profile.first if at == 0 else profile.second, profile.first, LiteralRecipe(2)]


def _plain(name: str, _profile: ArrayProfile) -> Optional[List[Recipe]]:
    if name in _SHAPES:
        return [literal((2, 2)), literal((4,)), literal((1, 2, 2))]
    values: Sequence[Any] = _WORDS.get(name) or _INTS.get(name) or ()
    if not values and name in _COUNTS:
        values = (1, 2, 0)
    return [literal(value) for value in values] or None


def _of_arrays(name: str, profile: ArrayProfile) -> Optional[List[Recipe]]:
    first, second = profile.first, profile.second
    if name in _SEQUENCES:
        return [DisplayRecipe("list", (first, second)), first]
    kinds: Mapping[str, Recipe] = {
        "indices": profile.indices,
        "index": profile.indices,
        "idx": profile.indices,
        "segment_ids": profile.indices,
        "ids": profile.indices,
        "condition": profile.mask,
        "mask": profile.mask,
        "pred": profile.mask,
    }
    return [kinds[name], first, LiteralRecipe(1)] if name in kinds else None
