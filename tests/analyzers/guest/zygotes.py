"""A process that has imported libraries once and forks guests, for tests of many functions."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Protocol

PACKAGE = Path(__file__).parents[3] / "analyzers" / "guest"
PROGRAM = """
import json, os, signal, socket, sys
sys.path.insert(0, {folder!r})
for name in {modules!r}:
    __import__(name)

def reap(*_):
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass

signal.signal(signal.SIGCHLD, reap)
control = socket.socket(fileno={descriptor})
while True:
    order, descriptors, _, _ = socket.recv_fds(control, 1 << 16, 2)
    if not order:
        break
    child = os.fork()
    if child:
        for each in descriptors:
            os.close(each)
        control.sendall(child.to_bytes(8, "big"))
        continue
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    control.close()
    sys.path.remove({folder!r})
    order = json.loads(order)
    os.dup2(descriptors[1], 2)
    os.environ.clear()
    os.environ.update(order["environment"])
    sys.path.insert(0, order["folder"])
    from _assayer_guest.main import main
    main(descriptors[0])
    os._exit(0)
"""


class Waitable(Protocol):
    """What can be waited for."""

    def wait(self, timeout: float) -> object:
        """Return once it has ended; raises where that takes longer."""
        ...


class Child:
    """A grandchild of ours, by its id."""

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def wait(self, timeout: float) -> None:
        """Return once it has ended; raises ``TimeoutError`` where that takes longer."""
        deadline = time.monotonic() + timeout
        with suppress(ProcessLookupError):
            while True:
                os.kill(self.pid, 0)
                if time.monotonic() > deadline:
                    raise TimeoutError(f"process {self.pid} goes on")
                time.sleep(0.01)


def link_guest(folder: Path) -> None:
    """Let the guest's package be imported from the folder, as the sandbox does it."""
    link = folder / "_assayer_guest"
    if not link.exists():
        link.symlink_to(PACKAGE)


class Zygote:
    """Imports modules, also the guest's from the folder, and forks guests; ends with its socket."""

    def __init__(self, folder: Path, *modules: str) -> None:
        link_guest(folder)
        ours, theirs = socket.socketpair()
        self._control = ours
        program = PROGRAM.format(folder=str(folder), modules=modules, descriptor=theirs.fileno())
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-c", program],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            env={"PATH": os.environ["PATH"]},
        )
        theirs.close()

    def forked(
        self, folder: Path, environment: Mapping[str, str], descriptor: int, errors: IO[bytes]
    ) -> Child:
        """A guest on a folder, which speaks on a descriptor of ours."""
        order = json.dumps({"folder": str(folder), "environment": environment}).encode()
        socket.send_fds(self._control, [order], [descriptor, errors.fileno()])
        pid = self._control.recv(8, socket.MSG_WAITALL)
        assert len(pid) == 8, "the zygote is gone"
        return Child(int.from_bytes(pid, "big"))

    def close(self) -> None:
        """End it, whoever else holds its socket; guests that go on are not touched."""
        with suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)
        self._control.close()
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(30)
