"""A call judged by every oracle that applies."""

from __future__ import annotations

from typing import Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Set, Tuple

from ..libraries.library import Library
from ..nouns import CRASH, CRASHED, STATUS, SUCCESS, Disagreement, Live, Outcome, Relation
from . import (
    cuda,
    decomposition,
    documentation,
    float64,
    gradient,
    in_place,
    inductor,
    meta,
    numpy_,
    out,
    overlap,
    reference,
    relation,
    strides,
    untouched,
    vmap,
)
from .exempt import ALL, is_exempt
from .steady import is_repeatable
from .trial import Trial

Oracle = Callable[[Trial], Iterator[Disagreement]]

ORACLES: Dict[str, Oracle] = {
    relation.NAME: relation.judge,
    reference.NAME: reference.judge,
    numpy_.NAME: numpy_.judge,
    decomposition.NAME: decomposition.judge,
    float64.NAME: float64.judge,
    meta.NAME: meta.judge,
    strides.NAME: strides.judge,
    vmap.NAME: vmap.judge,
    out.NAME: out.judge,
    in_place.NAME: in_place.judge,
    untouched.NAME: untouched.judge,
    overlap.NAME: overlap.judge,
    gradient.NAME: gradient.judge,
    documentation.NAME: documentation.judge,
    inductor.NAME: inductor.judge,
    cuda.NAME: cuda.judge,
}
"""The oracles by the name of the relation that they check."""

CHEAP = (
    relation.NAME,
    reference.NAME,
    numpy_.NAME,
    decomposition.NAME,
    float64.NAME,
    meta.NAME,
    strides.NAME,
    vmap.NAME,
    out.NAME,
    in_place.NAME,
    untouched.NAME,
)
"""Those that are asked where none are named."""

COSTLY = frozenset({decomposition.NAME, meta.NAME, strides.NAME, untouched.NAME, vmap.NAME})
"""Those that cost more than the call and its relations together."""

FIRST, EVERY = 8, 3
"""The costly ones are asked of the first inputs of an API, and of a share of the others."""

ANY_VALUE = (documentation.NAME, untouched.NAME)
"""Those that need no repeatable value."""

NOT_INTERNAL = "an exception of its own, or a result: no internal assertion fails"


def due(step: int, oracles: Optional[Iterable[str]] = None) -> Tuple[str, ...]:
    """Those of some oracles that an API's input of this number is worth.

    What the costly ones find shows on few inputs: they look at dtypes and layouts.
    """
    asked = CHEAP if oracles is None else tuple(oracles)
    if step < FIRST or step % EVERY == 0:
        return asked
    return tuple(name for name in asked if name not in COSTLY)


def judged(
    live: Live,
    library: Library,
    relations: Sequence[Relation] = (),
    oracles: Optional[Iterable[str]] = None,
) -> Tuple[Outcome, List[Disagreement]]:
    """Run a call, on copies, and whatever it should agree with; it may kill the process.

    ``relations`` of other sources are passed over.  ``oracles`` are names of
    :data:`ORACLES` (others raise ``KeyError``), :data:`CHEAP` by default.
    A call that raises disagrees with nothing, but where an internal assertion
    of the library failed; random and uninitialised results neither.
    """
    trial = Trial(live, library, relations)
    chosen = [(name, ORACLES[name]) for name in (CHEAP if oracles is None else oracles)]
    if trial.outcome.status == CRASHED:
        return trial.outcome, [_crash(trial)]
    if trial.outcome.status != SUCCESS:
        return trial.outcome, []
    if is_exempt(ALL, live.api) or (live.api in _unsteady and not is_repeatable(trial)):
        chosen = [(name, judge) for name, judge in chosen if name in ANY_VALUE]
    found = [each for _, judge in chosen for each in judge(trial)]
    return trial.outcome, _steady(trial, found)


def _steady(trial: Trial, found: List[Disagreement]) -> List[Disagreement]:
    """What a value that is not repeatable does not explain.

    Whether it is costs two more runs: it is asked where something disagrees,
    and first where it was not before.
    """
    if all(each.relation in ANY_VALUE for each in found) or is_repeatable(trial):
        return found
    _unsteady.add(trial.live.api)
    return [each for each in found if each.relation in ANY_VALUE]


_unsteady: Set[str] = set()


def _crash(trial: Trial) -> Disagreement:
    return Disagreement(
        trial.live.api,
        NOT_INTERNAL,
        STATUS,
        CRASH,
        trial.outcome,
        Outcome("exception", "an exception that says what is wrong with the arguments"),
    )
