"""Where guests run, by the operator's settings."""

from __future__ import annotations

import sys
from pathlib import Path

from worker.environments import OUR_OWN
from worker.laboratory.session import Place
from worker.sandbox.isolation import TRUSTED, Isolation, find_isolation
from worker.sandbox.limits import Limits
from worker.settings.server import SandboxSettings, Settings


def place_for(settings: Settings, *, trust: bool) -> Place:
    """The isolation, interpreter and limits for guests.

    ``trust`` runs without isolation.  Raises ``MachineError`` where nothing
    isolates.
    """
    sandbox = settings.sandbox
    isolation = TRUSTED if trust else _isolation(sandbox)
    python = sandbox.python
    hidden = OUR_OWN if python == Path(sys.executable) else ()
    return Place(isolation, python, _limits(settings.sandbox), hidden)


def _isolation(sandbox: SandboxSettings) -> Isolation:
    return find_isolation(sandbox.uids, choice=sandbox.isolation, python=sandbox.python)


def _limits(sandbox: SandboxSettings) -> Limits:
    return Limits(
        memory=int(sandbox.memory),
        processes=sandbox.processes,
        wall_seconds=sandbox.seconds,
        scratch=int(sandbox.scratch),
        processors=sandbox.processors,
    )
