"""How many feasible goals the search reaches, against random answers."""

from __future__ import annotations

import statistics
import sys
from pathlib import Path
from typing import Any

from benchmarks.search_suite.harness import Case, cases, random_search, search_all

SUITE = Path(__file__).parent / "search_suite"
FILES = ("labels.py", "text.py", "sentiment.py", "mixed.py", "hard.py")


def main() -> int:
    given = [case for name in FILES for case in cases(name, (SUITE / name).read_text())]
    only = sys.argv[1:]
    given = [case for case in given if not only or case.function in only]
    frames = search_all(str(SUITE), given)
    baseline = search_all(str(SUITE), given, look=random_search)
    print(
        f"{'function':34} {'goals':>9} {'random':>6} {'dead':>7} "
        f"{'crashes':>7} {'runs':>6} {'s':>6}"
    )
    for case, frame, other in zip(given, frames, baseline, strict=True):
        _show(case, frame, len(_reached(case, other)))
    total = sum(len(case.feasible) for case in given)
    pairs = list(zip(given, frames, strict=True))
    reached = sum(len(_reached(case, frame)) for case, frame in pairs)
    chance = sum(len(_reached(c, f)) for c, f in zip(given, baseline, strict=True))
    wrong = sum(len(set(frame["exhausted"]) & set(case.feasible)) for case, frame in pairs)
    median = statistics.median(frame["seconds"] for frame in frames)
    print(
        f"{len(given)} functions: {reached}/{total} feasible goals ({reached / total:.1%}), "
        f"random strings {chance}/{total} ({chance / total:.1%}); "
        f"median {median:.2f} s a function; {wrong} false dead"
    )
    return int(wrong > 0 or reached < 0.95 * total or median > 2)


def _reached(case: Case, frame: dict[str, Any]) -> set[str]:
    """The feasible goals with a witness that a replay confirmed."""
    return {w["goal"] for w in frame["witnesses"] if w["confirmed"]} & set(case.feasible)


def _show(case: Case, frame: dict[str, Any], chance: int) -> None:
    reached, dead = _reached(case, frame), set(frame["exhausted"])
    found = {witness["goal"] for witness in frame["witnesses"]}
    print(
        f"{case.path + '::' + case.function:34} {len(reached):4}/{len(case.feasible):<4} "
        f"{chance:6} {len(dead):3}/{len(case.infeasible):<3} {len(frame['crashes']):7} "
        f"{frame['executions']:6} {frame['seconds']:6.2f}"
    )
    for what, goals in (
        ("missed", set(case.feasible) - reached),
        ("reached although marked infeasible", found & set(case.infeasible)),
        ("FALSELY DEAD", dead & set(case.feasible)),
    ):
        for goal in sorted(goals):
            print(f"    {what} {goal}")
    if frame["obstacle"]:
        print(f"    obstacle: {frame['obstacle']}")


if __name__ == "__main__":
    sys.exit(main())
