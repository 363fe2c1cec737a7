"""What one target costs: seconds of each step for a small function of torch, and inputs a second.

``python -m benchmarks.properties.speed`` runs in the sandbox of this machine.
Seconds are those of a clock: measure while nothing else runs.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from analyzers.vocabulary import Contract, ExplorationRequest, Reason, Target
from worker.broker.api_broker import Broker
from worker.engines.engine_selection import Engines
from worker.engines.recordings import Recordings
from worker.executor.execution_context import GuestRuntime
from worker.executor.session import Session
from worker.sandbox.guest_limits import Limits
from worker.sandbox.isolation import find_isolation

SOURCE = """\
import torch


def f(x, n):
    return (x * n).sum()
"""
TEST = "import torch\n\nimport app\n\n\ndef test_f():\n    app.f(torch.ones(2, 3, 4, 4), 3)\n"
CONTRACT = Contract({"x": "tensors(dtype='float32', shape='b 3 h w')", "n": "ints()"})
EXAMPLES = 300
FEW = 20


@dataclass(slots=True)
class Stopwatch:
    """Seconds by the name of a step, in order."""

    seconds: dict[str, float] = field(default_factory=dict[str, float])

    @contextmanager
    def of(self, step: str) -> Generator[None]:
        """Measure what happens inside."""
        began = time.perf_counter()
        yield
        self.seconds[step] = time.perf_counter() - began


def measured(examples: int = EXAMPLES) -> tuple[dict[str, float], int]:
    """The seconds of each step, and how many inputs the exploration ran."""
    watch = Stopwatch()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "head")
        root.mkdir()
        Path(folder).chmod(0o755)
        (root / "app.py").write_text(SOURCE)
        (root / "test_app.py").write_text(TEST)
        target = Target("app.py", "f", 4, 5, Reason.CHANGED, (), (), ("app.py",))
        place = GuestRuntime(find_isolation(), Path(sys.executable), Limits())
        broker = Broker(Engines([]), Recordings(None), None)
        with watch.of("start and prepare"):
            session = Session(place, root, target, broker)
        with session:
            with watch.of("observe"):
                calls = session.observe(["f"], ["test_app.py"], 10.0)
            with watch.of("explore"):
                explored, _ = session.explore(
                    ExplorationRequest(CONTRACT, examples=examples, seconds=60.0)
                )
            with watch.of("run again"):
                session.run(explored.passing)
    if not calls or explored.failures or explored.obstacle:
        raise RuntimeError(f"nothing to measure: {explored.obstacle}, {len(calls)} calls")
    return watch.seconds, explored.executions


def main(say: Callable[[str], None] = print) -> None:
    """Say what was measured, and the rate without what each exploration begins with."""
    little, few = measured(FEW)
    seconds, executions = measured()
    for step, spent in seconds.items():
        say(f"{step:20} {spent:6.2f} s")
    say(f"{'together':20} {sum(seconds.values()):6.2f} s")
    rate = (executions - few) / (seconds["explore"] - little["explore"])
    say(f"{'inputs':20} {executions:6}  , {executions / seconds['explore']:.0f} a second")
    say(f"{'without the start':20} {executions - few:6}  , {rate:.0f} a second")


if __name__ == "__main__":
    main()
