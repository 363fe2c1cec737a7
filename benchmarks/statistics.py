"""How often a branch is called low, by its true recall: the rule of looks and the fixed one.

``python -m benchmarks.statistics`` follows every path that the looks of
``--inputs 10`` and ``20`` can take, with its exact probability, and draws families
of branches that are judged together.  Exit status 1 where more than
``ERROR`` of branches, or of families, at the threshold get a failure.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from math import comb, prod

from analyzers.cloud.recall_statistics import (
    ERROR,
    FEWEST_INPUTS,
    ReachCount,
    recall_interval,
    rounds,
    schedule,
)

THRESHOLD = 0.75
RECALLS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
FAMILIES = 2000


@dataclass(frozen=True)
class Path:
    """What each enlargement brought, as ``(reached, inputs)``, and how it ended."""

    steps: tuple[tuple[int, int], ...]
    failure: bool
    finding: bool

    @property
    def inputs(self) -> int:
        return sum(inputs for _, inputs in self.steps)

    def chance(self, recall: float) -> float:
        return prod(chance(*step, recall) for step in self.steps)


@dataclass(frozen=True)
class Power:
    """Of branches with one true recall: shares with a failure or a finding, mean inputs."""

    failure: float
    finding: float
    inputs: float


@cache
def chance(reached: int, inputs: int, recall: float) -> float:
    return comb(inputs, reached) * recall**reached * (1 - recall) ** (inputs - reached)


def paths(inputs: int, steps: tuple[tuple[int, int], ...] = ()) -> Iterator[Path]:
    """Every way in which the looks at one branch can go."""
    looks, count = schedule(inputs), ReachCount()
    pending = list(steps)
    wanted = looks[0].inputs

    def fed() -> bool:
        if not pending:
            return False
        reached, more = pending.pop(0)
        count.reached, count.inputs = count.reached + reached, count.inputs + more
        return True

    if fed():
        asked = next((n for _, n in rounds([count], THRESHOLD, looks) if not fed()), None)
        if asked is None:
            yield Path(steps, count.fails(THRESHOLD), count.misses(THRESHOLD))
            return
        wanted = asked
    more = wanted - count.inputs
    for reached in range(more + 1):
        yield from paths(inputs, (*steps, (reached, more)))


def sequential(inputs: int, recalls: tuple[float, ...] = RECALLS) -> dict[float, Power]:
    """What the rule of looks does, by true recall."""
    return powers(list(paths(inputs)), recalls)


def fixed(inputs: int, recalls: tuple[float, ...] = RECALLS) -> dict[float, Power]:
    """What a rule of a fixed number does: a failure where the 95 % interval is clear."""
    found = [
        Path(
            ((reached, inputs),),
            recall_interval(reached, inputs)[1] < THRESHOLD,
            reached < THRESHOLD * inputs,
        )
        for reached in range(inputs + 1)
    ]
    return powers(found, recalls)


def powers(found: list[Path], recalls: tuple[float, ...]) -> dict[float, Power]:
    weights = {recall: [path.chance(recall) for path in found] for recall in recalls}
    return {
        recall: Power(
            sum(w for w, path in zip(each, found, strict=True) if path.failure),
            sum(w for w, path in zip(each, found, strict=True) if path.finding),
            sum(w * path.inputs for w, path in zip(each, found, strict=True)),
        )
        for recall, each in weights.items()
    }


def family(recalls: list[float], inputs: int, chances: random.Random) -> list[ReachCount]:
    """Branches with these true recalls, drawn, judged together to the end."""
    looks = schedule(inputs)
    counts = [
        ReachCount(drawn(recall, looks[0].inputs, chances), looks[0].inputs) for recall in recalls
    ]
    for place, wanted in rounds(counts, THRESHOLD, looks):
        count = counts[place]
        count.reached += drawn(recalls[place], wanted - count.inputs, chances)
        count.inputs = wanted
    return counts


def drawn(recall: float, inputs: int, chances: random.Random) -> int:
    return sum(chances.random() < recall for _ in range(inputs))


def false_alarms(size: int, inputs: int = 10, families: int = FAMILIES) -> tuple[float, float]:
    """Of families at the threshold: the share with a failure, by looks and by a fixed number."""
    chances = random.Random(size)
    ours = theirs = 0
    for _ in range(families):
        counts = family([THRESHOLD] * size, inputs, chances)
        ours += any(count.fails(THRESHOLD) for count in counts)
        plain = (drawn(THRESHOLD, inputs, chances) for _ in range(size))
        theirs += any(recall_interval(reached, inputs)[1] < THRESHOLD for reached in plain)
    return ours / families, theirs / families


def main() -> int:
    worst = 0.0
    for inputs in (10, 20):
        ours, theirs = sequential(inputs), fixed(inputs)
        worst = max(worst, ours[THRESHOLD].failure)
        print(f"\n--inputs {inputs}, threshold {THRESHOLD}, nothing under {FEWEST_INPUTS} inputs")
        print("| true recall | failure: looks | fixed | said at all: looks | fixed | mean inputs |")
        print("|---|---|---|---|---|---|")
        for recall in RECALLS:
            one, other = ours[recall], theirs[recall]
            print(
                f"| {recall:.2f} | {one.failure:.1%} | {other.failure:.1%} "
                f"| {one.finding:.1%} | {other.finding:.1%} | {one.inputs:.1f} |"
            )
    print(f"\nfamilies at the threshold with a failure, {FAMILIES} drawn, --inputs 10")
    print("| branches | looks | fixed |\n|---|---|---|")
    for size in (1, 3, 10):
        one, other = false_alarms(size)
        worst = max(worst, one)
        print(f"| {size} | {one:.1%} | {other:.1%} |")
    return 0 if worst <= ERROR else 1


if __name__ == "__main__":
    sys.exit(main())
