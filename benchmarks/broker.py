"""What a question to an ML API costs beside its answer: ``python -m benchmarks.broker``.

A guest's process asks about a 100 kB picture over the socket, as the tested
code does, and gets a recorded answer from disk; baseline: the same answer from
a function of one's own process that hashes the picture and looks it up.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import socket
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from analyzers.guest.protocol import api_calls
from analyzers.guest.protocol.child_channel import HostSupplier, SharedMemory, Wire
from analyzers.vocabulary import JsonObject
from worker.broker.api_broker import Broker
from worker.broker.recording_caches import RecordingCaches, RunRequester
from worker.broker.request_admission import ApiBudget
from worker.engines.engine import ApiRequest
from worker.engines.engine_selection import Engines
from worker.engines.recordings import RecordingLimits
from worker.sandbox.protocol.channel import Channel, ChannelClosed

LABELS = "google.vision.label_detection"
SIZE = 100_000
CALLS = 1000
PICTURES = 20
WANTED_MS = 0.5


class Labels:
    """Answers at once, as a provider would."""

    local = False
    identity = "labels-1"

    def answers(self, api: str) -> bool:
        return api == LABELS

    def ask(self, api: str, request: ApiRequest) -> JsonObject:
        del api, request
        names = ("Fire", "Flame", "Heat", "Gas", "Ash")
        return {"label_annotations": [{"description": name, "score": 0.9} for name in names]}


def main() -> None:
    chance = random.Random(0)
    pictures = [chance.randbytes(SIZE) for _ in range(PICTURES)]
    with tempfile.TemporaryDirectory() as folder:
        shelves = RecordingCaches.open(Path(folder), RunRequester("owner/name"), RecordingLimits())
        broker = Broker(Engines([Labels()]), shelves, ApiBudget(PICTURES, 1))
        for picture in pictures:
            broker.answer(LABELS, ApiRequest(picture))
        direct = timed(function_of_ones_own(pictures), pictures)
        inside = timed(lambda picture: broker.answer(LABELS, ApiRequest(picture)), pictures)
        guest = over_the_socket(broker, pictures)
        assert (broker.calls, broker.refused) == (PICTURES, 0)
    print(f"{'':24}{'median ms':>10}{'p99 ms':>8}{'ratio':>7}")
    for name, times in (("own function", direct), ("broker", inside), ("guest to broker", guest)):
        middle, slow = statistics.median(times), statistics.quantiles(times, n=100)[98]
        ratio = middle / statistics.median(direct)
        print(f"{name:24}{1000 * middle:10.3f}{1000 * slow:8.3f}{ratio:7.1f}")
    print(f"wanted: {WANTED_MS} ms at most, guest to broker")


def timed(ask: Callable[[bytes], object], pictures: list[bytes]) -> list[float]:
    times: list[float] = []
    for number in range(CALLS):
        began = time.perf_counter()
        ask(pictures[number % PICTURES])
        times.append(time.perf_counter() - began)
    return times


def function_of_ones_own(pictures: list[bytes]) -> Callable[[bytes], object]:
    known = {
        hashlib.sha256(picture).digest(): Labels().ask("", ApiRequest()) for picture in pictures
    }
    return lambda picture: known[hashlib.sha256(picture).digest()]


def over_the_socket(broker: Broker, pictures: list[bytes]) -> list[float]:
    """The times that a forked guest measured, with this process as the host."""
    ours, theirs = socket.socketpair()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(120)
        ours.close()
        wire = Wire(theirs.fileno())
        wire.receive()
        ask = HostSupplier(wire, SharedMemory())
        times = timed(lambda picture: ask(api_calls.ApiRequest(LABELS, picture)), pictures)
        os.write(writing, json.dumps(times).encode())
        os._exit(0)
    theirs.close()
    os.close(writing)
    channel = Channel(ours)
    channel.send({"type": "run", "blobs": {}, "probes": [], "seconds": 1})
    try:
        while True:
            frame = channel.receive(60)
            answer = broker.answer(frame["api"], ApiRequest.from_frame(frame["request"]))
            channel.send({"type": "answer", "answer": answer})
    except ChannelClosed:
        os.waitpid(child, 0)
    with os.fdopen(reading) as file:
        found: list[float] = json.load(file)
    return found


if __name__ == "__main__":
    main()
