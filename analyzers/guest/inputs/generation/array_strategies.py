"""The elements of an array, drawn by few choices: a constant, single ones, or a seed.

Without bounds numbers lie within ±10, as normalised data do, and those of
dtypes of 8 bits anywhere; with one bound, within 10 of it or of zero.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Tuple

from ...annotations.constraints import Constraint
from ...annotations.syntax import render
from ..recipes import CallRecipe, DisplayRecipe, LiteralRecipe, PairsRecipe, Recipe
from .call_scope import CallScope, UnsatisfiableConstraint
from .scalar_strategies import EPSILON, PARTS, WHOLE, bounds, numbers, rounded
from .shape_strategies import drawing, shape_recipe, whole

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

    Keywords = List[Tuple[str, Recipe]]

USUAL = 10.0
"""How far numbers are from zero, or from their only bound, where nothing is said."""

MOST_SINGLE = 4
_SEEDS = 2**16 - 1
_MARKED, _SINGLE, _CONSTANT, _SEVERAL, _BOTH, _DRAWN = 0, 1, 2, 3, 4, 7
"""What the elements are, by a choice up to the last: from the last but three on they are drawn."""

_MOST_OF_TORCH = 2**63 - 1
"""The greatest number that torch takes from Python, for a dtype that has greater ones too."""

_ALONG = ("probabilities", "one_hot")
_PLAIN = ("any", "labels")


@dataclass(frozen=True)
class Contents:
    """The elements that an array of a dtype may have.

    ``marked`` stand singly or everywhere, the simplest first; ``number`` draws any other.
    """

    annotation: str
    dtype: str
    values: str
    low: Any
    high: Any
    marked: Tuple[Any, ...]
    number: Any

    def draw(self, shape: Sequence[int], draw: DrawFn) -> Keywords:
        """The keywords of a maker for the elements; shrinks to the simplest one everywhere."""
        if self.values in _PLAIN:
            return self._plain(shape, draw)
        if self.values == "uniform":
            return [*self._seeded(draw), *self._range()]
        self._check(shape)
        word: Tuple[str, Recipe] = ("values", LiteralRecipe(self.values))
        seed = self._seeded(draw) if self.values == "sorted" or draw(whole(0, 3)) else []
        return [word, *seed, *([] if self.values in _ALONG else self._range())]

    def _plain(self, shape: Sequence[int], draw: DrawFn) -> Keywords:
        how = draw(whole(_MARKED, _DRAWN if self._is_seeded() else _SINGLE))
        if how == _MARKED or (how == _SINGLE and 0 in shape):
            return self._filled(self.marked[draw(whole(0, len(self.marked) - 1))])
        if how == _SINGLE:
            return [*self._filled(self.marked[0]), *self._single(1, shape, draw)]
        if how == _CONSTANT:
            return self._filled(draw(self.number))
        if how == _SEVERAL:
            count = draw(whole(2, MOST_SINGLE))
            return [*self._filled(self.marked[0]), *self._single(count, shape, draw)]
        single = self._single(1, shape, draw) if how == _BOTH else []
        return [*self._seeded(draw), *self._range(), *single]

    def _is_seeded(self) -> bool:
        return self.values == "any" or self.dtype in WHOLE

    def _filled(self, element: Any) -> Keywords:
        return (
            []
            if not isinstance(element, bool) and element == 0
            else [("fill", LiteralRecipe(element))]
        )

    def _seeded(self, draw: DrawFn) -> Keywords:
        return [("seed", LiteralRecipe(draw(whole(0, _SEEDS))))]

    def _range(self) -> Keywords:
        low: Keywords = [] if self.low == 0 else [("low", LiteralRecipe(self.low))]
        return low if self.high == 1 else [*low, ("high", LiteralRecipe(self.high))]

    def _single(self, count: int, shape: Sequence[int], draw: DrawFn) -> Keywords:
        if 0 in shape:
            return []
        sorts = len(self.marked)
        choices = [draw(whole(0, math.prod(shape) * sorts - 1)) for _ in range(count)]
        found = {choice // sorts: self.marked[choice % sorts] for choice in choices}
        pairs = [(_place(flat, shape), LiteralRecipe(found[flat])) for flat in sorted(found)]
        return [("at", PairsRecipe(tuple(pairs)))]

    def _check(self, shape: Sequence[int]) -> None:
        from hypothesis import assume

        if self.values in _ALONG and not shape:
            raise UnsatisfiableConstraint(self.annotation, f"{self.values} need a dimension")
        if self.values == "unique":
            assume(math.prod(shape) <= self._different())

    def _different(self) -> int:
        span = self.high - self.low
        if self.dtype in WHOLE:
            return int(span) + 1
        coarsest = max(abs(self.low), abs(self.high)) * EPSILON[PARTS.get(self.dtype, self.dtype)]
        return 1 + int(min(span / (2 * coarsest), 1e9)) if coarsest else 1


def _place(flat: int, shape: Sequence[int]) -> DisplayRecipe:
    """The indices of an element by its place in the order of rows."""
    indices = []
    for size in reversed(shape):
        flat, index = divmod(flat, size)
        indices.append(LiteralRecipe(index))
    return DisplayRecipe("tuple", tuple(reversed(indices)))


def contents(constraint: Constraint, dtype: str) -> Contents:
    """Return the elements of arrays of a dtype; raise :class:`UnsatisfiableConstraint`."""
    values = constraint.value("values", "any")
    low, high = _usual(constraint, dtype, values)
    if (constraint.kind, dtype) == ("tensors", "uint64"):
        high = _MOST_OF_TORCH if high is None else min(high, _MOST_OF_TORCH)
    found = bounds(
        dtype,
        low,
        high,
        open_low=bool(constraint.value("exclude_min")) and constraint.value("min") is not None,
        open_high=bool(constraint.value("exclude_max")) and constraint.value("max") is not None,
    )
    if found is None or (values == "probabilities" and dtype in WHOLE):
        raise UnsatisfiableConstraint(render(constraint), f"no {dtype} meets it")
    if values not in ("any", "uniform") and dtype in PARTS:
        raise UnsatisfiableConstraint(render(constraint), f"complex numbers are no {values}")
    marked = _marked(dtype, *found) + _special(constraint, dtype)
    if values == "labels":
        marked = tuple(element for element in marked if element == int(element))
        if not marked:
            raise UnsatisfiableConstraint(render(constraint), "no whole number meets it")
    return Contents(render(constraint), dtype, values, *found, marked, _number(dtype, *found))


def _usual(
    constraint: Constraint, dtype: str, values: str
) -> Tuple[Optional[float], Optional[float]]:
    low, high = (_finite(constraint.value(name)) for name in ("min", "max"))
    if values == "labels":
        low = 0 if low is None else low
        return low, max(1, low) if high is None else high
    if values == "uniform" and low is None and high is None and dtype not in WHOLE:
        return 0.0, 1.0
    if dtype in ("bool", "int8", "uint8"):
        return low, high
    least = low if low is not None else (-USUAL if high is None else min(0, high) - USUAL)
    most = high if high is not None else (USUAL if low is None else max(0, low) + USUAL)
    return least, most


def _finite(bound: Optional[float]) -> Optional[float]:
    return None if bound in (None, math.inf, -math.inf) else bound


def _marked(dtype: str, low: Any, high: Any) -> Tuple[Any, ...]:
    """Zero or what is nearest to it, one, and the ends."""
    simplest = min(max(low, 0), high)
    if dtype == "bool":
        return tuple(bool(element) for element in sorted({low, high}))
    tried = [simplest, 1, -1, low, high] + ([] if dtype in WHOLE else [0.5])
    part = PARTS.get(dtype, dtype)
    convert = int if dtype in WHOLE else float
    found = [rounded(part, convert(element)) for element in tried if low <= element <= high]
    return tuple(dict.fromkeys(found))


def _number(dtype: str, low: Any, high: Any) -> SearchStrategy[Any]:
    """Any number within bounds; one that is complex has no imaginary part."""
    if dtype == "bool":
        from hypothesis.strategies import booleans, just

        return booleans() if low < high else just(bool(low))
    if dtype in WHOLE:
        return whole(int(low), int(high))
    part = PARTS.get(dtype, dtype)
    if part != "bfloat16":
        return numbers(part, low, high)
    return numbers("float32", low, high).map(lambda number: rounded("bfloat16", number))


def _special(constraint: Constraint, dtype: str) -> Tuple[float, ...]:
    """NaN, and the infinities on the sides that have no bound, where they are allowed."""
    if constraint.value("finite", True) or dtype in WHOLE:
        return ()
    low, high = constraint.value("min"), constraint.value("max")
    found = [math.nan] if low is None and high is None else []
    found += [math.inf] if high is None else []
    return tuple(found + ([-math.inf] if low is None else []))


STRIDED_ONE_IN = 8
"""How seldom an array is no contiguous one where nothing is said of it."""

_ALIASES = {
    "tensors": {"float": "float32", "int": "int32"},
    "np_arrays": {"float": "float64", "int": "int64"},
    "jax_arrays": {"float": "float32", "int": "int32"},
}
_SHORT = {"half": "float16", "double": "float64", "long": "int64"}
_USUAL = {"tensors": "float32", "np_arrays": "float64", "jax_arrays": "float32"}
_MAKERS = {"tensors": "tensor", "np_arrays": "array", "jax_arrays": "jax_array"}
_OF_VALUES = {"labels": "int64", "one_hot": "", "probabilities": ""}
_WIDE = ("int64", "uint64", "float64", "complex128")


def tensors(constraint: Constraint, scope: CallScope) -> SearchStrategy[Recipe]:
    """Torch tensors."""
    device = constraint.value("device", "cpu")
    if device.partition(":")[0] == "cuda":
        import torch

        if not torch.cuda.is_available():
            raise UnsatisfiableConstraint(render(constraint), f"there is no device {device} here")
    keywords: Keywords = [] if device == "cpu" else [("device", LiteralRecipe(device))]
    if constraint.value("requires_grad"):
        keywords.append(("requires_grad", LiteralRecipe(True)))
    return _arrays(constraint, scope, keywords)


def np_arrays(constraint: Constraint, scope: CallScope) -> SearchStrategy[Recipe]:
    """NumPy arrays."""
    return _arrays(constraint, scope, [])


def jax_arrays(constraint: Constraint, scope: CallScope) -> SearchStrategy[Recipe]:
    """JAX arrays."""
    return _arrays(constraint, scope, [])


def _arrays(constraint: Constraint, scope: CallScope, more: Keywords) -> SearchStrategy[Recipe]:
    from hypothesis.strategies import composite

    found = _contents(constraint)
    which, last = whole(0, len(found) - 1), len(found) - 1
    shapes = drawing(constraint["shape"], scope)
    contiguous = constraint.value("contiguous", constraint.kind == "jax_arrays" or None)
    maker = _MAKERS[constraint.kind]

    @composite
    def drawn(draw: DrawFn) -> Recipe:
        content = found[draw(which)] if last else found[0]
        shape = shapes(draw)
        keywords: Keywords = []
        if content.dtype != "float32":
            keywords.append(("dtype", _word(content.dtype)))
        keywords += content.draw(shape, draw)
        keywords += more
        if _is_strided(shape, contiguous, draw):
            keywords.append(("contiguous", LiteralRecipe(False)))
        return CallRecipe(maker, (shape_recipe(shape),), tuple(keywords))

    return drawn()


@lru_cache(maxsize=64)
def _word(name: str) -> LiteralRecipe:
    return LiteralRecipe(name)


def _is_strided(shape: Sequence[int], contiguous: Optional[bool], draw: DrawFn) -> bool:
    if contiguous or all(size == 1 for size in shape) or 0 in shape:
        return False
    if contiguous is False:
        return True
    return bool(draw(whole(0, STRIDED_ONE_IN - 1)) == STRIDED_ONE_IN - 1)


def _contents(constraint: Constraint) -> List[Contents]:
    found, unmet = [], None
    for dtype in dtypes(constraint):
        try:
            _check_dtype(constraint, dtype)
            found.append(contents(constraint, dtype))
        except UnsatisfiableConstraint as problem:
            unmet = unmet or problem
    if not found:
        raise unmet or UnsatisfiableConstraint(render(constraint), "it has no dtype")
    return found


def dtypes(constraint: Constraint) -> List[str]:
    """The dtypes of a constraint, by their full names."""
    usual = _OF_VALUES.get(constraint.value("values", ""), "") or _USUAL[constraint.kind]
    if constraint.kind == "jax_arrays" and usual in _WIDE and not _is_wide():
        usual = usual.replace("64", "32")
    given = constraint.value("dtype", usual)
    words: List[str] = list(given) if isinstance(given, (list, tuple)) else [given]
    names = [word.rpartition(".")[2] for word in words]
    known: Dict[str, str] = {**_SHORT, **_ALIASES[constraint.kind]}
    return [known.get(name, name) for name in names]


def _check_dtype(constraint: Constraint, dtype: str) -> None:
    """Raise :class:`UnsatisfiableConstraint` for a dtype that cannot be had here."""
    if constraint.value("requires_grad") and dtype in WHOLE:
        raise UnsatisfiableConstraint(render(constraint), f"{dtype} has no gradient")
    if constraint.kind == "jax_arrays" and dtype in _WIDE and not _is_wide():
        raise UnsatisfiableConstraint(
            render(constraint), f"JAX has {dtype} only where jax_enable_x64 is on"
        )
    if constraint.kind == "tensors" and not _torch_has(dtype):
        raise UnsatisfiableConstraint(render(constraint), f"this torch has no {dtype}")
    if constraint.kind == "np_arrays" and dtype == "bfloat16" and not _has_bfloat16():
        raise UnsatisfiableConstraint(
            render(constraint), "NumPy has bfloat16 only where ml_dtypes is installed"
        )


def _is_wide() -> bool:
    import jax

    return bool(jax.config.read("jax_enable_x64"))  # type: ignore[no-untyped-call]


def _torch_has(dtype: str) -> bool:
    import torch

    return hasattr(torch, dtype)


def _has_bfloat16() -> bool:
    from importlib.util import find_spec

    return find_spec("ml_dtypes") is not None
