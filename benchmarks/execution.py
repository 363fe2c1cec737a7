"""How many inputs a second a sandboxed guest runs, against one cold process an input.

``python -m benchmarks.execution`` measures end to end: probes encoded, a
fork in the sandbox, a 30-line function with its branch outcomes recorded,
where it asks an ML API a given answer, results checked and decoded.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from analyzers.vocabulary import ApiCall, Exchange, LiteralArgument, Probe, Reason, Returned, Target
from worker.broker.api_broker import Broker
from worker.broker.request_admission import ApiBudget
from worker.engines.engine_selection import Engines
from worker.engines.recordings import Recordings
from worker.executor.execution_context import guest_runtime
from worker.executor.session import Session
from worker.settings.operator_settings import Settings

SOURCE = """
from google.cloud import vision


def plain(label, score):
    found, total = [], 0.0
    if label == "Food" and score > 0.8:
        found.append("food")
    elif label in ("Cat", "Dog", "Bird"):
        found.append("animal")
    for word in label.lower().split():
        total += len(word)
        if word.startswith("f") or word.endswith("d"):
            found.append(word)
        elif len(word) > 6 and not word.isdigit():
            found.append(word[:6])
    if total > 10:
        total = 10
    if 0.2 <= score < 0.5:
        found.append("unsure")
    elif score < 0.2:
        found.append("unlikely")
    else:
        found.append("sure")
    names = [name for name in found if name]
    if any(name == "food" for name in names):
        total += 1
    if not names:
        return None
    return sorted(names), total


def asking(content):
    client = vision.ImageAnnotatorClient()
    response = client.label_detection(image=vision.Image(content=content))
    results = [plain(l.description, l.score) for l in response.label_annotations]
    return results
"""
LABELS = "google.vision.label_detection"
NAMES = ("Food", "Cat", "Fast food", "Vehicle registration plate", "Sky", "1234567")
REPEATS = 5


def main() -> None:
    """Print the figures as JSON."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "project")
        root.mkdir()
        (root / "app.py").write_text(SOURCE)
        warm = measure(root, "plain")
        alone = cold(root)
        figures = {
            "warm": warm,
            "warm, asking an ML API": measure(root, "asking"),
            "cold": alone,
            "ratio warm/cold": round(warm["inputs_a_second"] / alone["inputs_a_second"]),
        }
    print(json.dumps(figures, indent=2))


def measure(root: Path, function: str) -> dict[str, float]:
    """Seconds for 100 and 2,000 inputs, medians of five, after a warm-up."""
    place = guest_runtime(Settings(), trust=False)
    broker = Broker(Engines(()), Recordings(None), ApiBudget(0))
    target = Target(
        "app.py",
        function,
        1,
        1,
        Reason.CHANGED,
        (ApiCall(LABELS, "app.py", function, 1),),
        (),
        ("app.py",),
    )
    probes = [_probe(function, number) for number in range(2000)]
    started = time.perf_counter()
    with Session(place, root, target, broker) as session:
        ready = time.perf_counter() - started
        _timed(session, probes[:100])
        few = statistics.median(_timed(session, probes[:100]) for _ in range(REPEATS))
        many = statistics.median(_timed(session, probes) for _ in range(REPEATS))
    return {
        "ready_s": round(ready, 3),
        "100_inputs_s": round(few, 4),
        "2000_inputs_s": round(many, 4),
        "inputs_a_second": round(2000 / many),
    }


def _probe(function: str, number: int) -> Probe:
    name, score = NAMES[number % len(NAMES)], number % 10 / 10
    if function == "plain":
        arguments = {"label": LiteralArgument(repr(name)), "score": LiteralArgument(repr(score))}
        return Probe(f"app.py::{function}", arguments, ())
    answer = {"label_annotations": [{"description": name, "score": score}]}
    exchange = Exchange(LABELS, "", answer)
    return Probe(f"app.py::{function}", {"content": LiteralArgument("b'picture'")}, (exchange,))


def _timed(session: Session, probes: list[Probe]) -> float:
    started = time.perf_counter()
    runs = session.run(probes)
    seconds = time.perf_counter() - started
    assert all(isinstance(run.ending, Returned) and run.hits for run in runs)
    return seconds


def cold(root: Path) -> dict[str, float]:
    """Seconds for one cold process an input, the median of five."""
    program = "import app; print(app.plain('Food', 0.9))"
    seconds: list[float] = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        subprocess.run([sys.executable, "-c", program], cwd=root, check=True, capture_output=True)
        seconds.append(time.perf_counter() - started)
    one = statistics.median(seconds)
    return {"1_input_s": round(one, 3), "inputs_a_second": round(1 / one, 2)}


if __name__ == "__main__":
    main()
