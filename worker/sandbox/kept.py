"""Starting a guest below a keeper: confined by Landlock, or trusted."""

from __future__ import annotations

import os
import shutil
import signal
import socket
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from worker.errors import MachineError
from worker.sandbox.command import (
    environment,
    open_to_others,
    reachable_by_others,
    readable_by_others,
)
from worker.sandbox.filter import Strictness, filter_descriptor
from worker.sandbox.interpreter import interpreter_folders
from worker.sandbox.keeper.orders import Confinement, Orders
from worker.sandbox.keeping import grants, kept, processes_of, rlimits
from worker.sandbox.plan import Plan
from worker.sandbox.scratch import folder_litter
from worker.sandbox.slots import lease, state_folder
from worker.sandbox.spawning import Launched, bond, grouped, spawn
from worker.temporary import owned_folder


def trusted(plan: Plan, ours: socket.socket, theirs: int, held: ExitStack) -> Launched:
    """Start the user's own code: bounded, and gone at the end, but not isolated."""
    folder = held.enter_context(owned_folder("trusted"))
    (folder / plan.program.name).symlink_to(plan.program.folder.resolve())
    home = folder / "home"
    home.mkdir()
    orders = Orders(
        parent=os.getpid(),
        uid=None,
        limits=rlimits(plan.limits, processes=None),
        cgroups=[],
        folder=str(home),
        environment=environment(str(home)),
        confinement=None,
        filter=None,
        command=list(plan.program.command(plan.python, str(folder), theirs)),
    )
    popen, output = spawn(kept(orders), {}, (theirs,), held)
    process = bond(popen.pid, output, held)
    return Launched(popen, popen.pid, process, ours, output, str(plan.tree), ending=signal.SIGTERM)


def confined(plan: Plan, ours: socket.socket, theirs: int, held: ExitStack) -> Launched:
    """Start a guest in a Landlock domain, with a folder of its own to write in."""
    uid = _own_uid(plan, held)
    folder = held.enter_context(owned_folder("guest"))
    root = _furnished(folder, plan, uid)
    scratch = folder / "scratch"
    group = grouped(plan, held)
    with ExitStack() as given:
        seccomp = filter_descriptor(Strictness(namespaces=False, own_uid=uid is not None))
        given.callback(os.close, seccomp)
        orders = Orders(
            parent=os.getpid(),
            uid=uid,
            limits=rlimits(plan.limits, processes=_most_processes(plan, uid)),
            cgroups=[str(path) for path in group.folders],
            folder=str(scratch),
            environment=_environment(scratch),
            confinement=_confinement(
                plan, (folder / "packages", plan.program.folder, root), scratch
            ),
            filter=seccomp,
            command=list(plan.program.command(plan.python, str(folder / "packages"), theirs)),
        )
        popen, output = spawn(kept(orders), {}, (theirs, seccomp), held)
    return Launched(
        popen,
        popen.pid,
        bond(popen.pid, output, held),
        ours,
        output,
        str(root),
        ending=signal.SIGTERM,
        litter=partial(folder_litter, scratch, popen.pid, plan.limits),
        group=group,
    )


def _own_uid(plan: Plan, held: ExitStack) -> int | None:
    """Lease the uid that root drops to."""
    if plan.isolation.uids is None:
        return None
    slot = lease(plan.isolation.uids, state_folder(plan.isolation.state))
    held.callback(slot.release)
    layer = () if plan.layer is None else (plan.layer,)
    for folder in (*interpreter_folders(plan.python), *layer):
        if not (reachable_by_others(folder) and readable_by_others(folder)):
            raise MachineError(
                f"The sandbox's user cannot read {folder}.",
                "Install bubblewrap, or set [sandbox] python to an interpreter that "
                "every user can run.",
            )
    return slot.uid


def _furnished(folder: Path, plan: Plan, uid: int | None) -> Path:
    """Lay out a guest's folder, and return where it sees the tree.

    Only root may change it, and only the guest's uid pass into it; the guest
    owns the scratch folder.  A tree that the uid cannot reach is linked into
    it file by file.
    """
    _lay_out_package(folder / "packages", plan, uid)
    for name in ("scratch", "scratch/home", "scratch/tmp"):
        (folder / name).mkdir(mode=0o700)
    if uid is None:
        return plan.tree
    root = plan.tree
    if not readable_by_others(root):
        open_to_others(root)
    if not reachable_by_others(root):
        root = folder / "project"
        shutil.copytree(plan.tree, root, copy_function=_linked, symlinks=True)
        open_to_others(root)
    for name in ("scratch", "scratch/home", "scratch/tmp"):
        os.chown(folder / name, uid, uid)
    os.chown(folder, -1, uid)
    folder.chmod(0o750)
    if not reachable_by_others(folder):
        raise MachineError(
            f"The sandbox's user cannot reach {folder}.",
            "Point TMPDIR at a folder that every user can pass through.",
        )
    return root


def _lay_out_package(packages: Path, plan: Plan, uid: int | None) -> None:
    """Link the guest's program to where it is imported, or copy it out of a private place."""
    packages.mkdir(mode=0o755)
    source = plan.program.folder.resolve()
    if uid is None or (reachable_by_others(source) and readable_by_others(source)):
        (packages / plan.program.name).symlink_to(source)
    else:
        shutil.copytree(source, packages / plan.program.name)
        open_to_others(packages)


def _linked(source: str, target: str) -> None:
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:  # another file system, or one without links
        shutil.copy2(source, target, follow_symlinks=False)


def _most_processes(plan: Plan, uid: int | None) -> int:
    """How many processes the guest's uid may have: a user's own are not the guest's."""
    others = processes_of(os.getuid()) if uid is None else 0
    return plan.limits.processes + others


def _environment(scratch: Path) -> dict[str, str]:
    own = {"TMPDIR": str(scratch / "tmp"), "PWD": str(scratch), "USER": "guest"}
    return {**environment(str(scratch / "home")), **own}


def _confinement(plan: Plan, readable: tuple[Path, ...], scratch: Path) -> Confinement:
    layer = () if plan.layer is None else (plan.layer,)
    return Confinement(
        abi=plan.isolation.landlock,
        grants=grants(plan.python, readable=(*readable, *layer), writable=scratch),
    )
