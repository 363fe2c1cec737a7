"""Library calls of a target, and the calls that they should agree with (DeepREL)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from analyzers.vocabulary.contracts import Contract
from analyzers.vocabulary.probes import Probe
from analyzers.vocabulary.runs import Run


@dataclass(frozen=True, slots=True)
class LibraryCall:
    """A call of a deep-learning library that was seen while a target ran.

    ``api`` is the canonical dotted name.  ``path``, ``line`` and ``function``
    are the deepest frame in the project's own code.  ``source`` is the call as
    an expression (``torch.lcm(torch.tensor([6]), 4)``), empty where it is too
    large to be told.  ``probe`` is the index of the probe that made it.
    """

    api: str
    path: str
    line: int
    function: str
    source: str = ""
    probe: int = 0


@dataclass(frozen=True, slots=True)
class RecordedCalls:
    """The library calls of a target's runs; ``version`` is the installed one's (``2.13.0+cpu``)."""

    library: str
    version: str
    calls: tuple[LibraryCall, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Equivalence:
    """The claim that ``target``, called as ``template`` says, returns what ``source`` does.

    ``template`` is an expression over the names of the source's parameters:
    ``torch.special.expit(input)``.  ``kind`` is ``value`` or ``status``.
    """

    source: str
    target: str
    template: str
    kind: str = "value"
    inputs: int = 0


@dataclass(frozen=True, slots=True)
class Divergence:
    """A smallest call of an installed version that does not behave as it should.

    ``rule`` is ``value``, ``status`` or ``crash``; ``related`` and ``relation``
    say what it was compared with; ``outcome`` and ``expected`` what both came
    to, in words.  ``note`` is what a person found when reading it.
    """

    api: str
    rule: str
    relation: str
    related: str
    call: str
    outcome: str
    expected: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class RelationRequest:
    """The relations to compare a target's library calls with, and the time for it.

    ``probes`` are inputs under which the target returns.  ``apis`` are the
    library calls to look at.  ``known`` are tried before anything is mutated.
    ``contract`` and ``generators`` say what the target's arguments may be.
    """

    probes: tuple[Probe, ...]
    contract: Contract
    generators: Mapping[str, Contract] = field(default_factory=dict[str, Contract])
    apis: tuple[str, ...] = ()
    equivalences: tuple[Equivalence, ...] = ()
    known: tuple[Divergence, ...] = ()
    seconds: float = 20.0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class ReachedDivergence:
    """A divergence to which an input of the target leads.

    ``probe`` is that input, the smallest found; where the process survives it,
    its ``ensures`` is the agreement that does not hold.  ``call`` is the
    library call that it leads to, ``at`` where it is made.
    """

    divergence: Divergence
    at: LibraryCall
    probe: Probe
    run: Run


@dataclass(frozen=True, slots=True)
class RelationResult:
    """The result of comparing a target's library calls.

    ``beyond`` are divergences of the APIs called to which no input of the
    target was found to lead, with the place of the call.
    """

    reached: tuple[ReachedDivergence, ...] = ()
    beyond: tuple[tuple[Divergence, LibraryCall], ...] = ()
    executions: int = 0
    seconds: float = 0.0
    obstacle: str | None = None
    notes: tuple[str, ...] = ()
