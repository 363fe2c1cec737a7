"""Time until a delivery is answered, at a steady rate.

    python -m benchmarks.webhooks [--rate 100] [--seconds 20]

The real ``assayer serve --web-only`` on SQLite, while a publisher-like reader
hears what is kept, beside a bare Flask handler that only reads the body,
under the same gunicorn.  Arrivals do not wait for answers, and a delivery's
time counts from when it was due.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import Process
from pathlib import Path
from socket import socket
from urllib.request import urlopen

import aiohttp
from flask import Flask, request

from app.webhook import sign_body
from worker.store.store import Store

SECRET = b"webhook benchmark"
PAYLOADS = Path(__file__).parent.parent / "tests" / "app" / "payloads"
WARM_UP = 50
START_SECONDS = 60


@dataclass(frozen=True)
class Result:
    """Times of answers in milliseconds, sorted, and how many were no success."""

    times: list[float]
    refused: int

    def quantile(self, share: float) -> float:
        return self.times[min(len(self.times) - 1, int(share * len(self.times)))]


def bare() -> Flask:
    """What no web process on Flask can be faster than."""
    app = Flask("bare")

    @app.post("/webhooks/github")
    def hear() -> tuple[str, int]:
        request.get_data(cache=False)
        return "", 202

    @app.get("/healthz")
    def healthz() -> str:
        return "ok"

    return app


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rate", type=float, default=100.0, help="deliveries a second")
    parser.add_argument("--seconds", type=float, default=20.0)
    options = parser.parse_args()
    count = int(options.rate * options.seconds)
    deliveries = [_delivery(path) for path in sorted(PAYLOADS.glob("*.json"))]
    sizes = sorted(len(body) for _, body in deliveries)
    print(f"{count} deliveries of {sizes[0]:,} to {sizes[-1]:,} bytes, {options.rate:.0f} a second")
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/assayer.db"
        with _served(_assayer, url) as address, _reader(url):
            ours = asyncio.run(_load(address, deliveries, options.rate, count))
        kept = _kept(url)
    with _served(_bare, "") as address:
        floor = asyncio.run(_load(address, deliveries, options.rate, count))
    _show("assayer", ours)
    _show("bare Flask", floor)
    print(f"ratio of p50 {ours.quantile(0.5) / floor.quantile(0.5):.2f}", end=", ")
    print(f"of p99 {ours.quantile(0.99) / floor.quantile(0.99):.2f}")
    print(f"deliveries kept: {kept}; load {os.getloadavg()[0]:.1f}")


def _show(name: str, result: Result) -> None:
    p50, p99 = result.quantile(0.5), result.quantile(0.99)
    print(
        f"{name:12} p50 {p50:6.1f} ms  p99 {p99:6.1f} ms  max {result.times[-1]:6.1f} ms"
        f"  refused {result.refused}"
    )


def _delivery(path: Path) -> tuple[str, bytes]:
    event = next(part for part in path.stem.split(".") if "fork" not in part)
    return event, path.read_bytes()


# ------------------------------------------------------------------- load


async def _load(
    address: str, deliveries: list[tuple[str, bytes]], rate: float, count: int
) -> Result:
    connector = aiohttp.TCPConnector(limit=64)
    async with aiohttp.ClientSession(connector=connector) as session:
        prepared = [(e, body, sign_body(SECRET, body)) for e, body in deliveries]
        for number in range(WARM_UP):
            await _send(session, address, prepared[number % len(prepared)], time.perf_counter())
        began = time.perf_counter()
        tasks: list[asyncio.Task[tuple[float, bool]]] = []
        for number in range(count):
            due = began + number / rate
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            sending = _send(session, address, prepared[number % len(prepared)], due)
            tasks.append(asyncio.create_task(sending))
        answers = await asyncio.gather(*tasks)
    return Result(
        sorted(seconds * 1000 for seconds, _ in answers), sum(not ok for _, ok in answers)
    )


async def _send(
    session: aiohttp.ClientSession, address: str, delivery: tuple[str, bytes, str], due: float
) -> tuple[float, bool]:
    event, body, signature = delivery
    headers = {
        "X-GitHub-Event": event,
        "X-GitHub-Delivery": str(uuid.uuid4()),
        "X-Hub-Signature-256": signature,
        "Content-Type": "application/json",
    }
    async with session.post(f"{address}/webhooks/github", data=body, headers=headers) as answer:
        await answer.read()
    return time.perf_counter() - due, answer.status == 202


# ---------------------------------------------------------------- reading


@contextmanager
def _reader(url: str) -> Iterator[None]:
    """A process that hears deliveries as the publisher does, each in its own transaction."""
    process = Process(target=_hear, args=(url,))
    process.start()
    try:
        yield
    finally:
        process.terminate()
        process.join()


def _hear(url: str) -> None:
    with Store(url) as store:
        while True:
            time.sleep(0.2)
            with store.read() as unit:
                waiting = unit.deliveries.waiting(limit=50)
            for delivery in waiting:
                with store.write() as unit:
                    unit.deliveries.get(delivery)
                    unit.deliveries.heard(delivery)


def _kept(url: str) -> dict[str, int]:
    with Store(url) as store, store.read() as unit:
        return unit.deliveries.count()


# ---------------------------------------------------------------- serving


def _assayer(port: int) -> list[str]:
    program = "from worker.cli import main; main()"
    return [sys.executable, "-c", program, "serve", "--web-only", "--port", str(port)]


def _bare(port: int) -> list[str]:
    options = ["--config", "python:app.gunicorn_config", "--bind", f"127.0.0.1:{port}"]
    return [sys.executable, "-m", "gunicorn", *options, "benchmarks.webhooks:bare()"]


@contextmanager
def _served(command, url: str) -> Iterator[str]:  # noqa: ANN001 - either of the two above
    with socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    variables = {
        **os.environ,
        "ASSAYER_GITHUB__WEBHOOK_SECRET": "env:BENCHMARK_SECRET",
        "BENCHMARK_SECRET": SECRET.decode(),
        "ASSAYER_STORE__URL": url or "sqlite:///:memory:",
    }
    with subprocess.Popen(command(port), env=variables, stderr=subprocess.DEVNULL) as process:
        try:
            _wait(f"http://127.0.0.1:{port}")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def _wait(address: str) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            urlopen(f"{address}/healthz", timeout=1).close()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            return


if __name__ == "__main__":
    main()
