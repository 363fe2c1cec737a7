"""A real Redis on a free loopback port, for as long as a test needs it."""

from __future__ import annotations

import random
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self

import redis

PATIENCE = 120
INSTALLED = shutil.which("redis-server") is not None


FIRST_EPHEMERAL = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])


def free_port() -> int:
    """Return a free port that the kernel gives to no other socket before it is bound."""
    while True:
        port = random.SystemRandom().randrange(10_100, FIRST_EPHEMERAL)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


class Redis:
    """A Redis that keeps nothing, to be killed and started again on its port."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.url = f"redis://127.0.0.1:{port}/0"

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self.kill()

    def start(self) -> None:
        options = ["--port", str(self._port), "--bind", "127.0.0.1", "--save", ""]
        self._server = subprocess.Popen(
            ["redis-server", *options, "--appendonly", "no"], stdout=subprocess.DEVNULL
        )
        self._wait()

    def _wait(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while self._server.poll() is None and time.monotonic() < deadline:
            with suppress(redis.ConnectionError), redis.Redis(port=self._port) as client:
                client.ping()
                return
            time.sleep(0.05)
        self.kill()
        raise TimeoutError("redis-server did not start")

    def kill(self) -> None:
        self._server.kill()
        self._server.wait()


@contextmanager
def redis_server() -> Iterator[str]:
    """Yield the URL of a Redis that keeps nothing."""
    with Redis(free_port()) as server:
        yield server.url
