"""Starting a process and holding on to it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from worker.errors import MachineError
from worker.sandbox.cgroups import ControlGroup, make_group
from worker.sandbox.guest_limits import Limits
from worker.sandbox.isolation import Isolation

STARTED = b"+"


@dataclass(frozen=True, slots=True)
class GuestProgram:
    """A package in ``folder``, called ``name``, of whose ``module`` ``main`` is the guest."""

    folder: Path
    name: str
    module: str = "main"

    def command(self, python: Path, packages: str, descriptor: int) -> tuple[str, ...]:
        """Return how the interpreter is started: not with ``-I``, which ignores PYTHONHASHSEED."""
        source = (
            f"import os, sys; os.write({descriptor}, {STARTED!r}); "
            f"sys.path[0] = {packages!r}; "
            f"from {self.name}.{self.module} import main; main({descriptor})"
        )
        return (str(python), "-s", "-B", "-c", source)


@dataclass(frozen=True, slots=True)
class LaunchPlan:
    """The program to start, its files and devices, and its isolation."""

    isolation: Isolation
    tree: Path
    python: Path
    limits: Limits
    program: GuestProgram
    network: bool = False
    layer: Path | None = None
    devices: tuple[Path, ...] = ()


UNGROUPED = ControlGroup(())


def nothing() -> None:
    """No bound on files is watched."""


@dataclass(frozen=True, slots=True)
class LaunchedGuest:
    """A process that has been started.

    ``popen`` is our child, ``pid`` the process above all others of the guest, ``process`` a pidfd
    of it; ``ending``, sent to it, ends them all.  ``litter`` says which bound its files exceed.
    """

    popen: subprocess.Popen[bytes]
    pid: int
    process: int
    socket: socket.socket
    output: int
    root: str
    ending: signal.Signals = signal.SIGKILL
    litter: Callable[[], str | None] = nothing
    group: ControlGroup = UNGROUPED


def guest_cgroup(plan: LaunchPlan, held: ExitStack) -> ControlGroup:
    """Make the guest's control group, removed at the end."""
    try:
        group = make_group(plan.isolation.hierarchies, plan.limits)
    except OSError as error:
        raise MachineError(
            f"No control group can be made: {error}.",
            "Give the cgroup back to this process, or start again without it.",
        ) from error
    held.callback(group.remove)
    return group


def pipe(held: ExitStack, given: ExitStack) -> tuple[int, int]:
    """Return a pipe: we keep the reading end, the writing one is given away."""
    reading, writing = os.pipe()
    held.callback(os.close, reading)
    given.callback(os.close, writing)
    return reading, writing


def spawn(
    command: Sequence[str],
    environ: dict[str, str],
    descriptors: tuple[int, ...],
    held: ExitStack,
) -> tuple[subprocess.Popen[bytes], int]:
    """Start a program; return it and the reading end of what it prints."""
    with ExitStack() as given:
        output, printed = pipe(held, given)
        try:
            popen = subprocess.Popen(  # noqa: S603 - our own command line
                command,
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=printed,
                env=environ,
                cwd="/",
                pass_fds=descriptors,
                start_new_session=True,
            )
        except OSError as error:
            raise MachineError(
                f"The guest does not start: {error}.", "Run `assayer doctor`."
            ) from error
    held.callback(popen.wait)
    held.callback(popen.kill)
    return popen, output


def die_with_us(pid: int, output: int, held: ExitStack) -> int:
    """Return a pidfd, which names the process even when its number is another's."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError as error:
        raise not_started(output) from error
    held.callback(os.close, process)
    return process


def not_started(output: int) -> MachineError:
    """Return the error, with what was printed on the way."""
    os.set_blocking(output, False)
    try:
        printed = os.read(output, 4096).decode("utf-8", "replace").strip()
    except BlockingIOError:
        printed = ""
    return MachineError(
        f"The guest does not start: {printed[-500:] or 'it says nothing'}.",
        "Run `assayer doctor`.",
    )
