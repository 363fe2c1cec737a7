"""Rings of a fleet of workers on one Redis: waiting consumers, and a run a minute for each.

    python -m benchmarks.rings [--workers 1000] [--seconds 10]

A real Redis on the loopback, rung by the product's own queue.  Each worker waits as Celery's
transport lets it: ``BRPOP`` over its queues that ends after a second, and for each message the
four commands that keep it until it is acknowledged (kombu, ``transport/redis.py``).  The
processor time of the server tells how many workers one Redis, which computes on one core, carries.
"""

from __future__ import annotations

import argparse
import asyncio
import time
import uuid
from concurrent.futures import ThreadPoolExecutor

import redis
import redis.asyncio

from benchmarks.fleet import SECONDS_A_RUN
from tests.worker.redis_server import redis_server
from worker.store.run_queue import QUEUES, BrokerQueue, RunTimeLimits, celery_app

WAIT_SECONDS = 1
CHECK_SECONDS = 600


class Consumers:
    """Workers that wait on a Redis; ``heard`` counts the messages that they took."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.heard = 0

    async def run(self, workers: int, seconds: float) -> None:
        """Let so many workers wait and take messages for so many seconds."""
        until = time.monotonic() + seconds
        await asyncio.gather(*(self._work(until) for _ in range(workers)))

    async def _work(self, until: float) -> None:
        async with redis.asyncio.Redis.from_url(self._url) as client:
            while time.monotonic() < until:
                if await client.brpop(list(QUEUES), timeout=WAIT_SECONDS) is None:
                    continue
                tag = uuid.uuid4().hex
                async with client.pipeline() as kept:
                    kept.zadd("unacked_index", {tag: time.time()})
                    kept.hset("unacked", tag, "x" * 700)
                    await kept.execute()
                async with client.pipeline() as done:
                    done.zrem("unacked_index", tag)
                    done.hdel("unacked", tag)
                    await done.execute()
                self.heard += 1


def processor_seconds(client: redis.Redis) -> float:
    """Return what the server has computed."""
    spent = client.info("cpu")
    return float(spent["used_cpu_sys"]) + float(spent["used_cpu_user"])


def ring(url: str, rate: float, seconds: float) -> int:
    """Ring at a rate, or as often as it can be done where that is less; return how often."""
    queue = BrokerQueue(celery_app(url, RunTimeLimits(CHECK_SECONDS)))
    began, rung = time.monotonic(), 0
    while (past := time.monotonic() - began) < seconds:
        if rung >= past * rate:
            time.sleep(0.001)
            continue
        queue.enqueue(uuid.uuid4().hex)
        rung += 1
    return rung


def measure(url: str, workers: int, rate: float, seconds: float) -> None:
    """Print what the server computes while workers wait and are rung at a rate."""
    client, consumers = redis.Redis.from_url(url), Consumers(url)
    before, began = processor_seconds(client), time.monotonic()
    with ThreadPoolExecutor() as pool:
        rung = pool.submit(ring, url, rate, seconds)
        asyncio.run(consumers.run(workers, seconds + WAIT_SECONDS))
    spent, took = processor_seconds(client) - before, time.monotonic() - began
    print(
        f"{workers:,} workers, {rung.result() / seconds:,.0f} rings a second:"
        f" {consumers.heard:,} taken, {spent / took:.1%} of a core"
    )


def main() -> None:
    """Measure an idle fleet, one at its usual rate, and the most rings that one thread sends."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=10.0)
    given = parser.parse_args()
    usual = given.workers / SECONDS_A_RUN
    with redis_server() as url:
        for rate in (0.0, usual, float("inf")):
            measure(url, given.workers, rate, given.seconds)


if __name__ == "__main__":
    main()
