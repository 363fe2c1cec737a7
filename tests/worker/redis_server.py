"""A real Redis on a free loopback port, for as long as a test needs it."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self

import redis

INSTALLED = shutil.which("redis-server") is not None


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


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
        _wait(self._port)

    def kill(self) -> None:
        self._server.kill()
        self._server.wait()


@contextmanager
def redis_server() -> Iterator[str]:
    """Yield the URL of a Redis that keeps nothing."""
    with Redis(free_port()) as server:
        yield server.url


def _wait(port: int) -> None:
    for _ in range(100):
        try:
            redis.Redis(port=port).ping()
        except redis.ConnectionError:
            time.sleep(0.05)
        else:
            return
    raise TimeoutError("redis-server did not start")
