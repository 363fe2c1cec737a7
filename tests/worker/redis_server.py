"""A real Redis on a free loopback port, for as long as a test needs it."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

import redis

INSTALLED = shutil.which("redis-server") is not None


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def redis_server() -> Iterator[str]:
    """Yield the URL of a Redis that keeps nothing."""
    port = free_port()
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    with subprocess.Popen(["redis-server", *options], stdout=subprocess.DEVNULL) as server:
        try:
            _wait(port)
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            server.terminate()


def _wait(port: int) -> None:
    for _ in range(100):
        try:
            redis.Redis(port=port).ping()
        except redis.ConnectionError:
            time.sleep(0.05)
        else:
            return
    raise TimeoutError("redis-server did not start")
