"""Bait put out on the host for attacks to find."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import socketserver
import subprocess
import threading
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from worker.system.temporary_files import owned_folder

SLEEP = "600"


@dataclass(frozen=True, slots=True)
class Canaries:
    """Listeners, files, a process and a secret, marked with ``token``; ``tree`` is attacked."""

    token: str
    process: subprocess.Popen[bytes]
    listeners: dict[str, socket.socket]
    services: dict[str, _Service]
    folder: Path
    tree: Path

    def orders(self) -> dict[str, int | str]:
        """Return what the guest is told of them."""
        listeners = self.listeners
        return {
            "token": self.token,
            "pid": self.process.pid,
            "host": os.getpid(),
            "process_namespace": Path("/proc/self/ns/pid").readlink().name,
            "tcp": _port(listeners["tcp"]),
            "tcp6": _port(listeners["tcp6"]) if "tcp6" in listeners else 0,
            "udp": _port(listeners["udp"]),
            "metadata": self.services["metadata service"].server_address[1],
            "redis": self.services["Redis"].server_address[1],
            "unix": str(self.folder / "socket"),
            "datagram": str(self.folder / "datagrams"),
            "abstract": self.token,
            "file": str(self.folder / "file"),
        }

    def noticed(self) -> list[str]:
        """Return what the host itself has noticed of attacks, whatever the guest says."""
        noticed = [name for name, listener in self.listeners.items() if _reached(listener)]
        noticed += [name for name, service in self.services.items() if service.asked]
        if self.process.poll() is not None or _signalled(self.process.pid):
            noticed.append("a signal")
        ours = self.tree / self.token
        if not ours.is_file() or ours.read_text() != self.token or ours.stat().st_mode & 0o022:
            noticed.append("a changed file")
        return noticed


@contextmanager
def canaries() -> Generator[Canaries]:
    """Put them out, open to everyone on this machine, and take them in again."""
    token = f"assayer-canary-{secrets.token_hex(8)}"
    with ExitStack() as held:
        folder = held.enter_context(owned_folder("canaries"))
        folder.chmod(0o755)
        (folder / "file").write_text(token)
        tree = held.enter_context(owned_folder("canaries"))
        (tree / token).write_text(token)
        answer = f"HTTP/1.0 200 OK\r\n\r\n{token}".encode()
        services = {
            "metadata service": _served(held, answer),
            "Redis": _served(held, b"+PONG\r\n"),
        }
        process = held.enter_context(_process(token, folder))
        held.callback(process.kill)
        os.environ[token] = token
        held.callback(os.environ.pop, token)
        yield Canaries(token, process, _listeners(held, folder, token), services, folder, tree)


def _process(token: str, folder: Path) -> subprocess.Popen[bytes]:
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGURG})
    try:
        return subprocess.Popen(  # noqa: S603 - our own command
            [token, SLEEP], executable="/bin/sleep", env={token: token}, cwd=folder
        )
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


def _signalled(pid: int) -> bool:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    pending = [int(line.split()[1], 16) for line in lines if line.startswith(("SigPnd", "ShdPnd"))]
    return any(pending)


def _listeners(held: ExitStack, folder: Path, token: str) -> dict[str, socket.socket]:
    loopback = ("127.0.0.1", 0)
    found = {
        "tcp": _listener(held, socket.AF_INET, loopback),
        "udp": _bound(held, socket.AF_INET, socket.SOCK_DGRAM, loopback),
        "unix": _listener(held, socket.AF_UNIX, str(folder / "socket")),
        "datagrams": _bound(held, socket.AF_UNIX, socket.SOCK_DGRAM, str(folder / "datagrams")),
        "abstract": _listener(held, socket.AF_UNIX, f"\0{token}"),
    }
    with suppress(OSError):
        found["tcp6"] = _listener(held, socket.AF_INET6, ("::1", 0))
    for name in ("socket", "datagrams"):
        (folder / name).chmod(0o777)
    return found


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


def _port(listener: socket.socket) -> int:
    return int(listener.getsockname()[1])


def _reached(listener: socket.socket) -> bool:
    try:
        if listener.type == socket.SOCK_DGRAM:
            listener.recv(64)
        else:
            listener.accept()[0].close()
    except BlockingIOError:
        return False
    return True


class _Service(socketserver.TCPServer):
    def __init__(self, answer: bytes) -> None:
        super().__init__(("127.0.0.1", 0), _Answering)
        self.answer = answer
        self.asked = False


class _Answering(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        """Answer whatever is asked."""
        service = self.server
        assert isinstance(service, _Service)
        service.asked = True
        self.request.settimeout(1)
        with suppress(OSError):
            self.request.recv(1024)
            self.request.sendall(service.answer)


def _served(held: ExitStack, answer: bytes) -> _Service:
    service = held.enter_context(_Service(answer))
    thread = threading.Thread(target=service.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    held.callback(service.shutdown)
    return service
