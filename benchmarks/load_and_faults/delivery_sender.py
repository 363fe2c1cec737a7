"""Sending deliveries as GitHub does at its worst: doubled, out of order, and never waiting."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import aiohttp

from benchmarks.load_and_faults.github import Github

NEAR, FAR = 30, 300
"""By how many places a delivery moves, and by how many one in ten does."""
PATIENCE_SECONDS = 10
"""How long GitHub waits for an answer."""


@dataclass(frozen=True, slots=True)
class Posting:
    """One try to deliver an event."""

    delivery: dict[str, Any]
    copy: bool


@dataclass(frozen=True, slots=True)
class Tried:
    """What became of one: ``at`` is since the epoch, ``seconds`` from when it was due."""

    posting: Posting
    status: int
    at: float
    seconds: float


def plan(deliveries: Sequence[dict[str, Any]], total: int, seed: int) -> list[Posting]:
    """``total`` tries of all deliveries, some of them twice, out of order."""
    generator = random.Random(seed)
    places = list(range(len(deliveries)))
    doubled = generator.choices(places, k=max(0, total - len(places)))
    order = sorted((place + _moved(generator), place) for place in (*places, *doubled))
    seen = set[int]()
    postings = []
    for _, place in order:
        postings.append(Posting(deliveries[place], place in seen))
        seen.add(place)
    return postings


def _moved(generator: random.Random) -> float:
    return generator.uniform(0, FAR if generator.random() < 0.1 else NEAR)


class Sender:
    """Sends to ``url`` and lets the double know of every try about once a second."""

    def __init__(self, url: str, github: Github) -> None:
        self._url = url
        self._github = github
        self._untold: list[Tried] = []
        self.tried: list[Tried] = []

    def send(self, postings: Sequence[Posting], rate: float) -> None:
        """Send each when it is due, whatever became of those before."""
        over = threading.Event()
        telling = threading.Thread(target=self._tell, args=(over,))
        telling.start()
        try:
            asyncio.run(self._send_all(postings, rate))
        finally:
            over.set()
            telling.join()

    async def _send_all(self, postings: Sequence[Posting], rate: float) -> None:
        timeout = aiohttp.ClientTimeout(total=PATIENCE_SECONDS)
        connector = aiohttp.TCPConnector(limit=256)
        async with aiohttp.ClientSession(connector=connector, timeout=timeout) as session:
            began = time.perf_counter()
            tasks = []
            for number, posting in enumerate(postings):
                due = began + number / rate
                await asyncio.sleep(max(0.0, due - time.perf_counter()))
                tasks.append(asyncio.create_task(self._post(session, posting, due)))
            await asyncio.gather(*tasks)

    async def _post(self, session: aiohttp.ClientSession, posting: Posting, due: float) -> None:
        at, body = time.time(), posting.delivery["body"].encode()
        headers = posting.delivery["headers"]
        try:
            async with session.post(self._url, data=body, headers=headers) as answer:
                await answer.read()
                status = answer.status
        except (aiohttp.ClientError, TimeoutError):
            status = 0
        tried = Tried(posting, status, at, time.perf_counter() - due)
        self.tried.append(tried)
        self._untold.append(tried)

    def _tell(self, over: threading.Event) -> None:
        while not over.wait(1.0) or self._untold:
            untold, self._untold = self._untold, []
            self._github.call("tried", tries=[_told(one) for one in untold])


def _told(tried: Tried) -> list[Any]:
    posting = tried.posting
    return [posting.delivery["id"], posting.copy, tried.status, tried.at, tried.seconds]
