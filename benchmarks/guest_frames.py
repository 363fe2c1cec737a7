"""How fast the host reads what a guest sends: decoding a frame, and checking it field by field.

``python -m benchmarks.guest_frames`` prints milliseconds for frames of many results.
"""

from __future__ import annotations

import json
import timeit
from collections.abc import Callable
from typing import Any

from worker.sandbox.protocol.channel import decoded
from worker.sandbox.protocol.guest_frames import check

RAISED = {
    "kind": "raised",
    "exception": "ValueError",
    "message": "m" * 60,
    "path": "app/model.py",
    "line": 12,
    "function": "predict",
    "refusal": False,
    "standin": False,
}
RETURNED = {"kind": "returned", "value": "x" * 30}
EXCHANGE = {
    "api": "google.vision.text_detection",
    "digest": "0" * 64,
    "answer": {"responses": [{"text": "STOP", "vertices": [{"x": 1, "y": 2}] * 4}] * 4},
}
SHAPES = ((1, 20, 1), (3000, 20, 0), (3000, 200, 0), (500, 20, 4))


def ran(results: int, hits: int, exchanges: int) -> dict[str, Any]:
    """Return a frame of results."""
    return {
        "type": "ran",
        "results": [
            {
                "index": number,
                "ending": RETURNED if number % 3 else RAISED,
                "hits": list(range(hits)),
                "exchanges": [EXCHANGE] * exchanges,
                "seconds": 0.01,
            }
            for number in range(results)
        ],
    }


def _best(step: Callable[..., object], *arguments: object) -> float:
    return 1000 * min(timeit.repeat(lambda: step(*arguments), number=1, repeat=7))


def main() -> None:
    """Measure each shape of frame, the best of seven."""
    for shape in SHAPES:
        payload = json.dumps(ran(*shape)).encode()
        message, request = decoded(payload), {"type": "run", "probes": [{}] * shape[0]}
        times = (_best(decoded, payload), _best(check, message, request, shape[1]))
        print("{} results, {} hits, {} exchanges: ".format(*shape), end="")
        print("decoded in {:.2f} ms, checked in {:.2f} ms".format(*times))


if __name__ == "__main__":
    main()
