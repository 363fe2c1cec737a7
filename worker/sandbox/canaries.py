"""What is put out on the host for attacks to find."""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from worker.temporary import owned_folder


@dataclass(frozen=True, slots=True)
class Canaries:
    """Listeners, a file, a process and a secret, all marked with ``token``."""

    token: str
    process: int
    listeners: dict[str, socket.socket]
    folder: Path

    def orders(self) -> dict[str, int | str]:
        """Return what the guest is told of them."""
        return {
            "token": self.token,
            "pid": self.process,
            "tcp": self.listeners["tcp"].getsockname()[1],
            "udp": self.listeners["udp"].getsockname()[1],
            "unix": str(self.folder / "socket"),
            "abstract": self.token,
            "file": str(self.folder / "file"),
        }

    def heard(self) -> list[str]:
        """Return which listeners somebody has reached."""
        return [name for name, listener in self.listeners.items() if _reached(listener)]


@contextmanager
def canaries() -> Generator[Canaries]:
    """Put them out, open to everyone on this machine, and take them in again."""
    token = f"assayer-canary-{secrets.token_hex(8)}"
    with ExitStack() as held:
        folder = held.enter_context(owned_folder("canaries"))
        folder.chmod(0o755)
        (folder / "file").write_text(token)
        listeners = {
            "tcp": _listener(held, socket.AF_INET, ("127.0.0.1", 0)),
            "udp": _bound(held, socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
            "unix": _listener(held, socket.AF_UNIX, str(folder / "socket")),
            "abstract": _listener(held, socket.AF_UNIX, f"\0{token}"),
        }
        (folder / "socket").chmod(0o777)
        process = held.enter_context(
            subprocess.Popen([token, "600"], executable="/bin/sleep", env={token: token})  # noqa: S603
        )
        held.callback(process.kill)
        os.environ[token] = token
        held.callback(os.environ.pop, token)
        yield Canaries(token, process.pid, listeners, folder)


def _listener(
    held: ExitStack, family: socket.AddressFamily, address: str | tuple[str, int]
) -> socket.socket:
    listener = _bound(held, family, socket.SOCK_STREAM, address)
    listener.listen(16)
    return listener


def _bound(
    held: ExitStack,
    family: socket.AddressFamily,
    kind: socket.SocketKind,
    address: str | tuple[str, int],
) -> socket.socket:
    sock = held.enter_context(socket.socket(family, kind))
    sock.bind(address)
    sock.setblocking(False)  # noqa: FBT003 - its only parameter
    return sock


def _reached(listener: socket.socket) -> bool:
    try:
        if listener.type == socket.SOCK_DGRAM:
            listener.recv(64)
        else:
            listener.accept()[0].close()
    except BlockingIOError:
        return False
    return True
