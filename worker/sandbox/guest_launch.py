"""Starting a guest below a keeper: confined by Landlock, or trusted."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import socket
import time
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from worker.errors import MachineError
from worker.sandbox.command_lines import (
    PACKAGES,
    PROJECT,
    SEARCH_PATH,
    BindMount,
    SandboxedProgram,
    cgroup_prefix,
    environment,
    grants,
    interpreter_folders,
    open_to_others,
    processes_of,
    python_binds,
    reachable_by_others,
    readable_by_others,
    rlimits,
    sandbox_command,
    supervisor_command,
    system_binds,
)
from worker.sandbox.guest_spawn import (
    STARTED,
    GuestProgram,
    LaunchedGuest,
    LaunchPlan,
    die_with_us,
    guest_cgroup,
    not_started,
    pipe,
    spawn,
)
from worker.sandbox.guest_usage import folder_litter, mounted_litter
from worker.sandbox.seccomp_filter import FilterOptions, filter_descriptor
from worker.sandbox.supervisor.supervisor import Confinement, SupervisorOrders
from worker.sandbox.uid_slots import lease_uid, state_folder
from worker.system.temporary_files import owned_folder

START_SECONDS = 20.0


def launch_isolated(
    plan: LaunchPlan, ours: socket.socket, theirs: int, held: ExitStack
) -> LaunchedGuest:
    """Start a guest that sees nothing but what is bound into its world."""
    uid = _isolated_uid(plan, held)
    package = BindMount(plan.program.folder.resolve(), f"{PACKAGES}/{plan.program.name}")
    layer = () if plan.layer is None else (BindMount(plan.layer.resolve(), str(plan.layer)),)
    binds = (*system_binds(), *python_binds(plan.python), *layer, package)
    if uid is not None:
        _expect_readable(binds)
    inside = SandboxedProgram(
        (*binds, BindMount(plan.tree, PROJECT)),
        plan.program.command(plan.python, PACKAGES, theirs),
        plan.devices,
    )
    group = guest_cgroup(plan, held)
    with ExitStack() as given:
        told, info = pipe(held, given)
        seccomp = filter_descriptor(FilterOptions(network=plan.network))
        given.callback(os.close, seccomp)
        command = sandbox_command(
            inside,
            plan.limits,
            seccomp=seccomp,
            info=info,
            uid=uid,
            stage=plan.isolation.state / "stage",
        )
        environ, descriptors = {"PATH": SEARCH_PATH}, (theirs, seccomp, info)
        popen, output = spawn([*cgroup_prefix(group.folders), *command], environ, descriptors, held)
    pid = _namespace_init(told, output)
    return LaunchedGuest(
        popen,
        pid,
        die_with_us(pid, output, held),
        ours,
        output,
        PROJECT,
        litter=partial(mounted_litter, pid, plan.limits),
        group=group,
    )


def _isolated_uid(plan: LaunchPlan, held: ExitStack) -> int | None:
    if plan.isolation.uids is None:
        return None
    slot = lease_uid(plan.isolation.uids, state_folder(plan.isolation.state))
    held.callback(slot.release)
    if not readable_by_others(plan.tree):
        open_to_others(plan.tree)
    return slot.uid


def _expect_readable(binds: Sequence[BindMount]) -> None:
    """Refuse what an unprivileged uid could not read even where it is bound."""
    for bind in binds:
        if not readable_by_others(bind.source):
            raise MachineError(
                f"The sandbox's user cannot read {bind.source}.",
                f"chmod -R o+rX {bind.source}",
            )


def _namespace_init(told: int, output: int) -> int:
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


def launch_trusted(
    plan: LaunchPlan, ours: socket.socket, theirs: int, held: ExitStack
) -> LaunchedGuest:
    """Start the user's own code: bounded, and gone at the end, but not isolated."""
    folder = held.enter_context(owned_folder("trusted"))
    (folder / plan.program.name).symlink_to(plan.program.folder.resolve())
    home = folder / "home"
    home.mkdir()
    orders = SupervisorOrders(
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
    popen, output = spawn(supervisor_command(orders), {}, (theirs,), held)
    process = die_with_us(popen.pid, output, held)
    return LaunchedGuest(
        popen, popen.pid, process, ours, output, str(plan.tree), ending=signal.SIGTERM
    )


def launch_confined(
    plan: LaunchPlan, ours: socket.socket, theirs: int, held: ExitStack
) -> LaunchedGuest:
    """Start a guest in a Landlock domain, with a folder of its own to write in."""
    uid = _confined_uid(plan, held)
    folder = held.enter_context(owned_folder("guest"))
    root = _furnished(folder, plan, uid)
    scratch = folder / "scratch"
    group = guest_cgroup(plan, held)
    with ExitStack() as given:
        seccomp = filter_descriptor(FilterOptions(namespaces=False, own_uid=uid is not None))
        given.callback(os.close, seccomp)
        others = processes_of(os.getuid()) if uid is None else 0
        own = {"TMPDIR": str(scratch / "tmp"), "PWD": str(scratch), "USER": "guest"}
        orders = SupervisorOrders(
            parent=os.getpid(),
            uid=uid,
            limits=rlimits(plan.limits, processes=(plan.limits.processes + others)),
            cgroups=[str(path) for path in group.folders],
            folder=str(scratch),
            environment={**environment(str(scratch / "home")), **own},
            confinement=_confinement(
                plan, (folder / "packages", plan.program.folder, root), scratch
            ),
            filter=seccomp,
            command=list(plan.program.command(plan.python, str(folder / "packages"), theirs)),
        )
        popen, output = spawn(supervisor_command(orders), {}, (theirs, seccomp), held)
    return LaunchedGuest(
        popen,
        popen.pid,
        die_with_us(popen.pid, output, held),
        ours,
        output,
        str(root),
        ending=signal.SIGTERM,
        litter=partial(folder_litter, scratch, popen.pid, plan.limits),
        group=group,
    )


def _confined_uid(plan: LaunchPlan, held: ExitStack) -> int | None:
    if plan.isolation.uids is None:
        return None
    slot = lease_uid(plan.isolation.uids, state_folder(plan.isolation.state))
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


def _furnished(folder: Path, plan: LaunchPlan, uid: int | None) -> Path:
    """Lay out a guest's folder, which only root may change; return where it sees the tree."""
    packages = folder / "packages"
    packages.mkdir(mode=0o755)
    source = plan.program.folder.resolve()
    if uid is None or (reachable_by_others(source) and readable_by_others(source)):
        (packages / plan.program.name).symlink_to(source)
    else:
        shutil.copytree(source, packages / plan.program.name)
        open_to_others(packages)
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


def _linked(source: str, target: str) -> None:
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:  # another file system, or one without links
        shutil.copy2(source, target, follow_symlinks=False)


def _confinement(plan: LaunchPlan, readable: tuple[Path, ...], scratch: Path) -> Confinement:
    layer = () if plan.layer is None else (plan.layer,)
    return Confinement(
        abi=plan.isolation.landlock,
        grants=grants(
            plan.python,
            readable=(*readable, *layer),
            writable=scratch,
            devices=plan.devices,
        ),
    )


def launch(plan: LaunchPlan, held: ExitStack) -> LaunchedGuest:
    """Start the guest; ``held`` takes what must be freed at its end.  Raise ``MachineError``."""
    if not plan.tree.is_dir():
        raise MachineError(f"There is no folder {plan.tree}.", "Give a checkout's copy.")
    start = launch_trusted
    if plan.isolation.isolated:
        start = launch_isolated if plan.isolation.namespaces else launch_confined
    ours, theirs = socket.socketpair()
    held.enter_context(ours)
    with theirs:
        launched = start(plan, ours, theirs.fileno(), held)
    launched.socket.settimeout(START_SECONDS)
    try:
        said = launched.socket.recv(len(STARTED))
    except OSError:
        said = b""
    if said != STARTED:
        raise not_started(launched.output)
    return launched


__all__ = ["GuestProgram", "LaunchPlan", "LaunchedGuest", "launch"]
