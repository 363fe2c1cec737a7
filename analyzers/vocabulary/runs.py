"""Runs of probes, and results of searches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from analyzers.vocabulary.probes import Exchange, InputKind, JsonObject, Probe


@dataclass(frozen=True, slots=True)
class Returned:
    """The call returned; ``value`` is a bounded ``repr`` without addresses.

    ``observation`` describes the result and the arguments after the call, where the
    probe asked for it (docs/guest-protocol.md).
    """

    value: str
    observation: JsonObject | None = field(default=None, compare=False)


class ErrorOrigin(StrEnum):
    """The origin of an exception, as far as no value that we made up took part.

    ``CODE``: what the code writes itself, whatever it is given.  ``ANSWERS``: what an
    ML API answered, too.
    """

    UNKNOWN = ""
    CODE = "code"
    ANSWERS = "answers"


@dataclass(frozen=True, slots=True)
class Raised:
    """The call raised.

    ``exception`` is ``module.Type`` (builtins without module).  ``path``,
    ``line`` and ``function`` are the deepest frame in the project's own
    code.  ``refusal``: that frame raised on purpose (``raise`` or ``assert``
    about its arguments).  ``standin``: an inert stand-in took part, so the
    exception may be our doing.  ``origin`` says whether no value that we made up
    can be the cause; ``meant`` is the one name that is spelled almost as a
    missing one.
    """

    exception: str
    message: str
    path: str
    line: int
    function: str
    refusal: bool = False
    standin: bool = False
    origin: ErrorOrigin = ErrorOrigin.UNKNOWN
    meant: str = ""


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
    """The call could not be made, or no engine answered: nobody's defect.

    ``our_fault``: a limit of the sandbox (memory, time, processes) ended it.
    """

    reason: str
    our_fault: bool = False


@dataclass(frozen=True, slots=True)
class Violated:
    """The call returned, and a postcondition does not hold of what it did.

    ``condition`` is as the annotation has it; ``detail`` says what was there
    instead (``result is a tensor of shape (2, 3)``).
    """

    condition: str
    detail: str


RunOutcome: TypeAlias = Returned | Raised | Died | TimedOut | NotRun | Violated


@dataclass(frozen=True, slots=True)
class AskedInput:
    """The input of a request to an ML API, as the broker or the guest saw it.

    ``digest`` is the SHA-256 of the input's bytes as they were sent (UTF-8 of
    a text), ``size`` their number; ``text`` is the text, bounded, where the
    input is one.
    """

    api: str
    kind: InputKind
    digest: str
    size: int
    text: str | None = None


@dataclass(frozen=True, slots=True)
class ObservedCall:
    """One call of a project's function while its own tests or examples ran.

    ``arguments`` say what each was, as a constraint in the words of aN that
    holds of it: ``tensors(dtype="float32", shape=(2, 3), min=-1.2, max=0.9)``.
    ``test`` names the test, or the place of the example; ``raised``: the call raised.  Of a
    method, ``owner`` is the class of its instance and ``constructor`` what that was given,
    where both were seen.
    """

    function: str
    arguments: Mapping[str, str]
    test: str
    raised: bool = False
    owner: str = ""
    constructor: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Run:
    """The run of one probe.  ``hits`` are goal and decision ids that occurred.

    ``outside`` are the addresses it asked in vain: those of no described ML
    API, as ``host:port`` or as a URL without its query.  ``asked`` are the
    inputs that reached ML APIs, in order, where they are known.  Of a program, ``completed``
    statements ended, ``lines`` of the files that it watches ran, and ``calls`` are those of the
    functions that it records.
    """

    ending: RunOutcome
    hits: frozenset[str] = frozenset()
    exchanges: tuple[Exchange, ...] = ()
    seconds: float = 0.0
    outside: tuple[str, ...] = ()
    asked: tuple[AskedInput, ...] = ()
    completed: int = 0
    lines: Mapping[str, frozenset[int]] = field(default_factory=dict[str, frozenset[int]])
    calls: tuple[ObservedCall, ...] = ()


@dataclass(frozen=True, slots=True)
class Witness:
    """A probe whose scripted answers reach ``goal``.

    ``confirmed``: a concrete replay outside the search reached it too.
    """

    goal: str
    probe: Probe
    confirmed: bool


@dataclass(frozen=True, slots=True)
class SearchResult:
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
