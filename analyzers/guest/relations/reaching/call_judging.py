"""Kinds of calls and of what they come to: what is of a known kind is not compared again."""

from __future__ import annotations

import math
import sys
from collections import Counter
from dataclasses import dataclass
from typing import Any, Callable, Hashable, Iterator, Mapping, Optional, Union
from typing import Counter as Counts

from ..agreement import COMPILER, disagreements
from ..call_recording import RecordedCall
from ..fuzzing.fuzz_findings import FuzzFinding, pack_finding, unpack_finding
from ..library_calls import call_source
from ..mutation.call_draft import arguments
from ..oracles.call_values import leaves, operands
from ..oracles.oracle_registry import ORACLES
from ..relation_types import CRASH, CRASHED, CallOutcome, Disagreement, Library, LiveCall
from .target_calls import CallLocation, RelateRequest, TargetRun, TargetWatcher

ITSELF = (
    *("value", "reference", "decomposition", "float64"),
    *("strides", "in-place", "numpy", "arguments", "documentation"),
)
"""Oracles that can tell that the call itself, and not only a variant of it, is wrong."""
COMPILED = ("meta",)
"""Those that matter to a project that compiles."""


def project_oracles() -> list[str]:
    """Return the names of the oracles for the project that is loaded here."""
    names = (*ITSELF, *COMPILED) if COMPILER in sys.modules else ITSELF
    return [name for name in names if name in ORACLES]


def concerns_project(found: Disagreement, live: LiveCall, library: Library) -> bool:
    """Return whether a disagreement concerns the call's form that the project itself uses."""
    if found.rule == CRASH or found.outcome.status == CRASHED:
        return True
    if found.relation == "strides":
        return any(_is_strided(leaf, library) for leaf in operands(live))
    if found.relation == "in-place":
        return live.api.endswith("_") or bool(live.keywords.get("inplace"))
    return True


def _is_strided(leaf: object, library: Library) -> bool:
    contiguous = getattr(leaf, "is_contiguous", None)
    return library.is_array(leaf) and callable(contiguous) and not contiguous()


MOST_ELEMENTS = 4_096
_LONGEST = 60


class CallKinds:
    """Counter of judged calls by kind, at most ``most`` each."""

    def __init__(self, library: Library, most: int) -> None:
        self._library = library
        self._most = most
        self._counts: Counts[Hashable] = Counter()

    def take(self, place: Hashable, live: LiveCall) -> bool:
        """Return whether a call is still to be judged; it counts as judged then."""
        kind = (place, of_call(live, self._library))
        if self._counts[kind] >= self._most:
            return False
        self._counts[kind] += 1
        return True


def of_call(live: LiveCall, library: Library) -> Hashable:
    """Return types, numbers of dimensions and magnitudes of what is given where."""
    given = [(place, _of_value(value, library)) for place, value in arguments(live)]
    return live.api, tuple(sorted(given, key=repr))


def of_outcome(outcome: CallOutcome, value: Any, library: Library) -> Hashable:
    """Return how a call ended, the types of its value, whether it is empty or no number."""
    found = tuple(_of_result(leaf, library) for leaf in leaves(value))
    return outcome.status, outcome.exception, found[:4]


def _of_result(value: Any, library: Library) -> Hashable:
    if not library.is_array(value):
        return type(value).__name__
    try:
        dtype, shape, elements = library.plain(value)
    except Exception:
        return "array"
    told = _of_elements(elements)
    return dtype, 0 in shape, told.get("nan", False), told.get("inf", False)


def _of_value(value: Any, library: Library) -> Hashable:
    if library.is_array(value):
        return _of_array(value, library)
    if isinstance(value, (bool, str)) or value is None:
        return repr(value)[:_LONGEST]
    if isinstance(value, (int, float)):
        return type(value).__name__, _magnitude(value)
    return type(value).__name__


def _of_array(array: Any, library: Library) -> Hashable:
    contiguous = getattr(array, "is_contiguous", None)
    dense = bool(contiguous()) if callable(contiguous) else True
    try:
        dtype, shape, elements = library.plain(array)
    except Exception:
        return "array", str(getattr(array, "dtype", ""))
    return dtype, len(shape), 0 in shape, dense, tuple(sorted(_of_elements(elements).items()))


def _of_elements(elements: Any) -> dict[str, Hashable]:
    """Return whether there is NaN, an infinity or a negative, and the largest magnitude."""
    import numpy as np

    if not 0 < elements.size <= MOST_ELEMENTS or elements.dtype.kind not in "iuf":
        return {}
    flat = elements.reshape(-1).astype(np.float64)
    finite = flat[np.isfinite(flat)]
    largest = float(np.abs(finite).max()) if finite.size else 0.0
    return {
        "nan": bool(np.isnan(flat).any()),
        "inf": bool(np.isinf(flat).any()),
        "negative": bool((finite < 0).any()),
        "zero": bool((finite == 0).any()),
        "largest": _magnitude(largest),
    }


def _magnitude(number: Union[int, float]) -> tuple[str, int]:
    """Return zero, or its exponent of ten in steps of four."""
    if isinstance(number, float) and not math.isfinite(number):
        return "none", 0
    return ("zero", 0) if number == 0 else ("ten", round(math.log10(abs(number)) / 4))


DivergenceLocation = list[Any]
"""An API, the path of a file in the project, a line and a function."""
DivergenceKey = tuple[Any, ...]


@dataclass(frozen=True)
class LocatedDivergence:
    """A finding at a place; ``arguments`` of the target lead to it, where any do."""

    finding: FuzzFinding
    at: DivergenceLocation
    arguments: Optional[dict[str, Any]] = None

    @property
    def key(self) -> DivergenceKey:
        """Return what is the same one."""
        return divergence_key(self.finding.disagreement, self.at)

    def as_json(self) -> dict[str, Any]:
        """Return for another process."""
        return {"met": pack_finding(self.finding), "at": self.at, "arguments": self.arguments}

    def told(self) -> dict[str, Any]:
        """Return ``divergence`` and ``at`` of a ``related`` frame."""
        row = self.finding.row()
        del row["kind"]
        api, path, line, function = self.at
        at = {"api": api, "path": path, "line": line, "function": function}
        source = "" if self.arguments is None else self.finding.call
        return {"divergence": row, "at": {**at, "source": source}}

    @property
    def ensures(self) -> list[str]:
        """The postcondition that does not hold; none where the call itself fails."""
        found = self.finding.disagreement
        if found.rule == CRASH or found.outcome.status == CRASHED or self.finding.ends_process:
            return []
        return [f"agrees({found.api!r}, {found.relation!r}, {found.related!r})"]


def divergence_key(found: Disagreement, at: DivergenceLocation) -> DivergenceKey:
    """Return where it is met, and what is wrong there."""
    return (*at[:3], found.rule, found.relation, found.related)


def parse_divergence(row: Mapping[str, Any]) -> LocatedDivergence:
    """Return the meeting that :meth:`LocatedDivergence.as_json` wrote."""
    return LocatedDivergence(unpack_finding(row["met"]), row["at"], row["arguments"])


MOST_A_SITE = 16
MOST_A_KIND = 1


class CallJudge:
    """Judge of the calls that inputs make; of each site at most so many calls of a kind."""

    def __init__(self, request: RelateRequest, begin: Callable[[str], None]) -> None:
        self._request = request
        self._watcher = TargetWatcher(request, begin)
        self._counts: dict[tuple[Any, ...], int] = Counter()
        self._kinds = CallKinds(request.library, MOST_A_KIND)

    @property
    def judged(self) -> int:
        """Return how many calls were judged so far."""
        return sum(self._counts.values())

    def run(self, arguments: Mapping[str, Any]) -> TargetRun:
        """Run an input and judge nothing."""
        return self._watcher.run(arguments)

    def place(self, seen: RecordedCall) -> CallLocation:
        """Return where a call is."""
        return self._watcher.place(seen)

    def at(self, ran: TargetRun, place: CallLocation) -> Iterator[RecordedCall]:
        """Return the calls of a run at a place."""
        return (seen for seen in ran.calls if self.place(seen)[:3] == place[:3])

    def met(
        self, ran: TargetRun, arguments: Mapping[str, Any], place: Optional[CallLocation] = None
    ) -> Iterator[LocatedDivergence]:
        """Yield what the calls of a run disagree with, at one place or at all."""
        for seen in ran.calls if place is None else self.at(ran, place):
            if seen.live is None or self._counts[seen.site] >= MOST_A_SITE:
                continue
            if not self._kinds.take(seen.site, seen.live):
                continue
            self._counts[seen.site] += 1
            self._watcher.judging(arguments, seen)
            library = self._request.library
            relations = self._request.of_source(seen.api)
            for found in disagreements(seen.live, library, relations, project_oracles()):
                if concerns_project(found, seen.live, library):
                    call = call_source(seen.live, library)
                    yield LocatedDivergence(
                        FuzzFinding(call, found), self.place(seen), dict(arguments)
                    )
