"""Start a guest, wait, and end with all that has come of it."""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import NoReturn, TypedDict

from worker.sandbox.supervisor.confinement import (
    PR_SET_CHILD_SUBREAPER,
    PR_SET_NO_NEW_PRIVS,
    PR_SET_PDEATHSIG,
    drop_bounding_set,
    install_filter,
    prctl,
    restrict_self,
    ruleset,
)


class Confinement(TypedDict):
    """A Landlock domain: the version of its interface, paths by kind of access (``RIGHTS``)."""

    abi: int
    grants: dict[str, list[str]]


class SupervisorOrders(TypedDict):
    """The orders with which a guest is started.

    ``parent`` is the host's pid; root drops to ``uid``; ``limits`` are rlimits by name, ``cgroups``
    folders to join, ``filter`` a descriptor that reads a seccomp program.
    """

    parent: int
    uid: int | None
    limits: dict[str, int]
    cgroups: list[str]
    folder: str
    environment: dict[str, str]
    confinement: Confinement | None
    filter: int | None
    command: list[str]


HEEDED = {signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP}
NOT_STARTED = 127


def main() -> NoReturn:
    """Keep a guest by the orders in the first argument; end as it ends (128 + N for signal N)."""
    orders: SupervisorOrders = json.loads(sys.argv[1])
    prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != orders["parent"]:
        os._exit(NOT_STARTED)
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_BLOCK, HEEDED)
    supervisor_pid = os.getpid()
    guest = os.fork()
    if guest == 0:
        _start(orders, supervisor_pid)
    os.closerange(3, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    _wait(guest)
    os._exit(_end(guest))


def _start(orders: SupervisorOrders, supervisor_pid: int) -> NoReturn:
    """Become the guest, or say why not."""
    try:
        os.setsid()
        _limit(orders)
        _confine(orders, supervisor_pid)
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        os.execvpe(orders["command"][0], orders["command"], orders["environment"])  # noqa: S606
    except BaseException as error:  # noqa: BLE001 - a fork must not return
        os.write(2, f"{type(error).__name__}: {error}\n".encode("utf-8", "replace"))
    finally:
        os._exit(NOT_STARTED)


def _limit(orders: SupervisorOrders) -> None:
    for group in orders["cgroups"]:
        Path(group, "cgroup.procs").write_text("0")
    for name, wanted in orders["limits"].items():
        number = getattr(resource, name)
        _, hard = resource.getrlimit(number)
        allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(number, (allowed, allowed))


def _confine(orders: SupervisorOrders, supervisor_pid: int) -> None:
    """Give up what the guest is not to have; paths are opened before the uid changes."""
    confinement = orders["confinement"]
    rules = ruleset(confinement["abi"], confinement["grants"]) if confinement else None
    if orders["uid"] is not None:
        drop_bounding_set()
        os.setgroups(())
        os.setresgid(*[orders["uid"]] * 3)
        os.setresuid(*[orders["uid"]] * 3)
    os.chdir(orders["folder"])
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != supervisor_pid:
        os._exit(NOT_STARTED)
    if rules is not None:
        os.umask(0o077)
        restrict_self(rules)
        os.close(rules)
    if orders["filter"] is not None:
        install_filter(orders["filter"])


def _wait(guest: int) -> None:
    """Return when the guest has ended, or is to end; bury orphans meanwhile."""
    while signal.sigwait(HEEDED) == signal.SIGCHLD:
        while dead := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            if dead.si_pid == guest:
                return
            os.waitpid(dead.si_pid, 0)


def _end(guest: int) -> int:
    """Kill every descendant and return the guest's status.

    The group is killed before the guest is reaped, so that its number is still its own.
    """
    with suppress(ProcessLookupError):
        os.killpg(guest, signal.SIGKILL)
    status = 0
    with suppress(ChildProcessError):
        while True:
            found: list[int] = []
            waiting = [os.getpid()]
            while waiting:
                children = _children(waiting.pop())
                found += children
                waiting += children
            for pid in found:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            pid, ended = os.waitpid(-1, 0)
            status = ended if pid == guest else status
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def _children(pid: int) -> list[int]:
    children: list[int] = []
    with suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            children += map(int, (thread / "children").read_text().split())
    return children
