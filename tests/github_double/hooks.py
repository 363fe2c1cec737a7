"""Sends webhooks: signed, kept, held back, reordered, doubled, dropped and sent again."""

from __future__ import annotations

import hashlib
import hmac
import http.client
import itertools
import json
import queue
import random
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

from tests.github_double.state import stamp

_ONE_AT_A_TIME = 4
"""How many deliveries are under way at once."""


@dataclass
class Delivery:
    """One attempt to deliver an event; ``status`` is 0 until it was tried."""

    id: int
    guid: str
    event: str
    action: str | None
    body: bytes
    installation: int | None
    repository: int | None
    redelivery: bool = False
    status: int = 0
    text: str = "pending"
    at: float = field(default_factory=time.time)
    duration: float = 0.0

    @property
    def payload(self) -> dict[str, Any]:
        whole: dict[str, Any] = json.loads(self.body)
        return whole

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300

    def shape(self) -> dict[str, Any]:
        """As GitHub lists it."""
        return {
            "id": self.id,
            "guid": self.guid,
            "delivered_at": stamp(self.at),
            "redelivery": self.redelivery,
            "duration": round(self.duration, 2),
            "status": self.text,
            "status_code": self.status,
            "event": self.event,
            "action": self.action,
            "installation_id": self.installation,
            "repository_id": self.repository,
            "throttled_at": None,
        }

    def full(self, url: str) -> dict[str, Any]:
        return self.shape() | {
            "url": url,
            "request": {"headers": {"X-GitHub-Delivery": self.guid}, "payload": self.payload},
            "response": {"headers": {}, "payload": None},
        }


class Deliveries:
    """Keeps every delivery and sends those that are not held to ``url``."""

    def __init__(self, secret: bytes, app: int) -> None:
        self.url: str | None = None
        self.secret = secret
        self.timeout = 10.0
        self.log: list[Delivery] = []
        self._app = app
        self._ids = itertools.count(500_001)
        self._lock = threading.Condition()
        self._queue: queue.Queue[Delivery | None] = queue.Queue()
        self._held: list[Delivery] | None = None
        self._under_way = 0
        self._lost = 0
        self._threads: list[threading.Thread] = []

    def keep(
        self, event: str, payload: dict[str, Any], installation: int | None, repository: int | None
    ) -> Delivery:
        """An event happened: deliver it, or hold it back."""
        delivery = Delivery(
            next(self._ids),
            str(uuid.uuid4()),
            event,
            payload.get("action"),
            json.dumps(payload, separators=(",", ":")).encode(),
            installation,
            repository,
        )
        self._enter(delivery)
        return delivery

    def hold(self) -> None:
        """Send nothing until ``release``."""
        with self._lock:
            self._held = self._held or []

    def release(
        self, *, order: Callable[[list[Delivery]], list[Delivery]] | None = None, copies: int = 1
    ) -> list[Delivery]:
        """Send what was held, in ``order``, each ``copies`` times (same GUID)."""
        with self._lock:
            held = self._held or []
            self._held = None
        chosen = order(list(held)) if order else held
        for delivery in chosen:
            self._put(delivery)
            for _ in range(copies - 1):
                self.again(delivery)
        return chosen

    def take(self) -> list[Delivery]:
        """Hand over what was never tried: somebody else sends it, and calls ``tried``.

        Call it before there is a ``url``.
        """
        with self._lock:
            self._held = None
            return [one for one in self.log if not one.status]

    def tried(
        self, number: int, status: int, *, at: float, seconds: float, copy: bool = False
    ) -> None:
        """Note how somebody else's try went; a ``copy`` is one more try of the same event."""
        delivery = self.find(number)
        if delivery is None:
            raise ValueError(f"there is no delivery {number}")
        if copy:
            delivery = replace(delivery, id=next(self._ids), redelivery=True)
        delivery.at, delivery.duration = at, seconds
        _settle(delivery, status)
        if copy:
            with self._lock:
                self.log.append(delivery)

    def shuffled(self, seed: int = 0) -> Callable[[list[Delivery]], list[Delivery]]:
        """An order for ``release``."""
        return lambda held: random.Random(seed).sample(held, len(held))

    def lose(self, count: int = 1) -> None:
        """Let the next ``count`` deliveries fail without being sent."""
        with self._lock:
            self._lost += count

    def again(self, delivery: Delivery) -> Delivery:
        """Send a delivery another time, as it was: the same GUID, a new id."""
        copy = Delivery(
            next(self._ids),
            delivery.guid,
            delivery.event,
            delivery.action,
            delivery.body,
            delivery.installation,
            delivery.repository,
            redelivery=True,
        )
        self._enter(copy)
        return copy

    def find(self, number: int) -> Delivery | None:
        with self._lock:
            return next((one for one in self.log if one.id == number), None)

    def newest_first(self) -> list[Delivery]:
        """Those that were tried, as GitHub lists them."""
        with self._lock:
            return [one for one in reversed(self.log) if one.status]

    def of(self, event: str, action: str | None = None) -> list[Delivery]:
        with self._lock:
            return [d for d in self.log if d.event == event and action in {None, d.action}]

    def wait(self, seconds: float = 600.0) -> None:
        """Return once nothing is under way; raises ``TimeoutError``."""
        with self._lock:
            if not self._lock.wait_for(lambda: self._under_way == 0, timeout=seconds):
                raise TimeoutError(f"{self._under_way} deliveries are still under way")

    def close(self) -> None:
        for _ in self._threads:
            self._queue.put(None)
        for thread in self._threads:
            thread.join(timeout=self.timeout + 5)

    def _enter(self, delivery: Delivery) -> None:
        with self._lock:
            self.log.append(delivery)
            if self._held is not None and not delivery.redelivery:
                self._held.append(delivery)
                return
        self._put(delivery)

    def _put(self, delivery: Delivery) -> None:
        if self.url is None:
            return
        with self._lock:
            self._under_way += 1
            while len(self._threads) < _ONE_AT_A_TIME:
                thread = threading.Thread(target=self._work, name="webhooks", daemon=True)
                self._threads.append(thread)
                thread.start()
        self._queue.put(delivery)

    def _work(self) -> None:
        while (delivery := self._queue.get()) is not None:
            try:
                self._deliver(delivery)
            finally:
                with self._lock:
                    self._under_way -= 1
                    self._lock.notify_all()

    def _deliver(self, delivery: Delivery) -> None:
        delivery.at = time.time()
        with self._lock:
            lost = self._lost > 0
            self._lost -= lost
        status = 0 if lost else self._post(delivery)
        delivery.duration = time.time() - delivery.at
        _settle(delivery, status)

    def _post(self, delivery: Delivery) -> int:
        parts = urlsplit(self.url or "")
        connection = http.client.HTTPConnection(
            parts.hostname or "", parts.port, timeout=self.timeout
        )
        try:
            connection.request("POST", parts.path or "/", delivery.body, self.headers(delivery))
            answer = connection.getresponse()
            answer.read()
        except (OSError, http.client.HTTPException):
            return 0
        else:
            return answer.status
        finally:
            connection.close()

    def headers(self, delivery: Delivery) -> dict[str, str]:
        """What GitHub sends along, signatures included."""
        signature = hmac.new(self.secret, delivery.body, hashlib.sha256).hexdigest()
        old = hmac.new(self.secret, delivery.body, hashlib.sha1).hexdigest()
        return {
            "Accept": "*/*",
            "Content-Type": "application/json",
            "User-Agent": "GitHub-Hookshot/0000000",
            "X-GitHub-Delivery": delivery.guid,
            "X-GitHub-Event": delivery.event,
            "X-GitHub-Hook-ID": "1",
            "X-GitHub-Hook-Installation-Target-ID": str(self._app),
            "X-GitHub-Hook-Installation-Target-Type": "integration",
            "X-Hub-Signature": f"sha1={old}",
            "X-Hub-Signature-256": f"sha256={signature}",
        }


def _settle(delivery: Delivery, status: int) -> None:
    """Note the answer; 0: there was none."""
    delivery.text = "OK" if 200 <= status < 300 else f"Invalid HTTP Response: {status}"
    if status == 0:
        delivery.text = "failed to connect to host"
    delivery.status = status or 502
