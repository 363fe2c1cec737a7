"""Starting a guest's process, isolated or trusted."""

from __future__ import annotations

import socket
from contextlib import ExitStack

from worker.errors import MachineError
from worker.sandbox.bubblewrapped import isolated
from worker.sandbox.kept import confined, trusted
from worker.sandbox.plan import STARTED, Plan, Program
from worker.sandbox.spawning import Launched, not_started

__all__ = ["Launched", "Plan", "Program", "launch"]

START_SECONDS = 20.0


def launch(plan: Plan, held: ExitStack) -> Launched:
    """Start the guest; ``held`` takes what must be freed when it has ended.

    Raises ``MachineError`` where it does not start.
    """
    if not plan.tree.is_dir():
        raise MachineError(f"There is no folder {plan.tree}.", "Give a checkout's copy.")
    start = trusted
    if plan.isolation.isolated:
        start = isolated if plan.isolation.namespaces else confined
    ours, theirs = socket.socketpair()
    held.enter_context(ours)
    with theirs:
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
        raise not_started(launched.output)
