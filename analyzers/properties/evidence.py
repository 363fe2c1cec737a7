"""Is a failing input certainly valid?  A false alarm costs more than a miss.

Inputs drawn from a person's annotations are valid.  Of inferred ones it is
asked how sure the inference is of the arguments that matter for the failure,
what kind of failure it is, and how the function does otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from analyzers.judging import crash_of
from analyzers.properties.inference.nouns import Confidence
from analyzers.properties.terms import Term, Terms
from analyzers.vocabulary import Ending, Explored, Failure, Raised, Returned, Run, Violated

MOSTLY = 0.2
"""The share of inputs with which a function must do well for its inferred terms to be right."""

_OWN_FAULT = frozenset({"NameError", "UnboundLocalError"})
_OWN_WORDS = re.compile(
    r"^module '[\w.]+' has no attribute"
    r"|^type object '\w+' has no attribute"
    r"|got an unexpected keyword argument"
    r"|got multiple values for (keyword )?argument"
    r"|missing \d+ required (positional|keyword-only) argument"
    r"|takes \d+ positional arguments? but"
    r"|takes from \d+ to \d+ positional arguments but"
    r"|^cannot (assign|set) .* before Module\.__init__"
)


def is_own_fault(ending: Ending) -> bool:
    """Whether an exception tells of the code whatever it is given: a name that is not there."""
    if not isinstance(ending, Raised):
        return False
    if ending.exception in _OWN_FAULT:
        return True
    said = ending.exception in ("AttributeError", "TypeError")
    return said and _OWN_WORDS.search(ending.message) is not None


def weakest(failure: Failure, terms: Terms) -> Term | None:
    """The least sure term among those that matter for a failure; ``None`` where none was drawn."""
    relevant = terms.of(failure.matters) or tuple(terms.terms.values())
    return min(relevant, key=lambda term: term.confidence, default=None)


def wanted(failure: Failure, explored: Explored, before: Sequence[Run] | None) -> Confidence:
    """How sure the terms must be for this failure to be told.

    ``before`` are the runs of the failing input on base: where it returned
    there, the input was valid for base.
    """
    if is_own_fault(failure.run.ending):
        return Confidence.GUESS
    if isinstance(failure.run.ending, Violated):
        return Confidence.LIKELY
    if before and all(isinstance(run.ending, Returned) for run in before):
        return Confidence.LIKELY
    if explored.passed >= MOSTLY * max(1, explored.executions):
        return Confidence.LIKELY
    return Confidence.STRONG


def is_certain(
    failure: Failure, terms: Terms, explored: Explored, before: Sequence[Run] | None
) -> bool:
    """Whether a failure may be told as the code's."""
    if not isinstance(failure.run.ending, Violated) and crash_of(failure.run.ending) is None:
        return False
    term = weakest(failure, terms)
    return term is None or term.confidence >= wanted(failure, explored, before)


def one_each(failures: Sequence[Failure]) -> tuple[Failure, ...]:
    """The failures of which each stands on a line of its own: one cause, one finding.

    Of several on a line the one that more inputs end with is kept.
    """
    kept: dict[object, Failure] = {}
    for number, failure in enumerate(sorted(failures, key=lambda each: -each.seen)):
        ending = failure.run.ending
        raised = isinstance(ending, Raised)
        kept.setdefault((ending.path, ending.line) if raised else number, failure)
    return tuple(kept.values())
