"""The campaign's result, printed."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.load_and_faults.bot_processes import Life, Program
from benchmarks.load_and_faults.final_state import Figures

SETTLED_SECONDS = 20.0
"""After this a process has loaded what it needs."""
MEBI = 1 << 20


@dataclass(frozen=True, slots=True)
class Outcome:
    """Everything that is to be told.

    ``answers`` are sorted seconds until deliveries were answered, in calm
    and during faults; ``times`` when the faults began and ended and when all
    was done (seconds since the epoch).
    """

    figures: Figures
    kills: Mapping[str, int]
    pushes: int
    answers: tuple[Sequence[float], Sequence[float]]
    times: tuple[float, float, float | None]


def show(outcome: Outcome, programs: Sequence[Program], database: str) -> None:
    """Print a table in Markdown."""
    began, ended, finished = outcome.times
    kills = ", ".join(f"{name} {many}" for name, many in outcome.kills.items())
    print(f"| {database}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} | |\n|---|---|")
    for name, value in outcome.figures.faults.items():
        print(f"| {name} | **{value}** |")
    print(f"| killed, in {ended - began:.0f} s | {kills} |")
    print(f"| pushes meanwhile | {outcome.pushes} |")
    for name, fact in outcome.figures.facts.items():
        print(f"| {name} | {fact} |")
    calm, disturbed = outcome.figures.calm, outcome.figures.disturbed
    print(f"| delivery to queued check run, p50 / p95: calm | {_two(calm)} |")
    print(f"| the same during faults | {_two(disturbed)} |")
    print(f"| webhook's answer, p50 / p99: calm | {_answers(outcome.answers[0])} |")
    print(f"| the same during faults | {_answers(outcome.answers[1])} |")
    left = "not in time" if finished is None else f"{max(0.0, finished - ended):.0f} s"
    print(f"| until everything was done, after the last kill | {left} |")
    print("\n| process and its children, last life | memory, MiB | descriptors | threads |")
    print("|---|---|---|---|")
    for program in programs:
        if program.lives:
            _show_life(program.name, program.lives[-1])


def _show_life(name: str, life: Life) -> None:
    late = [one for one in life.samples if one.at - life.began >= SETTLED_SECONDS]
    if not late:
        return
    first, last = late[0], late[-1]
    top = max(one.memory for one in late)
    memory = f"{first.memory / MEBI:.0f} → {last.memory / MEBI:.0f} (most {top / MEBI:.0f})"
    counts = f"{first.descriptors} → {last.descriptors} | {first.threads} → {last.threads}"
    print(f"| {name}, {last.at - life.began:.0f} s | {memory} | {counts} |")


def _two(waits: Sequence[float]) -> str:
    if not waits:
        return "none"
    return f"{_quantile(waits, 0.5):.1f} / {_quantile(waits, 0.95):.1f} s ({len(waits)})"


def _answers(seconds: Sequence[float]) -> str:
    if not seconds:
        return "none"
    p50, p99 = _quantile(seconds, 0.5), _quantile(seconds, 0.99)
    return f"{1000 * p50:.0f} / {1000 * p99:.0f} ms ({len(seconds)} answered)"


def _quantile(ordered: Sequence[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
