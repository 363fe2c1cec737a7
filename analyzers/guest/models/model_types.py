"""Data classes of model testing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Mapping, Optional, Protocol, Tuple

DIVERGENCE, NON_FINITE, CRASH, NOT_COMPILED = "divergence", "non-finite", "crash", "not-compiled"
GRADIENT = "gradient"
"""The rule for departures of a model's derivative."""
RATIO = 20.0
"""Error over eager's own from which a difference is real (DESIGN.md: no false one in 784)."""


@dataclass(frozen=True)
class ModelUnderTest:
    """A built model, in evaluation mode, and what it is called with.

    ``module`` is a ``torch.nn.Module`` (float32, on the CPU) or a ``keras.Model``;
    ``inputs`` and ``keywords`` are the arguments of its call.  Whoever changes a
    module works on a copy.
    """

    module: Any
    inputs: Tuple[Any, ...]
    keywords: Mapping[str, Any] = field(default_factory=dict)
    framework: str = "torch"


@dataclass(frozen=True)
class Mutation:
    """One application of a mutation rule (LEMON, section 3.1).

    ``rule`` is LR, LS, LC, LA, MLA, AFRm, AFRp, GF, WS, NAI, NEB or NS; ``layer``
    the name of the layer or node that it is applied to; ``detail`` what else it
    takes, as text (the layer that is put in, the other layer).  With ``seed`` it
    is determined: the same mutation of the same model gives the same mutant.
    """

    rule: str
    layer: str
    detail: str = ""
    seed: int = 0


@dataclass(frozen=True)
class LayerLocation:
    """A layer of a model: ``name`` in it (``features.3``), what it is, and where it is used.

    ``path`` is relative to the project, empty for layers that no project code calls;
    ``line`` is that of the use; ``source`` makes the layer (``torch.nn.ReLU()``).
    """

    name: str
    kind: str
    path: str = ""
    line: int = 0
    source: str = ""


@dataclass(frozen=True)
class LocatedLayer:
    """A layer that departs.

    ``source`` is a program of that layer alone that shows the same, empty where none was
    found.  ``ratio`` is the layer's own error over what rounding explains (infinite where it
    raises or is not finite), where it departs alone (``confirmed``).  ``low`` and ``high`` are
    the range of the numbers that it is fed.  ``errors`` are the layers that were compared up
    to this one, in order, each with its error ratio (infinite where it has no finite one).
    """

    place: LayerLocation
    source: str = ""
    ratio: Optional[float] = None
    low: Optional[float] = None
    high: Optional[float] = None
    confirmed: bool = False
    errors: Tuple[Tuple[str, float], ...] = ()


@dataclass(frozen=True)
class ExecutionOutcome:
    """Outcome of one execution of a model.

    ``status`` is ``returned``, ``raised``, ``died``, ``timed-out`` (or another limit that
    the sandbox has, which ``detail`` names) or ``unsupported`` (the
    execution cannot take such a model, which is its documented limit).  ``outputs`` are the
    tensors in it as NumPy arrays of float64 or of their own integer dtype, in order.
    """

    status: str
    outputs: Tuple[Any, ...] = ()
    detail: str = ""


class Execution(Protocol):
    """One way to run a model: its name in reports and the ``eps`` of the dtype it computes in."""

    name: str
    eps: float

    def unavailable(self) -> Optional[str]:
        """Return why it cannot be had in this process; ``None`` where it can."""
        ...

    def prepared(self, model: ModelUnderTest) -> Callable[..., Any]:
        """Return the model as a function; raises :class:`Unsupported`, or crashes."""
        ...


class Unsupported(Exception):  # noqa: N818 - a limit, not an error
    """An execution does not take a model; says why."""


class Uncompiled(Exception):  # noqa: N818 - a fact about the compiler
    """A compiler left a model, or a part of it, to eager; says which and why."""


@dataclass(frozen=True)
class ExecutionVerdict:
    """Verdict of one oracle on one execution of a model.

    ``rule`` is one of the five above.  ``error_ratio`` is the execution's error against
    float64 over eager's own, ``d_mad`` LEMON's measure beside it, ``worst`` the index of
    the output.  ``detail`` tells both outcomes in words.
    """

    rule: str
    execution: str
    detail: str
    error_ratio: Optional[float] = None
    d_mad: Optional[float] = None
    worst: int = 0


ExecutionOutcomes = Dict[str, ExecutionOutcome]
