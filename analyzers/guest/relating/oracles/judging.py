"""A call judged by every oracle that applies."""

from __future__ import annotations

from typing import Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple

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
    out,
    reference,
    relation,
    strides,
    vmap,
)
from .exempt import ALL, is_exempt
from .steady import is_repeatable
from .trial import Trial

Oracle = Callable[[Trial], Iterator[Disagreement]]

ORACLES: Dict[str, Oracle] = {
    relation.NAME: relation.judge,
    reference.NAME: reference.judge,
    decomposition.NAME: decomposition.judge,
    float64.NAME: float64.judge,
    meta.NAME: meta.judge,
    strides.NAME: strides.judge,
    vmap.NAME: vmap.judge,
    out.NAME: out.judge,
    in_place.NAME: in_place.judge,
    gradient.NAME: gradient.judge,
    documentation.NAME: documentation.judge,
    inductor.NAME: inductor.judge,
    cuda.NAME: cuda.judge,
}
"""The oracles by the name of the relation that they check."""

CHEAP = (
    relation.NAME,
    reference.NAME,
    decomposition.NAME,
    float64.NAME,
    meta.NAME,
    strides.NAME,
    vmap.NAME,
    out.NAME,
    in_place.NAME,
)
"""Those that are asked where none are named."""

ANY_VALUE = (documentation.NAME,)
"""Those that need no repeatable value."""

NOT_INTERNAL = "an exception of its own, or a result: no internal assertion fails"


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
    if is_exempt(ALL, live.api) or not is_repeatable(trial):
        chosen = [(name, judge) for name, judge in chosen if name in ANY_VALUE]
    found: List[Disagreement] = []
    for _, judge in chosen:
        found.extend(judge(trial))
    return trial.outcome, found


def _crash(trial: Trial) -> Disagreement:
    return Disagreement(
        trial.live.api,
        NOT_INTERNAL,
        STATUS,
        CRASH,
        trial.outcome,
        Outcome("exception", "an exception that says what is wrong with the arguments"),
    )
