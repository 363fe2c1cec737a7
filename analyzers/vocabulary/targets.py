"""Functions under examination, and their branches that depend on ML answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum


class Reason(StrEnum):
    """The reason why a function is examined."""

    CHANGED = "changed"
    CALLS_CHANGED = "calls-changed"


@dataclass(frozen=True, slots=True)
class ApiCall:
    """A place in the code that asks an ML API: ``api`` is its catalogue name."""

    api: str
    path: str
    function: str
    line: int


class BranchOutcome(StrEnum):
    """The outcome of a decision or of one of its clauses."""

    TRUE = "true"
    FALSE = "false"


@dataclass(frozen=True, slots=True)
class Goal:
    """One outcome of one clause of a decision that depends on an ML answer.

    A decision is addressed by its function and its ordinal in it (source
    order), so the address survives line shifts.  ``clause`` is the ordinal
    of the operand of ``and``/``or``/``not`` (``None``: the decision as a
    whole).  ``member`` is the Python literal of one element where the clause
    is ``x in CONSTANTS``.
    """

    path: str
    function: str
    decision: int
    clause: int | None
    outcome: BranchOutcome
    line: int
    end_line: int
    text: str
    decision_text: str
    member: str | None = None

    @property
    def id(self) -> str:
        """``path::function#decision[.clause[=member]]:outcome``."""
        clause = "" if self.clause is None else f".{self.clause}"
        member = "" if self.member is None else f"={self.member}"
        return f"{self.decision_id}{clause}{member}:{self.outcome}"

    @property
    def decision_id(self) -> str:
        """``path::function#decision``, without clause and outcome."""
        return f"{self.path}::{self.function}#{self.decision}"

    def whole(self, outcome: BranchOutcome | None = None) -> Goal:
        """Return the decision as a whole turning out as ``outcome`` (default: as this)."""
        return replace(
            self,
            clause=None,
            member=None,
            text=self.decision_text,
            outcome=outcome or self.outcome,
        )


@dataclass(frozen=True, slots=True)
class Target:
    """A function worth testing: it asks an ML API, itself or through callees.

    ``goals`` are the clause outcomes that depend on the answers, in this
    function and in what it calls.  ``files`` are the project files that hold
    them, to be instrumented.
    """

    path: str
    function: str
    line: int
    end_line: int
    reason: Reason
    calls: tuple[ApiCall, ...]
    goals: tuple[Goal, ...] = ()
    files: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """``path::Qualified.name``."""
        return f"{self.path}::{self.function}"

    @property
    def apis(self) -> tuple[str, ...]:
        """The catalogue names of the APIs asked, each once, sorted."""
        return tuple(sorted({call.api for call in self.calls}))
