"""The consistency of execution states (MoCo, section III-A3): a node's kind.

A file should fare as the block that was put into it fares alone.  A block that runs alone
but gives something of another shape than the one before it is expected to fail where the
rest of the file wants that shape: this is no bug of the library.
"""

from __future__ import annotations

from analyzers.assembly.derivation.nouns import (
    BRITTLE,
    DIED,
    INCONSISTENT,
    NON_FINITE,
    NOT_RUN,
    RAN,
    REFUSED,
    TIMED_OUT,
    UNCHECKED,
    UNFIT,
    UNREACHED,
    Alone,
)
from analyzers.vocabulary import Assembled

_PLAIN = {"died": DIED, "timed-out": TIMED_OUT, "not-run": NOT_RUN}
_FAILED = {"ran": INCONSISTENT, "differs": BRITTLE, "not-run": NOT_RUN, "timed-out": NOT_RUN}


def asks(outcome: Assembled, *, negative: bool) -> bool:
    """Whether a node's kind depends on what comes of its block alone."""
    return outcome.state == ("ran" if negative else "raised")


def kind_of(
    outcome: Assembled, parent: Assembled, *, negative: bool, alone: Alone | None = None
) -> str:
    """The kind of a node.

    ``alone`` is its block's own state, beside the parent's block for a legal change; it is
    needed where :func:`asks` says so.
    """
    if outcome.state in _PLAIN:
        return _PLAIN[outcome.state]
    if negative:
        return _of_negative(outcome, alone)
    if outcome.state == "ran":
        return RAN if outcome.finite or not parent.finite else NON_FINITE
    return NOT_RUN if alone is None else _FAILED.get(alone.state, UNFIT)


def _of_negative(outcome: Assembled, alone: Alone | None) -> str:
    if outcome.state == "raised":
        return REFUSED
    return UNCHECKED if alone is not None and alone.state == "ran" else UNREACHED
