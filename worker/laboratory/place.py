"""Where guests run: isolation, interpreter and limits, by the operator's settings."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path

from worker.environments import OUR_OWN, Environment
from worker.sandbox.isolation import TRUSTED, Isolation, find_isolation
from worker.sandbox.limits import Limits
from worker.settings.server import SandboxSettings, Settings


@dataclass(frozen=True, slots=True)
class Place:
    """Where guests run: the isolation, the interpreter, the limits.

    ``hidden`` are packages that the interpreter has and the project has not;
    ``layer`` holds what the guest itself needs where the interpreter has it not.
    ``retry`` is how many times the limits a guest has that is to do again what met one.
    """

    isolation: Isolation
    python: Path
    limits: Limits
    hidden: tuple[str, ...] = ()
    layer: Path | None = None
    retry: float = 2.0

    def of(self, environment: Environment | None) -> Place:
        """The place with the interpreter and packages of an environment."""
        if environment is None:
            return self
        return replace(
            self,
            python=environment.python,
            hidden=environment.hidden,
            layer=environment.layer,
        )

    def with_more(self) -> Place:
        """Return the place for what met a limit: memory, time and processes are multiplied."""
        return replace(self, limits=self.limits.times(self.retry))


def place_for(settings: Settings, *, trust: bool) -> Place:
    """The isolation, interpreter and limits for guests.

    ``trust`` runs without isolation.  Raises ``MachineError`` where nothing
    isolates.
    """
    sandbox = settings.sandbox
    isolation = TRUSTED if trust else _isolation(sandbox)
    python = sandbox.python
    hidden = OUR_OWN if python == Path(sys.executable) else ()
    return Place(isolation, python, _limits(sandbox), hidden, retry=sandbox.retry)


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
