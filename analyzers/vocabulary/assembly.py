"""Assembled model files, and what their runs came to (MoCo)."""

from __future__ import annotations

from dataclasses import dataclass

from analyzers.vocabulary.probes import Probe


@dataclass(frozen=True, slots=True)
class Assembling:
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
class Assembled:
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
