"""What being held costs: the same work with all layers on, and with none.

``python -m benchmarks.sandbox_overhead [PYTHON]`` measures guests of this interpreter and,
where ``PYTHON`` is given, of one that has torch, google-cloud-vision and boto3:

    python -m venv torch-env
    torch-env/bin/pip install torch==2.13.0 google-cloud-vision boto3
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from analyzers.vocabulary import ApiCall, LiteralArgument, Probe, Reason, Returned, Target
from benchmarks.execution import LABELS, NAMES
from benchmarks.execution import SOURCE as ASKING
from worker.broker.api_broker import Broker
from worker.broker.request_admission import ApiBudget
from worker.engines.engine_selection import Engines
from worker.engines.recordings import Recordings
from worker.executor.execution_context import GuestRuntime, guest_runtime
from worker.executor.session import Session
from worker.settings.operator_settings import Settings

WITHOUT_SDK = ASKING.replace("from google.cloud import vision\n", "")
HEAVY = "import boto3\nimport torch\n" + ASKING
STARTS = 5
REPEATS = 5
INPUTS = 2000


def main() -> None:
    """Print the figures as JSON."""
    kinds = [("light", WITHOUT_SDK, Path(sys.executable))]
    if len(sys.argv) > 1:
        kinds.append(("torch and two SDKs", HEAVY, Path(sys.argv[1])))
    figures = {name: compared(source, python) for name, source, python in kinds}
    print(json.dumps(figures, indent=2))


def compared(source: str, python: Path) -> dict[str, object]:
    """The same guest held and not held, taken in turns."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "project")
        root.mkdir()
        (root / "app.py").write_text(source)
        places = {
            name: replace(guest_runtime(Settings(), trust=trust), python=python)
            for name, trust in (("held", False), ("free", True))
        }
        measured = {name: measure(place, root) for name, place in places.items()}
    held, free = measured["held"], measured["free"]
    return {
        **measured,
        "ready, held/free": round(held["ready_s"] / free["ready_s"], 2),
        "inputs a second, held/free": round(held["inputs_a_second"] / free["inputs_a_second"], 2),
    }


def measure(place: GuestRuntime, root: Path) -> dict[str, float]:
    """Seconds until a guest is ready, and inputs a second; medians."""
    target = Target(
        *("app.py", "plain", 1, 1, Reason.CHANGED),
        (ApiCall(LABELS, "app.py", "asking", 1),),
        (),
        ("app.py",),
    )
    broker = Broker(Engines(()), Recordings(None), ApiBudget(0))
    ready = statistics.median(
        seconds for _ in range(STARTS) for seconds in start(place, root, target, broker)
    )
    with Session(place, root, target, broker) as session:
        session.run(probes()[:100])
        many = statistics.median(timed(session) for _ in range(REPEATS))
    return {"ready_s": round(ready, 3), "inputs_a_second": round(INPUTS / many)}


def start(place: GuestRuntime, root: Path, target: Target, broker: Broker) -> Iterator[float]:
    """Start a guest and load the target."""
    began = time.perf_counter()
    with Session(place, root, target, broker):
        yield time.perf_counter() - began


def timed(session: Session) -> float:
    """Seconds for all inputs in a warm guest."""
    began = time.perf_counter()
    runs = session.run(probes())
    seconds = time.perf_counter() - began
    assert all(isinstance(run.ending, Returned) and run.hits for run in runs)
    return seconds


def probes() -> list[Probe]:
    """Inputs of the 30-line function."""
    return [
        Probe(
            "app.py::plain",
            {
                "label": LiteralArgument(repr(NAMES[number % len(NAMES)])),
                "score": LiteralArgument(repr(number % 10 / 10)),
            },
            (),
        )
        for number in range(INPUTS)
    ]


if __name__ == "__main__":
    main()
