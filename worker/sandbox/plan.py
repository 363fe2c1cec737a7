"""What a guest is started from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from worker.sandbox.isolation import Isolation
from worker.sandbox.limits import Limits

STARTED = b"+"


@dataclass(frozen=True, slots=True)
class Program:
    """A package whose ``main.main(descriptor)`` runs as the guest.

    ``folder`` is where it lies here, ``name`` how it is imported there.
    """

    folder: Path
    name: str

    def command(self, python: Path, packages: str, descriptor: int) -> tuple[str, ...]:
        """Return how the interpreter is started.

        Not with ``-I``, which would ignore ``PYTHONHASHSEED``: the environment
        is ours, and the empty entry of ``sys.path`` is replaced first.
        """
        source = (
            f"import os, sys; os.write({descriptor}, {STARTED!r}); "
            f"sys.path[0] = {packages!r}; "
            f"from {self.name}.main import main; main({descriptor})"
        )
        return (str(python), "-s", "-B", "-c", source)


@dataclass(frozen=True, slots=True)
class Plan:
    """What to start, on what, and how.

    ``network`` lets the guest open IPv4 sockets in its own network namespace;
    it has no effect where there is none.  ``layer`` is one more folder that
    the guest reads, at the place where it lies.
    """

    isolation: Isolation
    tree: Path
    python: Path
    limits: Limits
    program: Program
    network: bool = False
    layer: Path | None = None
