"""Which isolation this machine gives, tried before it is believed."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from worker.errors import MachineError
from worker.sandbox.command import SEARCH_PATH, Inside, sandboxed, system_binds
from worker.sandbox.filter import NoFilter, filter_descriptor, seccomp_filter
from worker.sandbox.limits import Limits
from worker.sandbox.slots import STATE, UIDS, lease, state_folder

TOOLS = {
    "bwrap": "bubblewrap",
    "setpriv": "util-linux",
    "prlimit": "util-linux",
    "unshare": "util-linux",
    "mount": "mount",
}
TRIAL_SECONDS = 20.0


class NoIsolation(MachineError):  # noqa: N818 - a noun of the outside
    """Tested code cannot be isolated here.

    ``problems`` says what is missing, ``remedies`` what to do, one for one.
    """

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

    ``uids`` are the uids root drops to, one a guest; ``None`` for an ordinary
    user.  ``isolated`` is false for trusted code.  ``namespaces`` says that
    the guest has a network, a process and a mount namespace of its own.
    """

    layers: tuple[str, ...]
    uids: range | None = None
    state: Path = STATE
    isolated: bool = True
    namespaces: bool = True


TRUSTED = Isolation(
    ("no isolation: the code was trusted (--trust)",), isolated=False, namespaces=False
)


def find_isolation(uid_range: range = UIDS, state: Path = STATE) -> Isolation:
    """Return the isolation that works here, after starting a program in it.

    Raises ``NoIsolation`` with what to install where it does not.
    """
    missing = [tool for tool in TOOLS if not shutil.which(tool, path=SEARCH_PATH)]
    if missing:
        raise NoIsolation(
            [f"{tool} is not installed" for tool in missing],
            [f"Install it: apt install {TOOLS[tool]}." for tool in missing],
        )
    try:
        _, rules = seccomp_filter()
    except NoFilter as error:
        raise NoIsolation(
            [f"no system call filter: {error}"],
            ["Install libseccomp 2.5.3 or newer: apt install libseccomp2."],
        ) from error
    uids = uid_range if os.geteuid() == 0 else None
    isolation = Isolation(tuple(_layers(uids, rules)), uids, state)
    _try(isolation)
    return isolation


def _layers(uids: range | None, rules: int) -> Iterator[str]:
    version = _output("bwrap", "--version").split()[-1]
    yield f"bubblewrap {version}"
    yield "namespaces (user, mount, process, network, IPC, host name)"
    if uids is None:
        yield f"uid {os.geteuid()} without capabilities"
    else:
        yield f"a uid of its own from {uids.start}–{uids.stop - 1}"
    yield "no network"
    yield f"seccomp ({rules} rules)"
    yield "read-only files, empty environment, rlimits, memory and time watched"


def _output(*command: str) -> str:
    done = subprocess.run(  # noqa: S603 - a fixed command
        command, capture_output=True, text=True, env={"PATH": SEARCH_PATH}, check=False
    )
    return done.stdout or "?"


def _try(isolation: Isolation) -> None:
    """Start a program in the sandbox, or say why it does not start."""
    uids = isolation.uids
    slot = None if uids is None else lease(uids, state_folder(isolation.state))
    inside = Inside(tuple(system_binds()), ("true",))
    seccomp, nowhere = filter_descriptor(), os.open(os.devnull, os.O_WRONLY)
    command = sandboxed(
        inside,
        Limits(),
        seccomp=seccomp,
        info=nowhere,
        uid=slot.uid if slot else None,
        stage=isolation.state / "stage",
    )
    try:
        _expect_success(command, (seccomp, nowhere))
    finally:
        os.close(seccomp)
        os.close(nowhere)
        if slot:
            slot.release()


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
        raise NoIsolation(["a trial in the sandbox did not end"], [_remedy("")]) from error
    if done.returncode:
        said = done.stderr.strip() or f"exit status {done.returncode}"
        raise NoIsolation([f"a trial in the sandbox failed: {said}"], [_remedy(said)])


def _remedy(said: str) -> str:
    """Return what helps against an error of the trial."""
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
