"""What isolation costs: cold starts, and checking what the guest says.

Run: python -m benchmarks.isolation
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from worker.sandbox.attacks import run_battery
from worker.sandbox.guest_process import GuestProcess
from worker.sandbox.isolation import TRUSTED, Isolation, find_isolation
from worker.sandbox.protocol.channel import decoded
from worker.sandbox.protocol.guest_frames import check

ROUNDS = 20
RESULTS = 2000
HITS = 12


def median_ms(work: Callable[[], object], rounds: int = ROUNDS) -> float:
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        work()
        times.append(1000 * (time.perf_counter() - began))
    return statistics.median(times)


def started(isolation: Isolation, tree: Path) -> Callable[[], object]:
    def start_and_close() -> None:
        GuestProcess.start(isolation, tree=tree).close()

    return start_and_close


def bare() -> object:
    return subprocess.run([sys.executable, "-s", "-B", "-c", ""], check=True)


def results_frame() -> bytes:
    result = {
        "ending": {"kind": "returned", "value": "'receipt'"},
        "hits": list(range(HITS)),
        "exchanges": [
            {
                "api": "google.vision.label_detection",
                "digest": "0" * 64,
                "answer": {"label_annotations": [{"description": "dog", "score": 0.9}]},
            }
        ],
        "seconds": 0.0001,
    }
    results = [{**result, "index": index} for index in range(RESULTS)]
    return json.dumps({"type": "ran", "results": results}).encode()


def main() -> None:
    isolation = find_isolation()
    print(", ".join(isolation.layers))
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        print(f"bare interpreter         {median_ms(bare):7.1f} ms")
        print(f"trusted guest, to ready  {median_ms(started(TRUSTED, tree)):7.1f} ms")
        print(f"isolated guest, to ready {median_ms(started(isolation, tree)):7.1f} ms")
    frame = results_frame()
    request = {"type": "run", "probes": [{}] * RESULTS}
    message = decoded(frame)
    print(f"parse {RESULTS} results       {median_ms(lambda: decoded(frame)):7.1f} ms")
    print(
        f"check {RESULTS} results       {median_ms(lambda: check(message, request, HITS)):7.1f} ms"
    )
    attacks = median_ms(lambda: run_battery(isolation), rounds=3)
    print(f"the battery of attacks   {attacks:7.1f} ms")


if __name__ == "__main__":
    main()
