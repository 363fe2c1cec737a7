"""Models, and the results of running them several ways (LEMON)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from analyzers.vocabulary.contracts import Contract
from analyzers.vocabulary.probes import Probe
from analyzers.vocabulary.runs import Run

LEAST_ERROR_RATIO = 20.0
"""Error against float64 over eager's own from which an execution departs."""


@dataclass(frozen=True, slots=True)
class ExecutionRequest:
    """The way to build a model and to run it, and the time for it.

    ``probes`` are calls of the target that return.  The target is a model's ``forward``
    (its arguments are the model's inputs), or makes the model: its constructor, or a
    function that returns it.  Then ``forward`` is what the model takes; ``None``: nobody
    says, and inputs are looked for.  ``executions`` are names; ``mutants`` how many to
    make at most, by guided search unless ``guided`` is false.
    """

    probes: tuple[Probe, ...]
    executions: tuple[str, ...]
    forward: Contract | None = None
    generators: Mapping[str, Contract] = field(default_factory=dict[str, Contract])
    ratio: float = LEAST_ERROR_RATIO
    mutants: int = 0
    guided: bool = True
    seconds: float = 20.0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class ModelLayer:
    """A layer of a model: its name there, what it is, where the project uses it.

    ``path`` is empty for a layer that no code of the project calls by itself.
    """

    name: str
    kind: str
    path: str = ""
    line: int = 0
    source: str = ""


@dataclass(frozen=True, slots=True)
class LayerError:
    """A layer's error against float64 over eager's own; ``None`` where that is no number."""

    layer: str
    error_ratio: float | None


@dataclass(frozen=True, slots=True)
class Departure:
    """An execution of a model that gives another result than its mathematics says.

    ``rule`` is ``divergence``, ``non-finite``, ``crash``, ``not-compiled`` or ``gradient``.
    ``probe`` builds and calls the model; its one ``ensures`` is the condition that does not
    hold, so that the run can be repeated.  ``mutations`` are what was changed in the model
    before, none for the author's own.  ``layer`` is the first whose output departs, ``single`` a
    program of that layer alone that shows the same, empty where it does not.  ``low`` and
    ``high`` are the range of what the layer is fed.  ``layers`` are those that were compared, in
    order, this one being the last; empty where none was measured.
    """

    rule: str
    execution: str
    probe: Probe
    run: Run
    outcome: str
    expected: str
    error_ratio: float | None = None
    d_mad: float | None = None
    layer: ModelLayer | None = None
    single: str = ""
    mutations: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    layers: tuple[LayerError, ...] = ()


@dataclass(frozen=True, slots=True)
class ExecutionResult:
    """The result of running a model several ways.

    ``done`` are the executions that ran, ``left_out`` those that did not, with the reason.
    ``model`` says what was built (``torch.nn.Module, 5 layers, 61,706 parameters``).
    ``obstacle``: why there is no model to run.  ``versions`` are those of the libraries.
    """

    departures: tuple[Departure, ...] = ()
    done: tuple[str, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    model: str = ""
    mutants: int = 0
    amplified: int = 0
    apis: tuple[str, ...] = ()
    executions: int = 0
    seconds: float = 0.0
    obstacle: str | None = None
    notes: tuple[str, ...] = ()
    versions: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class AssemblyRequest:
    """Files to run, each a variant of the text of ``path``.

    With ``probe``, each is loaded in that file's place and the probe's call made, its
    result summed and derived (``train``: with one optimizer step).  Without one, each is
    run as a script.  ``timeout`` is the limit of one file in seconds.
    """

    path: str
    files: tuple[str, ...]
    probe: Probe | None = None
    train: bool = True
    timeout: float = 5.0
    seconds: float = 20.0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class AssembledRun:
    """The execution state of one assembled file (MoCo, section III-A3).

    ``state`` is ``ran``, ``raised``, ``died`` (``detail`` names the signal), ``timed-out``
    or ``not-run``; ``stage`` where it ended: ``load``, ``build``, ``forward``, ``backward``,
    ``step``.  ``line`` is the deepest line of the file itself in the traceback, 0 for none.
    ``finite``: what it computed has neither NaN nor infinity.  ``apis`` are the layers and
    functions of the library that it called.
    """

    state: str
    stage: str = ""
    exception: str = ""
    detail: str = ""
    line: int = 0
    finite: bool = True
    apis: tuple[str, ...] = ()
    seconds: float = 0.0
