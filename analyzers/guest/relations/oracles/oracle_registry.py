"""A call judged by every oracle that applies."""

from __future__ import annotations

from typing import Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Set, Tuple

from ..relation_types import (
    CRASH,
    CRASHED,
    STATUS,
    SUCCESS,
    CallOutcome,
    Disagreement,
    Library,
    LiveCall,
    Relation,
)
from . import (
    documented_ranges,
    double_precision,
    fake_tensors,
    finite_differences,
    numpy_counterpart,
    related_api,
    second_implementations,
    strides,
    torch_backends,
    unchanged_arguments,
    vmap,
    write_variants,
)
from .call_stability import is_repeatable
from .call_under_test import CallUnderTest
from .exemptions import ALL, is_exempt

Oracle = Callable[[CallUnderTest], Iterator[Disagreement]]

ORACLES: Dict[str, Oracle] = {
    related_api.NAME: related_api.judge,
    second_implementations.REFERENCE: second_implementations.judge_by_reference,
    numpy_counterpart.NAME: numpy_counterpart.judge,
    second_implementations.DECOMPOSITION: second_implementations.judge_decomposed,
    double_precision.NAME: double_precision.judge,
    fake_tensors.NAME: fake_tensors.judge,
    strides.NAME: strides.judge,
    vmap.NAME: vmap.judge,
    write_variants.OUT: write_variants.judge_out,
    write_variants.IN_PLACE: write_variants.judge_in_place,
    unchanged_arguments.NAME: unchanged_arguments.judge,
    write_variants.OVERLAP: write_variants.judge_overlap,
    finite_differences.NAME: finite_differences.judge,
    documented_ranges.NAME: documented_ranges.judge,
    torch_backends.INDUCTOR: torch_backends.judge_compiled,
    torch_backends.CUDA: torch_backends.judge_on_cuda,
}
"""The oracles by the name of the relation that they check."""

CHEAP = (
    related_api.NAME,
    second_implementations.REFERENCE,
    numpy_counterpart.NAME,
    second_implementations.DECOMPOSITION,
    double_precision.NAME,
    fake_tensors.NAME,
    strides.NAME,
    vmap.NAME,
    write_variants.OUT,
    write_variants.IN_PLACE,
    unchanged_arguments.NAME,
)
"""Those that are asked where none are named."""

COSTLY = frozenset(
    {
        second_implementations.DECOMPOSITION,
        fake_tensors.NAME,
        strides.NAME,
        unchanged_arguments.NAME,
        vmap.NAME,
    }
)
"""Those that cost more than the call and its relations together."""

FIRST, EVERY = 8, 3
"""The costly ones are asked of the first inputs of an API, and of a share of the others."""

ANY_VALUE = (documented_ranges.NAME, unchanged_arguments.NAME)
"""Those that need no repeatable value."""

NOT_INTERNAL = "an exception of its own, or a result: no internal assertion fails"


def due_oracles(step: int, oracles: Optional[Iterable[str]] = None) -> Tuple[str, ...]:
    """Those of some oracles that an API's input of this number is worth.

    What the costly ones find shows on few inputs: they look at dtypes and layouts.
    """
    asked = CHEAP if oracles is None else tuple(oracles)
    if step < FIRST or step % EVERY == 0:
        return asked
    return tuple(name for name in asked if name not in COSTLY)


def judge_call(
    live: LiveCall,
    library: Library,
    relations: Sequence[Relation] = (),
    oracles: Optional[Iterable[str]] = None,
) -> Tuple[CallOutcome, List[Disagreement]]:
    """Run a call, on copies, and whatever it should agree with; it may kill the process.

    ``relations`` of other sources are passed over.  ``oracles`` are names of
    :data:`ORACLES` (others raise ``KeyError``), :data:`CHEAP` by default.
    A call that raises disagrees with nothing, but where an internal assertion
    of the library failed; random and uninitialised results neither.
    """
    trial = CallUnderTest(live, library, relations)
    chosen = [(name, ORACLES[name]) for name in (CHEAP if oracles is None else oracles)]
    if trial.outcome.status == CRASHED:
        return trial.outcome, [_crash(trial)]
    if trial.outcome.status != SUCCESS:
        return trial.outcome, []
    if is_exempt(ALL, live.api) or (live.api in _unsteady and not is_repeatable(trial)):
        chosen = [(name, judge) for name, judge in chosen if name in ANY_VALUE]
    found = [each for _, judge in chosen for each in judge(trial)]
    return trial.outcome, _steady(trial, found)


def _steady(trial: CallUnderTest, found: List[Disagreement]) -> List[Disagreement]:
    """What a value that is not repeatable does not explain.

    Whether it is costs two more runs: it is asked where something disagrees,
    and first where it was not before.
    """
    if all(each.relation in ANY_VALUE for each in found) or is_repeatable(trial):
        return found
    _unsteady.add(trial.live.api)
    return [each for each in found if each.relation in ANY_VALUE]


_unsteady: Set[str] = set()


def _crash(trial: CallUnderTest) -> Disagreement:
    return Disagreement(
        trial.live.api,
        NOT_INTERNAL,
        STATUS,
        CRASH,
        trial.outcome,
        CallOutcome("exception", "an exception that says what is wrong with the arguments"),
    )
