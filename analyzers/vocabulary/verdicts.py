"""Verdicts on a target: findings, what was not tested, our own failures."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeAlias

from analyzers.vocabulary.library_relations import Divergence
from analyzers.vocabulary.probes import Json, JsonObject, Probe
from analyzers.vocabulary.targets import Goal

ANALYZER_NAMES = ("cloud", "properties", "relations", "models", "assembly")
"""The names of the analyzers, for those who may not load them."""


class Level(StrEnum):
    """The severity of a finding."""

    FAILURE = "failure"
    WARNING = "warning"
    NOTICE = "notice"


class Status(StrEnum):
    """The status of a finding on the two revisions."""

    NEW = "new"
    EXISTING = "existing"
    FIXED = "fixed"
    FLAKY = "flaky"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Whole lines to put in the place of ``start_line``..``end_line``.

    ``unverified`` says why a change that is offered could not be verified.
    """

    path: str
    start_line: int
    end_line: int
    replacement: str
    verified: bool = False
    unverified: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A change that may mend a finding, with the facts and the sentence that hold if it does.

    ``title`` names it in few words.  ``meant`` are recorded calls with inputs
    that are meant for the finding's branch: the changed code must take the
    branch for a share of at least ``threshold`` of them.
    """

    suggestion: Suggestion
    title: str = ""
    evidence: JsonObject = field(default_factory=dict[str, Json])
    message: str = ""
    meant: tuple[Probe, ...] = ()
    threshold: float = 0.0


@dataclass(frozen=True, slots=True)
class Crashes:
    """The criterion of a crash: some probe raises ``exception`` in ``function``.

    ``refused``: it is raised on purpose, about an argument.
    """

    exception: str
    path: str
    function: str
    refused: bool = False

    @property
    def goals(self) -> tuple[Goal, ...]:
        """None: it looks at endings."""
        return ()


@dataclass(frozen=True, slots=True)
class Misses:
    """The criterion of a low recall.

    The share of the probes that reach the decision outcome ``goal`` lies
    below ``threshold``.
    """

    goal: Goal
    threshold: float

    @property
    def goals(self) -> tuple[Goal, ...]:
        """The decision outcomes that it looks at."""
        return (self.goal,)


@dataclass(frozen=True, slots=True)
class Mixes:
    """The criterion of a branch that does not separate two sentiments.

    The first ``positives`` probes are positive texts, the rest negative
    ones; of each more than ``threshold`` reach ``goal``.
    """

    goal: Goal
    positives: int
    threshold: float

    @property
    def goals(self) -> tuple[Goal, ...]:
        """The decision outcomes that it looks at."""
        return (self.goal,)


@dataclass(frozen=True, slots=True)
class Constant:
    """The criterion of a condition that does not depend on what it tests."""

    goal: Goal

    @property
    def goals(self) -> tuple[Goal, ...]:
        """The decision outcomes that it looks at."""
        return (self.goal,)


@dataclass(frozen=True, slots=True)
class Turns:
    """The criterion of another outcome than on base for the same inputs.

    ``before`` and ``after`` are what each probe came to on base and on head
    (``judging.outcome_of``): some probe still comes to what it did on head.
    ``branches`` tell runs that return nothing apart.
    """

    before: tuple[str, ...]
    after: tuple[str, ...]
    branches: tuple[Goal, ...] = ()

    @property
    def goals(self) -> tuple[Goal, ...]:
        """The branches that are told apart."""
        return self.branches


@dataclass(frozen=True, slots=True)
class Repeats:
    """The criterion of a question asked again: in some run ``api`` is asked it ``times`` times."""

    api: str
    times: int

    @property
    def goals(self) -> tuple[Goal, ...]:
        """None: it looks at questions."""
        return ()


@dataclass(frozen=True, slots=True)
class Alike:
    """The criterion of a difference that is not seen.

    All probes, which have different answers, return the same by the same
    branches.
    """

    @property
    def goals(self) -> tuple[Goal, ...]:
        """None: it looks at endings."""
        return ()


@dataclass(frozen=True, slots=True)
class Violates:
    """The criterion of a broken postcondition: some probe ends with ``condition`` not holding."""

    condition: str

    @property
    def goals(self) -> tuple[Goal, ...]:
        """None: it looks at endings."""
        return ()


@dataclass(frozen=True, slots=True)
class Written:
    """The criterion of a defect that can be read: ``text`` stands in the file ``path``.

    No probe belongs to it.  Blanks do not count.  With ``reader``, the name of a check that
    reads a file, ``text`` is the identity of one of the defects that it finds there.
    """

    path: str
    text: str
    reader: str = ""

    @property
    def goals(self) -> tuple[Goal, ...]:
        """None: it looks at the text."""
        return ()


Criterion: TypeAlias = (
    Crashes | Misses | Mixes | Constant | Turns | Repeats | Alike | Violates | Written
)


@dataclass(frozen=True, slots=True)
class Finding:
    """A defect, with everything needed to see it again.

    ``probes`` are recorded (scripted) and ``criterion`` says when they show
    the defect: the test that is suggested is the probe that was run.
    ``symbol`` is ``path::function`` of the place, part of the fingerprint.
    ``reproducer`` is a program of a few lines that shows it without the project.
    ``absent_on_base``: base lacks the code that it is about, whatever runs show there.
    ``candidates`` are changes to be tried in order, the ``suggestion`` first.
    """

    analyzer: str
    rule: str
    level: Level
    path: str
    line: int
    end_line: int
    symbol: str
    target: str
    title: str
    message: str
    evidence: JsonObject
    probes: tuple[Probe, ...]
    criterion: Criterion
    input_kind: str = ""
    status: Status = Status.NEW
    suggestion: Suggestion | None = None
    reproducer: str | None = None
    absent_on_base: bool = False
    candidates: tuple[Candidate, ...] = ()

    @property
    def fingerprint(self) -> str:
        """The finding's identity over pushes: rule, symbol and kind of input."""
        identity = "\0".join((self.rule, self.symbol, self.input_kind))
        return hashlib.sha256(identity.encode()).hexdigest()[:16]

    def with_candidates(self, *candidates: Candidate) -> Finding:
        """Return the finding with changes to be tried, told as if the first one helped."""
        if not candidates:
            return self
        return replace(self.with_candidate(candidates[0]), candidates=candidates)

    def with_candidate(self, candidate: Candidate) -> Finding:
        """Return the finding with a change, its facts and its sentence."""
        return replace(
            self,
            suggestion=candidate.suggestion,
            evidence={**self.evidence, **candidate.evidence},
            message="\n".join(filter(None, (self.message, candidate.message))),
        )

    @property
    def without_candidates(self) -> Finding:
        """The finding without its changes, their facts and their sentences."""
        first = self.candidates[0] if self.candidates else None
        facts = first.evidence if first else {}
        told = f"\n{first.message}" if first and first.message else ""
        message = self.message.replace(told, "", 1) if told else self.message
        evidence = {key: value for key, value in self.evidence.items() if key not in facts}
        return replace(self, suggestion=None, candidates=(), evidence=evidence, message=message)


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that was not tried, and why; ``goals`` are branches that it leaves unjudged."""

    analyzer: str
    target: str
    reason: str
    our_fault: bool = False
    goals: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Broken:
    """A failure of our own machinery; never shown as the author's."""

    analyzer: str
    target: str
    error: str


@dataclass(frozen=True, slots=True)
class LibraryBug:
    """A defect of a library of which a call stands at ``path:line``.

    No input of the target was found that leads there, so it says nothing of
    the change: it is told in the appendix, and never weighs.
    """

    analyzer: str
    target: str
    path: str
    line: int
    divergence: Divergence
    library_version: str

    @property
    def identity(self) -> tuple[str, ...]:
        """Return what makes it one bug, wherever the library is called."""
        told = self.divergence
        return self.library_version, told.api, told.rule, told.relation, told.related


Verdict: TypeAlias = Finding | Skipped | Broken | LibraryBug
