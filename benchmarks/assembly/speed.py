"""How many assembled files a second: LeNet with other sizes, each text another one.

    python -m benchmarks.assembly.speed [--files 2000]

Through the sandbox's bench, warm, with two processes; and in this process, with one thread.
Each file is loaded, built, called and derived, and one step is made.  Both by the clock
and, here, by the process's own time, which is what a core would do on an idle machine.
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import torch

from analyzers.vocabulary import AssemblyRequest, Probe, RecipeArgument
from tests.worker.sessions import laboratory, target, tree
from worker.executor.sandbox_executor import SandboxExecutor

TEXT = (Path(__file__).parents[1] / "models" / "zoo" / "lenet.py").read_text()
ARGUMENTS = {
    "self": RecipeArgument("LeNet()"),
    "x": RecipeArgument("tensor((1, 1, 28, 28), seed=0)"),
}
PROBE = Probe("app.py::LeNet.forward", ARGUMENTS, ())


def variants(count: int) -> Iterator[str]:
    """Texts of LeNet that run, no two alike."""
    for number in range(count):
        hidden, classes = 84 + number % 40, 10 + number // 40
        yield TEXT.replace("84", str(hidden)).replace("=10", f"={classes}")


def main() -> None:
    words = argparse.ArgumentParser()
    words.add_argument("--files", type=int, default=2000)
    files = tuple(variants(words.parse_args().files))
    assert len(set(files)) == len(files)
    _bench(files)
    _here(files)


def _bench(files: tuple[str, ...]) -> None:
    _, without = _sandboxed(files[:50])
    rate, used = _sandboxed(files)
    own = 2 * (len(files) - 50) / (used - without)
    load = os.getloadavg()[0]
    print(f"sandbox, two processes: {rate:.0f} a second, {own:.0f} of their own; load {load:.1f}")


def _sandboxed(files: tuple[str, ...]) -> tuple[float, float]:
    """Files a second in a warm guest, and the seconds of cores that it used in its whole life."""
    before = _used()
    with tempfile.TemporaryDirectory() as folder:
        head = tree(Path(folder, "head"), app=TEXT)
        where = target(function="LeNet.forward")
        bench = SandboxExecutor(laboratory(head, head), where, time.monotonic() + 600)
        bench.assemble(where, AssemblyRequest("app.py", files[:50], PROBE, seconds=60.0))
        began = time.monotonic()
        states = bench.assemble(where, AssemblyRequest("app.py", files, PROBE, seconds=300.0))
        rate = len(files) / (time.monotonic() - began)
        bench.close()
    assert all(each.state == "ran" for each in states), states[0]
    return rate, _used() - before


def _used() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def _here(files: tuple[str, ...]) -> None:
    torch.set_num_threads(1)
    given = torch.rand(1, 1, 28, 28)
    began = used = 0.0
    for number, text in enumerate(files):
        if number == 50:
            began, used = time.monotonic(), time.process_time()
        names = {"__name__": "app"}
        exec(compile(text, "app.py", "exec"), names)
        model = names["LeNet"]()  # type: ignore[operator]
        model(given).sum().backward()
    count = len(files) - 50
    rate, own = count / (time.monotonic() - began), count / (time.process_time() - used)
    load = os.getloadavg()[0]
    print(f"in process, one thread: {rate:.0f} a second, {own:.0f} of its own; load {load:.1f}")


if __name__ == "__main__":
    main()
