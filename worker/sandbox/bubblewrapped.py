"""Starting a guest in bubblewrap's namespaces."""

from __future__ import annotations

import json
import os
import select
import socket
import time
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial

from worker.errors import MachineError
from worker.sandbox.command import (
    PACKAGES,
    PROJECT,
    SEARCH_PATH,
    Bind,
    Inside,
    joining,
    open_to_others,
    python_binds,
    readable_by_others,
    sandboxed,
    system_binds,
)
from worker.sandbox.filter import Strictness, filter_descriptor
from worker.sandbox.plan import Plan
from worker.sandbox.scratch import mounted_litter
from worker.sandbox.slots import lease, state_folder
from worker.sandbox.spawning import Launched, bond, grouped, not_started, pipe, spawn

START_SECONDS = 20.0


def isolated(plan: Plan, ours: socket.socket, theirs: int, held: ExitStack) -> Launched:
    """Start a guest that sees nothing but what is bound into its world."""
    uid = _own_uid(plan, held)
    package = Bind(plan.program.folder.resolve(), f"{PACKAGES}/{plan.program.name}")
    layer = () if plan.layer is None else (Bind(plan.layer.resolve(), str(plan.layer)),)
    binds = (*system_binds(), *python_binds(plan.python), *layer, package)
    if uid is not None:
        _expect_readable(binds)
    inside = Inside(
        (*binds, Bind(plan.tree, PROJECT)),
        plan.program.command(plan.python, PACKAGES, theirs),
    )
    group = grouped(plan, held)
    with ExitStack() as given:
        told, info = pipe(held, given)
        seccomp = filter_descriptor(Strictness(network=plan.network))
        given.callback(os.close, seccomp)
        command = sandboxed(
            inside,
            plan.limits,
            seccomp=seccomp,
            info=info,
            uid=uid,
            stage=plan.isolation.state / "stage",
        )
        environ, descriptors = {"PATH": SEARCH_PATH}, (theirs, seccomp, info)
        popen, output = spawn([*joining(group.folders), *command], environ, descriptors, held)
    pid = _namespace_init(told, output)
    return Launched(
        popen,
        pid,
        bond(pid, output, held),
        ours,
        output,
        PROJECT,
        litter=partial(mounted_litter, pid, plan.limits),
        group=group,
    )


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


def _namespace_init(told: int, output: int) -> int:
    """Return the pid of the sandbox's init, as bwrap reports it."""
    deadline = time.monotonic() + START_SECONDS
    said = b""
    while not said.rstrip().endswith(b"}"):
        remaining = deadline - time.monotonic()
        ready, _, _ = select.select([told], [], [], max(remaining, 0))
        piece = os.read(told, 4096) if ready else b""
        if not piece:
            raise not_started(output)
        said += piece
    return int(json.loads(said)["child-pid"])
