"""Isolation that this machine gives, tried before it is believed."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal, TypeAlias

from worker.errors import MachineError
from worker.sandbox.cgroups import CgroupHierarchy, usable_hierarchies
from worker.sandbox.command_lines import (
    SEARCH_PATH,
    SandboxedProgram,
    grants,
    private_folder,
    rlimits,
    sandbox_command,
    supervisor_command,
    system_binds,
)
from worker.sandbox.guest_limits import Limits
from worker.sandbox.seccomp_filter import (
    FilterOptions,
    FilterUnavailable,
    filter_descriptor,
    seccomp_filter,
)
from worker.sandbox.supervisor.confinement import version
from worker.sandbox.supervisor.supervisor import Confinement, SupervisorOrders
from worker.sandbox.uid_slots import STATE, UIDS, lease_uid, state_folder

Choice: TypeAlias = Literal["auto", "bubblewrap", "landlock"]
TOOLS = {
    "bwrap": "bubblewrap",
    "setpriv": "util-linux",
    "prlimit": "util-linux",
    "unshare": "util-linux",
    "mount": "mount",
}
TRIAL_SECONDS = 20.0
OLDEST, OLDEST_OF_SAME_USER = 3, 6
"""The versions of Landlock that also govern truncation; signals, too."""
RELEASES = {OLDEST: "6.2", OLDEST_OF_SAME_USER: "6.12"}
WORDS = {"pids": "processes", "memory": "memory", "cpu": "processor"}


class IsolationUnavailable(MachineError):  # noqa: N818 - a noun of the outside
    """Tested code cannot be isolated here: ``problems`` and their ``remedies``, one for one."""

    def __init__(self, problems: Sequence[str], remedies: Sequence[str]) -> None:
        super().__init__(
            "The tested code cannot be isolated here: " + "; ".join(problems) + ".",
            " ".join(dict.fromkeys(remedies)) + " For your own code alone there is --trust.",
        )
        self.problems = tuple(problems)
        self.remedies = tuple(remedies)


@dataclass(frozen=True, slots=True)
class Isolation:
    """The layers between tested code and this machine, in words for the report.

    ``uids``: root drops to them, one a guest.  ``namespaces``: the guest has a network, process
    and mount namespace of its own; if not, it is held by ``landlock`` (the interface's version).
    """

    layers: tuple[str, ...]
    uids: range | None = None
    state: Path = STATE
    isolated: bool = True
    namespaces: bool = True
    landlock: int = 0
    hierarchies: tuple[CgroupHierarchy, ...] = ()


TRUSTED = Isolation(
    ("no isolation: the code was trusted (--trust)",), isolated=False, namespaces=False
)


def find_isolation(
    uid_range: range = UIDS,
    state: Path = STATE,
    choice: Choice = "auto",
    python: Path | None = None,
) -> Isolation:
    """Return the isolation that works here, bubblewrap before Landlock, or only ``choice``.

    Raises ``IsolationUnavailable``, with what to install, where none works.
    """
    uids = uid_range if os.geteuid() == 0 else None
    failures: list[IsolationUnavailable] = []
    for name, find in SETS.items():
        if choice in ("auto", name):
            try:
                return find(uids, state, python)
            except IsolationUnavailable as failure:
                failures.append(failure)
    raise IsolationUnavailable(
        [problem for failure in failures for problem in failure.problems],
        [remedy for failure in failures for remedy in failure.remedies],
    )


def _bubblewrap(uids: range | None, state: Path, python: Path | None) -> Isolation:
    del python  # it is mounted, wherever it lies
    missing = [tool for tool in TOOLS if not shutil.which(tool, path=SEARCH_PATH)]
    if missing:
        raise IsolationUnavailable(
            [f"{tool} is not installed" for tool in missing],
            [f"Install it: apt install {TOOLS[tool]}." for tool in missing],
        )
    strictness = FilterOptions()
    hierarchies = usable_hierarchies()
    layers = (
        f"bubblewrap {_output('bwrap', '--version').split()[-1]}",
        "namespaces (user, mount, process, network, IPC, host name)",
        _uid_layer(uids),
        "no network",
        f"seccomp ({_rules(strictness)} rules)",
        "read-only files, empty environment, rlimits",
        *_watch_layers(hierarchies),
    )
    isolation = Isolation(layers, uids, state, hierarchies=hierarchies)
    _try(isolation, partial(_bubblewrap_trial, isolation))
    return isolation


def _landlock(uids: range | None, state: Path, python: Path | None) -> Isolation:
    abi, needed = version(), OLDEST if uids else OLDEST_OF_SAME_USER
    if abi < needed:
        has = f"version {abi} of Landlock" if abi else "no Landlock"
        raise IsolationUnavailable(
            [f"the kernel has {has}, and {needed} is needed to do without namespaces"],
            [f"Run Linux {RELEASES[needed]} or newer with lsm=landlock,…"],
        )
    private = private_folder(python) if uids and python else None
    if private:
        raise IsolationUnavailable(
            [f"without namespaces the sandbox's user cannot read {private}"],
            ["Set [sandbox] python to an interpreter that every user can run."],
        )
    strictness = FilterOptions(namespaces=False, own_uid=uids is not None)
    hierarchies = usable_hierarchies()
    layers = (
        f"Landlock (version {abi})",
        _uid_layer(uids),
        "no sockets",
        f"strict seccomp ({_rules(strictness)} rules)",
        "files by permission, empty environment, rlimits, scratch folder watched",
        *_watch_layers(hierarchies),
    )
    isolation = Isolation(
        layers, uids, state, namespaces=False, landlock=abi, hierarchies=hierarchies
    )
    _try(isolation, partial(_landlock_trial, isolation))
    return isolation


SETS: Mapping[str, Callable[[range | None, Path, Path | None], Isolation]] = {
    "bubblewrap": _bubblewrap,
    "landlock": _landlock,
}


def _rules(strictness: FilterOptions) -> int:
    try:
        return seccomp_filter(strictness)[1]
    except FilterUnavailable as error:
        raise IsolationUnavailable(
            [f"no system call filter: {error}"],
            ["Install libseccomp 2.5.3 or newer: apt install libseccomp2."],
        ) from error


def _uid_layer(uids: range | None) -> str:
    if uids is None:
        return f"uid {os.geteuid()} without capabilities"
    return f"a uid of its own from {uids.start}–{uids.stop - 1}"


def _watch_layers(hierarchies: Sequence[CgroupHierarchy]) -> Iterator[str]:
    words = sorted({WORDS[name] for place in hierarchies for name in place.controllers})
    if words:
        yield f"cgroup ({', '.join(words)})"
    yield "memory and time watched"


def _output(*command: str) -> str:
    done = subprocess.run(  # noqa: S603 - a fixed command
        command, capture_output=True, text=True, env={"PATH": SEARCH_PATH}, check=False
    )
    return done.stdout or "?"


def _try(isolation: Isolation, trial: Callable[[int | None], None]) -> None:
    uids = isolation.uids
    slot = None if uids is None else lease_uid(uids, state_folder(isolation.state))
    try:
        trial(slot.uid if slot else None)
    finally:
        if slot:
            slot.release()


def _bubblewrap_trial(isolation: Isolation, uid: int | None) -> None:
    inside = SandboxedProgram(tuple(system_binds()), ("true",))
    seccomp, nowhere = filter_descriptor(), os.open(os.devnull, os.O_WRONLY)
    stage = isolation.state / "stage"
    command = sandbox_command(inside, Limits(), seccomp=seccomp, info=nowhere, uid=uid, stage=stage)
    try:
        _expect_success(command, (seccomp, nowhere))
    finally:
        os.close(seccomp)
        os.close(nowhere)


def _landlock_trial(isolation: Isolation, uid: int | None) -> None:
    seccomp = filter_descriptor(FilterOptions(namespaces=False, own_uid=uid is not None))
    system = grants(Path("/usr/bin/python3"), readable=(), writable=Path("/usr/lib"))
    orders = SupervisorOrders(
        parent=os.getpid(),
        uid=uid,
        limits=rlimits(Limits(), processes=None),
        cgroups=[],
        folder="/",
        environment={"PATH": SEARCH_PATH},
        confinement=Confinement(abi=isolation.landlock, grants=system),
        filter=seccomp,
        command=["/bin/true"],
    )
    try:
        _expect_success(supervisor_command(orders), (seccomp,))
    finally:
        os.close(seccomp)


def _expect_success(command: Sequence[str], descriptors: tuple[int, ...]) -> None:
    try:
        done = subprocess.run(  # noqa: S603 - our own command line
            command,
            capture_output=True,
            text=True,
            errors="replace",
            env={"PATH": SEARCH_PATH},
            cwd="/",
            pass_fds=descriptors,
            timeout=TRIAL_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise IsolationUnavailable(["a trial in the sandbox did not end"], [_remedy("")]) from error
    if done.returncode:
        said = done.stderr.strip() or f"exit status {done.returncode}"
        raise IsolationUnavailable([f"a trial in the sandbox failed: {said}"], [_remedy(said)])


def _remedy(said: str) -> str:
    if "disable-userns" in said or "Unknown option" in said:
        return "Install bubblewrap 0.8.0 or newer."
    if "unshare" in said:
        return "Inside a container, grant CAP_SYS_ADMIN, or run as an ordinary user."
    if "namespace" in said or "uid map" in said or "Operation not permitted" in said:
        return (
            "Allow user namespaces: sysctl user.max_user_namespaces=15000 "
            "kernel.unprivileged_userns_clone=1 "
            "kernel.apparmor_restrict_unprivileged_userns=0 (whichever exist)."
        )
    return "Run `assayer doctor` for every check."
