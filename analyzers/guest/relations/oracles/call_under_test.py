"""A call under trial: its value, how far rounding may take it, and how to run variants of it."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from functools import cached_property
from typing import Any, Callable, Iterator, Optional, Sequence

from ..library_calls import copy_call, format_value, outcome_of
from ..relation_types import SUCCESS, VALUE, CallOutcome, Disagreement, Library, LiveCall, Relation
from ..result_comparison import MISSING, Tolerance, difference, is_inexact, unit_of
from .call_stability import is_well_conditioned_difference
from .call_values import changed, doubled, operands, overlaps, writes
from .exemptions import TIES, is_exempt

EXACT = 2**53
"""Whole numbers as far as this are floating ones without loss."""


class CallUnderTest:
    """A call, run once on copies of what it is given."""

    def __init__(
        self, live: LiveCall, library: Library, relations: Sequence[Relation] = ()
    ) -> None:
        self.live = live
        self.library = library
        self.relations = relations
        self.outcome, self.value = outcome_of(lambda: self.run(live), is_told=False)

    @property
    def succeeded(self) -> bool:
        """Return whether there is a value to compare."""
        return self.outcome.status == SUCCESS

    def run(self, live: LiveCall) -> Any:
        """Return the value of a call with copies of its arguments; raises what it raises."""
        own = self.copied(live)
        self.library.seed()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return own.run()

    def copied(self, live: LiveCall) -> LiveCall:
        """Return the same call with arrays of its own."""
        return copy_call(live, self.library)

    def attempt(self, function: Callable[[], Any]) -> Any:
        """Return what a function gives, :data:`MISSING` where it raises."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return function()
        except Exception:
            return MISSING

    @cached_property
    def precise(self) -> Any:
        """The value of the same call on float64, :data:`MISSING` where there is none."""
        return self.attempt(lambda: self.run(widened(self.live)))

    @cached_property
    def tolerance(self) -> Tolerance:
        """Return what rounding may do to results of this call."""
        return tolerance_of(self.live, self.library)

    @property
    def is_open(self) -> bool:
        """Return whether the documentation leaves the value open.

        It does where inputs have equal elements (:mod:`.exemptions`), where what
        overlaps itself is written into (:mod:`.write_variants`), where a plain number
        is NaN or scales by infinity (``alpha=nan`` times nothing at all), where whole numbers
        beyond 2**53 come to floating ones, and where whole numbers are scaled
        by an ``alpha`` or ``beta`` that is none: "otherwise they should be
        integers" (``torch.addmm``).
        """
        if _is_beyond_exact(self.live, self.value, self.library):
            return True
        if writes(self.live.api) and any(map(overlaps, self.live.arguments[:1])):
            return True
        scales = (self.live.keywords.get("alpha"), self.live.keywords.get("beta"))
        numbers = [leaf for leaf in operands(self.live) if isinstance(leaf, float)]
        if any(map(math.isnan, numbers)) or math.inf in scales or -math.inf in scales:
            return True
        if any(isinstance(scale, float) for scale in scales) and not self.tolerance.coarsest:
            return True
        return self.tolerance.ties and is_exempt(TIES, self.live.api)

    @property
    def is_rounded(self) -> bool:
        """Return whether it is given floating arrays that float64 would be more precise for."""
        name = self.tolerance.coarsest
        return bool(name) and unit_of(name).eps > unit_of("float64").eps

    def differs(self, expected: Any, value: Any = MISSING) -> Optional[str]:
        """Return how the value differs from another one, as no rounding explains."""
        ours = self.value if value is MISSING else value
        tolerance = self.tolerance
        if self.is_open or expected is MISSING:
            return None
        first = replace(tolerance, infinite=tolerance.infinite and not self.is_rounded)
        if difference(ours, expected, self.library, first) is None:
            return None
        if self.is_rounded:
            tolerance = tolerance_of(self.live, self.library, self.precise)
        text = difference(ours, expected, self.library, tolerance)
        if text is None or not is_well_conditioned_difference(self, expected, tolerance):
            return None
        return text

    def disagreement(
        self, relation: str, related: str, expected: Any, value: Any = MISSING
    ) -> Optional[Disagreement]:
        """Return the disagreement that a value of another call is, where it differs."""
        text = self.differs(expected, value)
        if text is None:
            return None
        ours = self.value if value is MISSING else value
        return self.told(relation, related, (format_value(ours), format_value(expected)), text)

    def compared(
        self, relation: str, related: str, function: Callable[[], Any]
    ) -> Iterator[Disagreement]:
        """Yield the disagreement with what a function gives; nothing where it raises."""
        found = self.disagreement(relation, related, self.attempt(function))
        if found is not None:
            yield found

    def told(
        self, relation: str, related: str, values: tuple[str, str], text: str, rule: str = VALUE
    ) -> Disagreement:
        """Return a disagreement of two values as they print; ``text`` where print hides it."""
        ours, theirs = values
        if ours == theirs or ours.endswith("…") or theirs.endswith("…"):
            theirs = f"{theirs}: {text}"
        return Disagreement(
            self.live.api,
            related,
            relation,
            rule,
            CallOutcome(SUCCESS, ours),
            CallOutcome(SUCCESS, theirs),
        )


def widened(live: LiveCall) -> LiveCall:
    """Return the call in double precision; a layer's weights are drawn before they are widened."""
    wide = changed(live, doubled)
    if live.inputs is None or not hasattr(live.function, "double"):
        return wide
    make, wide.arguments, wide.keywords = live.function, live.arguments, live.keywords
    wide.function = lambda *given, **named: make(*given, **named).double()
    return wide


def tolerance_of(live: LiveCall, library: Library, precise: Any = MISSING) -> Tolerance:
    """Return the tolerance that the arrays of a call ask for."""
    import numpy as np

    arrays = _arrays(live, library)
    floating = [dtype for dtype, _, _ in arrays if is_inexact(dtype)]
    coarsest = max(floating, key=lambda name: unit_of(name).eps, default="")
    terms = max((elements.size for _, _, elements in arrays), default=1)
    magnitude = max((_largest(elements) for _, _, elements in arrays), default=0.0)
    ties = any(_has_ties(elements) for _, _, elements in arrays)
    floats = [elements for _, _, elements in arrays if elements.dtype.kind in "fc"]
    infinite = any(bool(np.isinf(elements).any()) for elements in floats)
    return Tolerance(terms, magnitude, coarsest, precise, ties=ties, infinite=infinite)


def _arrays(live: LiveCall, library: Library) -> list[tuple[str, tuple[int, ...], Any]]:
    found: list[tuple[str, tuple[int, ...], Any]] = []
    for leaf in operands(live):
        if library.is_array(leaf):
            try:
                found.append(library.plain(leaf))
            except Exception:
                continue
    return found


def _has_ties(elements: Any) -> bool:
    """Return whether an array has equal elements, or more than one that is no number."""
    import numpy as np

    if elements.dtype.kind not in "biuf" or elements.size < 2:
        return False
    return bool(len(np.unique(elements)) < elements.size)


def _is_beyond_exact(live: LiveCall, value: Any, library: Library) -> bool:
    """Return whether whole numbers that float64 cannot say come to floating ones."""
    dtype = str(getattr(value, "dtype", "")).rsplit(".", 1)[-1]
    if not is_inexact(dtype):
        return False
    whole = [elements for _, _, elements in _arrays(live, library) if elements.dtype.kind in "iu"]
    return any(
        elements.size and max(abs(int(elements.min())), abs(int(elements.max()))) > EXACT
        for elements in whole
    )


def _largest(elements: Any) -> float:
    import numpy as np

    if elements.dtype.kind not in "fc" or not elements.size:
        return 0.0
    sizes = np.abs(elements.astype(np.complex128 if elements.dtype.kind == "c" else np.float64))
    return float(sizes.max(initial=0.0, where=np.isfinite(sizes)))
