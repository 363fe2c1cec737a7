"""A call judged by every oracle that applies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Iterable, Iterator, Optional, Sequence

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
    call_variants,
    counterparts,
    documented_ranges,
    finite_differences,
    second_implementations,
    write_variants,
)
from .call_stability import is_repeatable
from .call_under_test import CallUnderTest
from .exemptions import ALL, is_exempt


@dataclass(frozen=True)
class Oracle:
    """A check of calls.

    ``costly``: it costs more than the call and its relations together;  ``any_value``: it needs
    no repeatable value.
    """

    judge: Callable[[CallUnderTest], Iterator[Disagreement]]
    by_default: bool = True
    costly: bool = False
    any_value: bool = False


ORACLES: dict[str, Oracle] = {
    counterparts.RELATED_API: Oracle(counterparts.judge_related_api),
    second_implementations.REFERENCE: Oracle(second_implementations.judge_by_reference),
    counterparts.NUMPY: Oracle(counterparts.judge_by_numpy),
    second_implementations.DECOMPOSITION: Oracle(
        second_implementations.judge_decomposed, costly=True
    ),
    call_variants.FLOAT64: Oracle(call_variants.judge_double_precision),
    call_variants.META: Oracle(call_variants.judge_fake_tensors, costly=True),
    call_variants.STRIDES: Oracle(call_variants.judge_strides, costly=True),
    call_variants.VMAP: Oracle(call_variants.judge_vmap, costly=True),
    write_variants.OUT: Oracle(write_variants.judge_out),
    write_variants.IN_PLACE: Oracle(write_variants.judge_in_place),
    write_variants.ARGUMENTS: Oracle(write_variants.judge_arguments, costly=True, any_value=True),
    write_variants.OVERLAP: Oracle(write_variants.judge_overlap, by_default=False),
    finite_differences.NAME: Oracle(finite_differences.judge, by_default=False),
    documented_ranges.NAME: Oracle(documented_ranges.judge, by_default=False, any_value=True),
    second_implementations.INDUCTOR: Oracle(
        second_implementations.judge_compiled, by_default=False
    ),
    second_implementations.CUDA: Oracle(second_implementations.judge_on_cuda, by_default=False),
}
"""The oracles by the name of the relation that they check."""

CHEAP = tuple(name for name, oracle in ORACLES.items() if oracle.by_default)
"""The oracles that judge a call where none are named."""
_COSTLY = frozenset(name for name, oracle in ORACLES.items() if oracle.costly)
_ANY_VALUE = frozenset(name for name, oracle in ORACLES.items() if oracle.any_value)

FIRST, EVERY = 8, 3
"""The costly ones are asked of the first inputs of an API, and of a share of the others."""

NOT_INTERNAL = "an exception of its own, or a result: no internal assertion fails"


def due_oracles(step: int, oracles: Optional[Iterable[str]] = None) -> tuple[str, ...]:
    """Return the oracles due for an API's input of this number; costly ones see few inputs."""
    asked = CHEAP if oracles is None else tuple(oracles)
    if step < FIRST or step % EVERY == 0:
        return asked
    return tuple(name for name in asked if name not in _COSTLY)


def judge_call(
    live: LiveCall,
    library: Library,
    relations: Sequence[Relation] = (),
    oracles: Optional[Iterable[str]] = None,
) -> tuple[CallOutcome, list[Disagreement]]:
    """Run a call, on copies, and whatever it should agree with; it may kill the process.

    ``relations`` of other sources are passed over.  ``oracles`` are names of
    :data:`ORACLES` (others raise ``KeyError``), :data:`CHEAP` by default.
    A call that raises disagrees with nothing, but where an internal assertion
    of the library failed; random and uninitialised results neither.
    """
    trial = CallUnderTest(live, library, relations)
    chosen = [(name, ORACLES[name]) for name in (CHEAP if oracles is None else oracles)]
    chosen = [(name, oracle) for name, oracle in chosen if not is_exempt(name, live.api)]
    if trial.outcome.status == CRASHED:
        says_why = "an exception that says what is wrong with the arguments"
        expected = CallOutcome("exception", says_why)
        crash = Disagreement(live.api, NOT_INTERNAL, STATUS, CRASH, trial.outcome, expected)
        return trial.outcome, [crash]
    if trial.outcome.status != SUCCESS:
        return trial.outcome, []
    if is_exempt(ALL, live.api) or (live.api in _unsteady and not is_repeatable(trial)):
        chosen = [(name, oracle) for name, oracle in chosen if oracle.any_value]
    found = [each for _, oracle in chosen for each in oracle.judge(trial)]
    return trial.outcome, _steady(trial, found)


def _steady(trial: CallUnderTest, found: list[Disagreement]) -> list[Disagreement]:
    """Return what a value that is not repeatable does not explain."""
    if all(each.relation in _ANY_VALUE for each in found) or is_repeatable(trial):
        return found
    _unsteady.add(trial.live.api)
    return [each for each in found if each.relation in _ANY_VALUE]


_unsteady: set[str] = set()
