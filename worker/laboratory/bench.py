"""Trees to run on, and the bench that an analyzer works at."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from os import link
from pathlib import Path

from analyzers.guest.goals import instrument
from analyzers.ports import Plan
from analyzers.vocabulary import (
    Content,
    NotRun,
    Outcome,
    Probe,
    Run,
    Searched,
    Suggestion,
    Supply,
    Tally,
    Target,
    Wanted,
)
from worker.broker import Broker
from worker.environments import Environment
from worker.interruption import heed
from worker.laboratory.failures import GuestFailure, Unpreparable
from worker.laboratory.place import Place
from worker.laboratory.session import Session
from worker.sources import Sources
from worker.temporary import owned_folder

SPENT = Run(NotRun("the time budget was spent"))


@dataclass(frozen=True, slots=True)
class Tree:
    """One revision's files on disk, their texts by path, what they run in."""

    root: Path
    texts: Mapping[str, str]
    environment: Environment | None = None


@dataclass(frozen=True, slots=True)
class Laboratory:
    """Everything that runs share: the place, the engines, the sources, the plan."""

    place: Place
    broker: Broker
    sources: Sources
    plan: Plan
    head: Tree
    base: Tree
    left_out: tuple[str, ...] = ()

    def place_of(self, tree: Tree) -> Place:
        """Where the code of a tree runs."""
        return self.place.of(tree.environment)

    def describe(self) -> tuple[str, ...]:
        """What runs are made with, in sentences for the report."""
        isolation = "; ".join(self.place.isolation.layers)
        environments = [tree.environment for tree in (self.head, self.base)]
        notes = dict.fromkeys(note for each in environments if each for note in each.notes)
        return (f"isolation: {isolation}", *notes, *self.broker.describe(), *self.left_out)

    @contextmanager
    def patched(self, suggestion: Suggestion) -> Generator[Tree]:
        """A copy of head with the suggestion applied; gone afterwards."""
        with owned_folder("patched") as folder:
            root = folder / "tree"
            shutil.copytree(self.head.root, root, copy_function=link, symlinks=True)
            text = apply(self.head.texts[suggestion.path], suggestion)
            changed = root / suggestion.path
            changed.unlink()
            changed.write_text(text, encoding="utf-8", newline="")
            folder.chmod(0o755)
            texts = {**self.head.texts, suggestion.path: text}
            yield Tree(root, texts, self.head.environment)


def apply(source: str, suggestion: Suggestion) -> str:
    """The source with the suggestion's whole lines put in place."""
    lines = re.split(r"(?<=\n)|(?<=\r)(?!\n)", source)
    start, end = suggestion.start_line - 1, suggestion.end_line
    newline = "\r\n" if lines[start].endswith("\r\n") else "\n"
    replacement = suggestion.replacement.split("\n")
    return "".join([*lines[:start], *(line + newline for line in replacement), *lines[end:]])


@dataclass(slots=True)
class Counts:
    """What the host itself saw happen for one target."""

    executions: int = 0
    judged: int = 0
    hits: set[str] = field(default_factory=set[str])
    points: frozenset[str] = frozenset()
    unreachable: set[str] = field(default_factory=set[str])


class SandboxBench:
    """The bench of one target: probes go to a warm guest on head.

    Everything that was run is kept in ``history`` for confirming; results
    are counted here, never taken from the guest's word.
    """

    def __init__(self, laboratory: Laboratory, target: Target, deadline: float) -> None:
        self._laboratory = laboratory
        self._target = target
        self._deadline = deadline
        self._session: Session | None = None
        self._counts = Counts()
        self.history: list[tuple[Probe, Run]] = []
        self.standins: tuple[str, ...] = ()
        self.notes: tuple[str, ...] = ()
        self.outside: dict[str, None] = {}

    @property
    def plan(self) -> Plan:
        """How much to do."""
        return self._laboratory.plan

    def search(self, target: Target) -> Searched:
        """Search for the target's goals; an unloadable target is an obstacle."""
        heed()
        try:
            session = self._opened()
            searched = session.search(target.goals, self.plan.seed, max(1.0, self.remaining()))
        except Unpreparable as reason:
            return Searched(None, obstacle=str(reason))
        self.notes = session.prepared.notes
        return searched

    def inputs(self, wanted: Wanted, count: int) -> Supply:
        """Inputs from the sources."""
        supply = self._laboratory.sources.find(wanted, count, self.plan.seed)
        self._laboratory.broker.supplied(item.digest for item in supply.inputs)
        return supply

    def run(self, probes: Sequence[Probe]) -> Sequence[Run]:
        """Run the probes on head; a broken guest is started afresh once."""
        heed()
        if not probes:
            return []
        if self.remaining() <= 0:
            return [SPENT] * len(probes)
        try:
            runs = self._opened().run(probes)
        except GuestFailure:
            self.close()
            runs = self._opened().run(probes)
        self._count(probes, runs)
        return runs

    def substitute(self, api: str) -> bool:
        """Whether a local engine answers for this API."""
        return self._laboratory.broker.substitute(api)

    def source(self, path: str) -> str:
        """The head text of a project file."""
        return self._laboratory.head.texts[path]

    def unreachable(self, goal: str) -> None:
        """Record a goal that is proved unreachable."""
        self._counts.unreachable.add(goal)

    def remaining(self) -> float:
        """Seconds until the target's deadline."""
        return self._deadline - time.monotonic()

    def close(self) -> None:
        """End the guest."""
        if self._session is not None:
            self._session.close()
            self._session = None

    @property
    def judged(self) -> int:
        """How many runs say something about the target.

        Not those whose answers were made up for a target that takes inputs.
        """
        return self._counts.judged

    def tally(self) -> Tally:
        """What was done, for the report."""
        goals = {goal.id for goal in self._target.goals}
        branches = {p for p in self._counts.points if _is_branch_of(self._target, p)}
        return Tally(
            goals_total=len(goals),
            goals_reached=len(goals & self._counts.hits),
            goals_proved_unreachable=len(self._counts.unreachable),
            branches_total=len(branches),
            branches_covered=len(branches & self._counts.hits),
            executions=self._counts.executions,
        )

    def _opened(self) -> Session:
        if self._session is None:
            laboratory = self._laboratory
            self._session = Session(
                laboratory.place_of(laboratory.head),
                laboratory.head.root,
                self._target,
                laboratory.broker,
            )
            prepared = self._session.prepared
            self._counts.points = self._known_points() & frozenset(prepared.points)
            self.standins, self.notes = prepared.standins, prepared.notes
        return self._session

    def _known_points(self) -> frozenset[str]:
        """The points of the target's files as the host counts them, whatever the guest says."""
        texts = self._laboratory.head.texts
        with suppress(SyntaxError, ValueError, RecursionError):
            files = {*self._target.files, self._target.path} & texts.keys()
            return frozenset(p for path in files for p in instrument(texts[path], path)[1])
        return frozenset()

    def _count(self, probes: Sequence[Probe], runs: Sequence[Run]) -> None:
        for probe, run in zip(probes, runs, strict=True):
            self.outside.update(dict.fromkeys(run.outside))
            if not isinstance(run.ending, NotRun):
                self._counts.executions += 1
                self._counts.judged += _judged(probe)
                self._counts.hits |= run.hits
                self.history.append((probe.answered(run.exchanges), run))


def _judged(probe: Probe) -> bool:
    takes_inputs = any(isinstance(argument, Content) for argument in probe.arguments.values())
    return probe.script is None or not takes_inputs


def _is_branch_of(target: Target, point: str) -> bool:
    """Whether a point is an outcome of a whole decision of the target's function."""
    place, _, rest = point.rpartition("#")
    decision, _, outcome = rest.rpartition(":")
    return place == target.id and decision.isdigit() and outcome in tuple(Outcome)


def relocated(target: Target, paths: Mapping[str, str]) -> Target:
    """The target where its files have other paths (on base, after a rename)."""
    return replace(
        target,
        path=paths.get(target.path, target.path),
        files=tuple(paths.get(path, path) for path in target.files),
    )
