"""Where guests run, by the operator's settings."""

from __future__ import annotations

from worker.laboratory.session import Place
from worker.sandbox.isolation import TRUSTED, find_isolation
from worker.sandbox.limits import Limits
from worker.settings.server import SandboxSettings, Settings


def place_for(settings: Settings, *, trust: bool) -> Place:
    """The isolation, interpreter and limits for guests.

    ``trust`` runs without isolation.  Raises ``MachineError`` where nothing
    isolates.
    """
    isolation = TRUSTED if trust else find_isolation(settings.sandbox.uids)
    return Place(isolation, settings.sandbox.python, _limits(settings.sandbox))


def _limits(sandbox: SandboxSettings) -> Limits:
    return Limits(
        memory=int(sandbox.memory),
        processes=sandbox.processes,
        wall_seconds=sandbox.seconds,
        scratch=int(sandbox.scratch),
    )
