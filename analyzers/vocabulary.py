"""The nouns of Assayer.

``ChangeSet → Target → Goal → Probe → Run → Finding (+ Suggestion) → Report``

Every noun is frozen and depends on the standard library alone.  Lines are
1-based, columns 0-based and counted in characters, ranges include both ends
unless a docstring says otherwise.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeAlias

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
JsonObject: TypeAlias = Mapping[str, Json]


# ------------------------------------------------------------ what changed


@dataclass(frozen=True, slots=True)
class Change:
    """One changed file of a pull request.

    ``path`` is the path on head (on base for a deletion), ``old_path`` the
    path on base when it differs.  ``lines`` are the added or modified lines
    of the head text; ``removed_at`` are the head lines directly after which
    base lines were removed (0: before the first line).
    """

    path: str
    lines: frozenset[int]
    old_path: str | None = None
    deleted: bool = False
    removed_at: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """Two revisions of one repository, and what lies between them.

    ``sources`` and ``base_sources`` map the path of every Python file (and
    notebook, as the text of its code cells) to its text; they may read
    lazily.  ``head`` is ``None`` for a working tree.
    """

    repository: str
    base: str
    head: str | None
    changes: tuple[Change, ...]
    sources: Mapping[str, str]
    base_sources: Mapping[str, str]
    skipped: tuple[Skipped, ...] = ()


# -------------------------------------------------------- what is examined


class Reason(StrEnum):
    """Why a function is examined."""

    CHANGED = "changed"
    CALLS_CHANGED = "calls-changed"


@dataclass(frozen=True, slots=True)
class ApiCall:
    """A place in the code that asks an ML API: ``api`` is its catalogue name."""

    api: str
    path: str
    function: str
    line: int


class Outcome(StrEnum):
    """How a decision or one of its clauses turns out."""

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
    outcome: Outcome
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

    def whole(self, outcome: Outcome | None = None) -> Goal:
        """The decision as a whole turning out as ``outcome`` (default: as this)."""
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


# ------------------------------------------------------------------ inputs


class InputKind(StrEnum):
    """What an input is to a person."""

    IMAGE = "image"
    TEXT = "text"
    AUDIO = "audio"
    VALUE = "value"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an input comes from, with what its licence asks to be said."""

    source: str
    url: str | None = None
    author: str | None = None
    licence: str | None = None


@dataclass(frozen=True, slots=True)
class Input:
    """Something a person can read, and what they would read in it.

    ``content`` is the file's bytes (UTF-8 for text).  ``reading`` is the
    common human reading in the terms of the task: the words on a picture,
    the label of what it shows, ``"positive"``/``"negative"`` for a text;
    ``None`` where there is nothing to read (a blank picture).
    """

    kind: InputKind
    content: bytes = field(repr=False)
    description: str
    reading: str | None
    suffix: str
    origin: Origin

    @property
    def digest(self) -> str:
        """SHA-256 of the content, in hexadecimal."""
        return hashlib.sha256(self.content).hexdigest()


@dataclass(frozen=True, slots=True)
class Wanted:
    """A wish for inputs whose common human reading is ``reading``.

    ``None`` wishes for inputs in which the API should find nothing (blank);
    ``other_than`` lists readings that the inputs must not have; ``task`` is
    what to find in them where it is not what the API is mainly for.
    """

    api: str
    reading: str | None
    other_than: tuple[str, ...] = ()
    task: str | None = None


@dataclass(frozen=True, slots=True)
class Supply:
    """The inputs found for a wish; ``shortfall`` says why there are fewer."""

    inputs: tuple[Input, ...]
    shortfall: str | None = None


# ------------------------------------------------------------------ probes


class Form(StrEnum):
    """The shape in which a function takes an input."""

    PATH = "path"
    BYTES = "bytes"
    FILE = "file"
    BASE64 = "base64"
    TEXT = "text"
    PIL = "pil"
    NUMPY = "numpy"


@dataclass(frozen=True, slots=True)
class Literal:
    """An argument given as a Python literal, readable by ``ast.literal_eval``."""

    source: str


@dataclass(frozen=True, slots=True)
class Content:
    """An argument made from an input; without one a blank picture or an empty text."""

    form: Form
    input: Input | None = None


@dataclass(frozen=True, slots=True)
class Inert:
    """An argument that accepts everything and means nothing."""


Argument: TypeAlias = Literal | Content | Inert


@dataclass(frozen=True, slots=True)
class Exchange:
    """One question to an ML API and its answer.

    ``digest`` is the SHA-256 of the canonical request.  ``answer`` is the
    response in the schema's own field names (snake case, as protobuf JSON
    with preserved names).
    """

    api: str
    digest: str
    answer: JsonObject


@dataclass(frozen=True, slots=True)
class Probe:
    """One call of a target.

    ``arguments`` go to the parameters by name; a parameter that is absent
    keeps its default.  ``script``: the answers to give, in order for each
    API; ``None`` asks the engines.
    """

    target: str
    arguments: Mapping[str, Argument]
    script: tuple[Exchange, ...] | None = None

    def with_input(self, item: Input) -> Probe:
        """This probe with ``item`` in every content slot, asking the engines."""
        filled = {
            name: replace(argument, input=item) if isinstance(argument, Content) else argument
            for name, argument in self.arguments.items()
        }
        return Probe(self.target, filled)

    def answered(self, exchanges: tuple[Exchange, ...]) -> Probe:
        """This probe with the answers that were recorded when it ran.

        One that was given answers and asked for none (or died) keeps them.
        """
        return self if self.script and not exchanges else replace(self, script=exchanges)

    @property
    def inputs(self) -> tuple[Input, ...]:
        """The inputs in the content slots."""
        return tuple(
            argument.input
            for argument in self.arguments.values()
            if isinstance(argument, Content) and argument.input is not None
        )


# -------------------------------------------------------------------- runs


@dataclass(frozen=True, slots=True)
class Returned:
    """The call returned; ``value`` is a bounded ``repr`` without addresses."""

    value: str


@dataclass(frozen=True, slots=True)
class Raised:
    """The call raised.

    ``exception`` is ``module.Type`` (builtins without module).  ``path``,
    ``line`` and ``function`` are the deepest frame in the project's own
    code.  ``refusal``: that frame raised on purpose (``raise`` or ``assert``
    about its arguments).  ``standin``: an inert stand-in took part, so the
    exception may be our doing.
    """

    exception: str
    message: str
    path: str
    line: int
    function: str
    refusal: bool = False
    standin: bool = False


@dataclass(frozen=True, slots=True)
class Died:
    """The process ended under the call: killed by a signal, or gone."""

    signal: int


@dataclass(frozen=True, slots=True)
class TimedOut:
    """The call did not end within ``seconds``."""

    seconds: float


@dataclass(frozen=True, slots=True)
class NotRun:
    """The call could not be made, or no engine answered: nobody's defect."""

    reason: str


Ending: TypeAlias = Returned | Raised | Died | TimedOut | NotRun


@dataclass(frozen=True, slots=True)
class Run:
    """What one probe did.  ``hits`` are goal and decision ids that occurred.

    ``outside`` are the addresses it asked in vain: those of no described ML
    API, as ``host:port`` or as a URL without its query.
    """

    ending: Ending
    hits: frozenset[str] = frozenset()
    exchanges: tuple[Exchange, ...] = ()
    seconds: float = 0.0
    outside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Witness:
    """A probe whose scripted answers reach ``goal``.

    ``confirmed``: a concrete replay outside the search reached it too.
    """

    goal: str
    probe: Probe
    confirmed: bool


@dataclass(frozen=True, slots=True)
class Searched:
    """The outcome of a search for a target's goals.

    ``template`` has a content slot where the ML input goes, with an input
    that means nothing, or is ``None`` when the target could not be called.
    ``crashes`` are probes under whose (valid) answers the target raised, with
    their runs.  ``exhausted`` are the goals whose whole bounded answer space
    was searched in vain.
    ``constants`` are the strings harvested next to each goal, by goal id.
    """

    template: Probe | None
    witnesses: tuple[Witness, ...] = ()
    crashes: tuple[tuple[Probe, Run], ...] = ()
    exhausted: tuple[str, ...] = ()
    bound: str = ""
    constants: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    obstacle: str | None = None
    executions: int = 0


# ---------------------------------------------------------------- verdicts


class Level(StrEnum):
    """How much a finding weighs."""

    FAILURE = "failure"
    WARNING = "warning"
    NOTICE = "notice"


class Status(StrEnum):
    """How a finding stands on the two revisions."""

    NEW = "new"
    EXISTING = "existing"
    FIXED = "fixed"
    FLAKY = "flaky"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Whole lines to put in the place of ``start_line``..``end_line``."""

    path: str
    start_line: int
    end_line: int
    replacement: str
    verified: bool = False


@dataclass(frozen=True, slots=True)
class Crashes:
    """The criterion of a crash: some probe raises ``exception`` in ``function``."""

    exception: str
    path: str
    function: str


@dataclass(frozen=True, slots=True)
class Misses:
    """The criterion of a low recall.

    The share of the probes that reach the decision outcome ``goal`` lies
    below ``threshold``.
    """

    goal: Goal
    threshold: float


@dataclass(frozen=True, slots=True)
class Mixes:
    """The criterion of a branch that does not separate two sentiments.

    The first ``positives`` probes are positive texts, the rest negative
    ones; of each more than ``threshold`` reach ``goal``.
    """

    goal: Goal
    positives: int
    threshold: float


@dataclass(frozen=True, slots=True)
class Constant:
    """The criterion of a condition that does not depend on what it tests."""

    goal: Goal


Criterion: TypeAlias = Crashes | Misses | Mixes | Constant


@dataclass(frozen=True, slots=True)
class Finding:
    """A defect, with everything needed to see it again.

    ``probes`` are recorded (scripted) and ``criterion`` says when they show
    the defect: the test that is suggested is the probe that was run.
    ``symbol`` is ``path::function`` of the place, part of the fingerprint.
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

    @property
    def fingerprint(self) -> str:
        """The finding's identity over pushes: rule, symbol and kind of input."""
        identity = "\0".join((self.rule, self.symbol, self.input_kind))
        return hashlib.sha256(identity.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that was not tried, and why."""

    analyzer: str
    target: str
    reason: str
    our_fault: bool = False


@dataclass(frozen=True, slots=True)
class Broken:
    """A failure of our own machinery; never shown as the author's."""

    analyzer: str
    target: str
    error: str


Verdict: TypeAlias = Finding | Skipped | Broken


# ------------------------------------------------------------------ report


@dataclass(frozen=True, slots=True)
class Tally:
    """What was done for one target, counted by the host."""

    goals_total: int = 0
    goals_reached: int = 0
    goals_proved_unreachable: int = 0
    branches_total: int = 0
    branches_covered: int = 0
    executions: int = 0


@dataclass(frozen=True, slots=True)
class Cost:
    """What a whole run cost; ``dollars`` by the list prices of the calls."""

    seconds: float = 0.0
    executions: int = 0
    api_calls: int = 0
    api_calls_cached: int = 0
    api_calls_refused: int = 0
    dollars: float = 0.0


class Conclusion(StrEnum):
    """The verdict on a whole change (CONTRACT.md, section 1)."""

    SUCCESS = "success"
    FAILURE = "failure"
    NEUTRAL = "neutral"
    SKIPPED = "skipped"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Report:
    """The answer to a pull request.

    ``environment`` says in sentences what the runs were made with: the
    isolation in force, stand-ins, engines.  ``ignored`` maps a fingerprint
    to the reason (and date) for which its finding blocks nothing.
    """

    repository: str
    base: str
    head: str | None
    conclusion: Conclusion
    targets: tuple[tuple[Target, Tally], ...] = ()
    findings: tuple[Finding, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    broken: tuple[Broken, ...] = ()
    cost: Cost = Cost()
    environment: tuple[str, ...] = ()
    ignored: Mapping[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    partial: bool = False
