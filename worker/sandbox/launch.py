"""Starting a guest's process, isolated or trusted."""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from worker.errors import MachineError
from worker.sandbox.command import (
    PACKAGES,
    PROJECT,
    SEARCH_PATH,
    Bind,
    Inside,
    environment,
    open_to_others,
    plain,
    python_binds,
    readable_by_others,
    sandboxed,
    system_binds,
)
from worker.sandbox.filter import filter_descriptor
from worker.sandbox.isolation import Isolation
from worker.sandbox.limits import Limits
from worker.sandbox.slots import lease, state_folder
from worker.temporary import owned_folder

START_SECONDS = 20.0
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
    it has no effect where there is none.
    """

    isolation: Isolation
    tree: Path
    python: Path
    limits: Limits
    program: Program
    network: bool = False

    @property
    def root(self) -> str:
        """Where the guest sees the tree."""
        return PROJECT if self.isolation.isolated else str(self.tree)


@dataclass(frozen=True, slots=True)
class Launched:
    """A process that has been started.

    ``popen`` is our child, ``pid`` the outermost process of the guest (with
    a process namespace its init), ``process`` a pidfd of it, ``socket`` our end of the channel,
    ``output`` the reading end of what the guest prints.
    """

    popen: subprocess.Popen[bytes]
    pid: int
    process: int
    socket: socket.socket
    output: int


def launch(plan: Plan, held: ExitStack) -> Launched:
    """Start the guest; ``held`` takes what must be freed when it has ended.

    Raises ``MachineError`` where it does not start.
    """
    if not plan.tree.is_dir():
        raise MachineError(f"There is no folder {plan.tree}.", "Give a checkout's copy.")
    ours, theirs = socket.socketpair()
    held.enter_context(ours)
    with theirs:
        start = _isolated if plan.isolation.isolated else _trusted
        launched = start(plan, ours, theirs.fileno(), held)
    _await_interpreter(launched)
    return launched


def _await_interpreter(launched: Launched) -> None:
    """Wait until tested code could run: by then the guest is bound to die with us."""
    launched.socket.settimeout(START_SECONDS)
    try:
        said = launched.socket.recv(len(STARTED))
    except OSError:
        said = b""
    if said != STARTED:
        raise _not_started(launched.output)


def _isolated(plan: Plan, ours: socket.socket, theirs: int, held: ExitStack) -> Launched:
    uid = _own_uid(plan, held)
    package = Bind(plan.program.folder.resolve(), f"{PACKAGES}/{plan.program.name}")
    binds = (*system_binds(), *python_binds(plan.python), package)
    if uid is not None:
        _expect_readable(binds)
    inside = Inside(
        (*binds, Bind(plan.tree, PROJECT)),
        plan.program.command(plan.python, PACKAGES, theirs),
    )
    with ExitStack() as given:
        told, info = _pipe(held, given)
        seccomp = filter_descriptor(network=plan.network and plan.isolation.namespaces)
        given.callback(os.close, seccomp)
        command = sandboxed(
            inside,
            plan.limits,
            seccomp=seccomp,
            info=info,
            uid=uid,
            stage=plan.isolation.state / "stage",
        )
        popen, output = _spawn(command, {"PATH": SEARCH_PATH}, (theirs, seccomp, info), held)
    pid = _namespace_init(told, output)
    return Launched(popen, pid, _bond(pid, output, held), ours, output)


def _own_uid(plan: Plan, held: ExitStack) -> int | None:
    """Lease the uid that root drops to, and let it read the tree."""
    if plan.isolation.uids is None:
        return None
    slot = lease(plan.isolation.uids, state_folder(plan.isolation.state))
    held.callback(slot.release)
    if not readable_by_others(plan.tree):
        open_to_others(plan.tree)
    return slot.uid


def _expect_readable(binds: Sequence[Bind]) -> None:
    """Refuse what an unprivileged uid could not read even where it is bound."""
    for bind in binds:
        if not readable_by_others(bind.source):
            raise MachineError(
                f"The sandbox's user cannot read {bind.source}.",
                f"chmod -R o+rX {bind.source}",
            )


def _trusted(plan: Plan, ours: socket.socket, theirs: int, held: ExitStack) -> Launched:
    folder = held.enter_context(owned_folder("trusted"))
    Path(folder, plan.program.name).symlink_to(plan.program.folder.resolve())
    command = plain(plan.limits, plan.program.command(plan.python, str(folder), theirs))
    home = Path(folder, "home")
    home.mkdir()
    popen, output = _spawn(command, environment(str(home)), (theirs,), held, cwd=str(home))
    return Launched(popen, popen.pid, _bond(popen.pid, output, held), ours, output)


def _pipe(held: ExitStack, given: ExitStack) -> tuple[int, int]:
    """Return a pipe: we keep the reading end, the writing one is given away."""
    reading, writing = os.pipe()
    held.callback(os.close, reading)
    given.callback(os.close, writing)
    return reading, writing


def _spawn(
    command: Sequence[str],
    environ: dict[str, str],
    descriptors: tuple[int, ...],
    held: ExitStack,
    cwd: str = "/",
) -> tuple[subprocess.Popen[bytes], int]:
    with ExitStack() as given:
        output, printed = _pipe(held, given)
        try:
            popen = subprocess.Popen(  # noqa: S603 - our own command line
                command,
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=printed,
                env=environ,
                cwd=cwd,
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


def _namespace_init(told: int, output: int) -> int:
    """Return the pid of the sandbox's init, as bwrap reports it."""
    deadline = time.monotonic() + START_SECONDS
    said = b""
    while not said.rstrip().endswith(b"}"):
        remaining = deadline - time.monotonic()
        ready, _, _ = select.select([told], [], [], max(remaining, 0))
        piece = os.read(told, 4096) if ready else b""
        if not piece:
            raise _not_started(output)
        said += piece
    return int(json.loads(said)["child-pid"])


def _bond(pid: int, output: int, held: ExitStack) -> int:
    """Return a pidfd, which names the process even when its number is another's."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError as error:
        raise _not_started(output) from error
    held.callback(os.close, process)
    return process


def _not_started(output: int) -> MachineError:
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
