"""Search that starts from how the project itself is used.

Its documents, docstrings and tests hold programs that use the changed function; they are run
on base and on head as they stand, then varied.  Base decides what is valid: a program that
fails there at one statement is compared up to the statement before.
"""

from __future__ import annotations

import ast
import random
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, zip_longest
from posixpath import basename

from analyzers.criteria import is_crash
from analyzers.drivers.definitions import Definitions
from analyzers.drivers.usage_programs import Driver, ProjectNames, drivers_of
from analyzers.drivers.variations import Edit, Variations, shrunk, varied
from analyzers.inference.facts import ProjectTexts, parse_module
from analyzers.inference.function_lookup import find_function
from analyzers.ports import Executor
from analyzers.properties.base_search import ComparedRun, changed_lines, words_at
from analyzers.vocabulary import NotRun, Probe, Program, Returned, Run, Target, TimedOut

MOST_DRIVERS, MOST_VARIED = 16, 4
MOST_RUNS = 1500
MOST_COMBINED = 1000
BATCH, FIRST_BATCH = 48, 4
SECONDS, SHARE = 25.0, 0.5
UNVARIED_SHARE = 0.5
SLOW_SECONDS = 0.2
_UNDECIDED = NotRun | TimedOut
_NOT_ON_HEAD = Run(NotRun("base does not take it"))


@dataclass(slots=True)
class DriverRuns:
    """The compared runs of programs that reach a target, and what was used.

    ``drivers`` are the places of the programs that reach it, unvaried or varied;
    ``changed_line`` is the first line of the target that is not as on base.
    """

    compared: list[ComparedRun] = field(default_factory=list[ComparedRun])
    drivers: list[str] = field(default_factory=list[str])
    changed_line: int = 0


@dataclass(slots=True)
class _Known:
    """A driver that base runs, with the edits that make it small and those that base takes."""

    variations: Variations
    seconds: float
    reaches: bool
    edits: tuple[Edit, ...] = ()
    accepted: list[Edit] = field(default_factory=list[Edit])

    @property
    def driver(self) -> Driver:
        return self.variations.driver


def driver_runs(target: Target, bench: Executor) -> DriverRuns:
    """Run and vary the project's own programs that use a target; return what base takes."""
    head = find_function(target.path, target.function, ProjectTexts(bench))
    there = bench.base(target.path)
    if head is None or there is None:
        return DriverRuns()
    lines = frozenset(
        line for each in head.node.body for line in range(each.lineno, (each.end_lineno or 0) + 1)
    )
    return _Search(target, lines, there[1], bench).run()


@dataclass(slots=True)
class _Search:
    target: Target
    lines: frozenset[int]
    before: str
    bench: Executor
    found: DriverRuns = field(default_factory=DriverRuns)
    tried: set[str] = field(default_factory=set[str])
    until: float = 0.0

    def run(self) -> DriverRuns:
        drivers = self._ranked()
        if not drivers:
            return self.found
        texts = self._texts()
        changed = changed_lines(self.before, self.bench.source(self.target.path))[1]
        self.found.changed_line = min(changed & self.lines, default=0)
        self.until = time.monotonic() + min(SECONDS, SHARE * self.bench.remaining())
        known = list(self._unvaried(drivers, Definitions.of(texts)))
        reaching = [each for each in known if each.reaches]
        chosen = sorted(reaching, key=lambda each: each.seconds)[:MOST_VARIED] or known[:2]
        for each in chosen:
            self._make_small(each)
        self._vary(chosen)
        return self.found

    def _texts(self) -> dict[str, str]:
        """Return the texts of the project, as on base where they were there."""
        found: dict[str, str] = {}
        for path in self.bench.paths():
            there = self.bench.base(path)
            found[path] = self.bench.source(path) if there is None else there[1]
        return found

    def _ranked(self) -> list[Driver]:
        """Return head's drivers that use the target's names, the likeliest first.

        What a change takes out of documents and tests is not promised any more.
        """
        texts = {path: self.bench.source(path) for path in self.bench.paths()}
        names = ProjectNames(texts)
        parts = [part for part in self.target.function.split(".") if part.isidentifier()]
        own = [part for part in parts if not part.startswith("__")]
        near = {
            node.name
            for node in (parse_module(self.before) or ast.Module([], [])).body
            if isinstance(node, ast.FunctionDef | ast.ClassDef)
        }
        module = basename(self.target.path).removesuffix(".py")
        words = {**dict.fromkeys(near, 2.0), module: 1.0, **dict.fromkeys(own, 4.0)}
        weighed: list[tuple[float, int, int, Driver]] = []
        for place, driver in enumerate(drivers_of(texts, names)):
            used = set(re.findall(r"\w+", driver.source))
            score = sum(weight for word, weight in words.items() if word in used)
            score = min(score, 12.0)
            if score:
                weighed.append((-score, driver.kind, place, driver))
        return [driver for *_, driver in sorted(weighed, key=lambda each: each[:3])][:MOST_DRIVERS]

    def _unvaried(self, drivers: Sequence[Driver], definitions: Definitions) -> Iterator[_Known]:
        begun = time.monotonic()
        allotted = UNVARIED_SHARE * (self.until - begun)
        hot, names = self._hot(), frozenset(self.target.function.split("."))
        waiting = iter(drivers)
        while batch := list(islice(waiting, FIRST_BATCH)):
            made = [Variations(each, definitions, hot, names) for each in batch]
            runs = self._compared([(each, ()) for each in made])
            for each, run in zip(made, runs, strict=True):
                if run is not None:
                    reaches = bool(self.lines & run.head.lines)
                    yield _Known(each, max(run.base.seconds, run.head.seconds), reaches)
            if time.monotonic() - begun > allotted:
                return

    def _hot(self) -> Mapping[str, float]:
        """Return the identifiers on changed lines, and in the conditions around them."""
        texts = self.before, self.bench.source(self.target.path)
        found: dict[str, float] = {}
        for text, lines in zip(texts, changed_lines(*texts), strict=True):
            found.update(dict.fromkeys(words_at(text, lines), 1.0))
        for text in texts:
            for node in ast.walk(parse_module(text) or ast.Module([], [])):
                targets = node.targets if isinstance(node, ast.Assign) else []
                attributes = {t.attr for t in targets if isinstance(t, ast.Attribute)}
                if attributes & found.keys():
                    assert isinstance(node, ast.Assign)
                    read = (n.id for n in ast.walk(node.value) if isinstance(n, ast.Name))
                    found.update({name: 0.6 for name in read if name not in found})
        return found

    def _make_small(self, known: _Known) -> None:
        """Shrink the large numbers of a slow driver while it still reaches the target."""
        if known.seconds < SLOW_SECONDS:
            return
        edits = shrunk(known.variations.tree, known.driver.fixed)
        for chosen in [tuple(edits), *((each,) for each in edits)] if edits else ():
            together = chosen if len(chosen) > 1 else (*known.edits, *chosen)
            run = self._compared([(known.variations, together)])[0]
            if run is None or (known.reaches and not self.lines & run.head.lines):
                continue
            known.edits, known.seconds = together, max(run.base.seconds, run.head.seconds)
            if known.seconds < SLOW_SECONDS:
                return

    def _vary(self, chosen: Sequence[_Known]) -> None:
        plans = [[(known, (edit,)) for edit in known.variations.edits()] for known in chosen]
        mixed = (each for group in zip_longest(*plans) for each in group if each is not None)
        self._run_all(mixed)
        self._run_all(self._combined(chosen))

    def _combined(self, chosen: Sequence[_Known]) -> Iterator[tuple[_Known, tuple[Edit, ...]]]:
        """Yield two to three edits together that base takes alone."""
        rng = random.Random(0)  # noqa: S311 - no secret
        ready = [each for each in chosen if len(each.accepted) > 1]
        for _ in range(MOST_COMBINED if ready else 0):
            known = rng.choice(ready)
            weights = [each.weight for each in known.accepted]
            drawn = rng.choices(known.accepted, weights, k=rng.choice((2, 2, 3)))
            edits = tuple(dict.fromkeys(drawn))
            places = [(node, each.kind) for each in edits for node in each.nodes]
            if len(edits) > 1 and len(set(places)) == len(places):
                yield known, edits

    def _run_all(self, plans: Iterator[tuple[_Known, tuple[Edit, ...]]]) -> None:
        while self._goes_on():
            batch = list(islice(plans, BATCH))
            if not batch:
                return
            runs = self._compared([(k.variations, (*k.edits, *edits)) for k, edits in batch])
            for (known, edits), run in zip(batch, runs, strict=True):
                if run is not None and len(edits) == 1:
                    known.accepted.append(edits[0])
            if any(is_crash(e.head.ending) and not e.unsure for e in self.found.compared):
                self.until = min(self.until, time.monotonic())

    def _goes_on(self) -> bool:
        return time.monotonic() < self.until and len(self.tried) < MOST_RUNS

    def _compared(
        self, plans: Sequence[tuple[Variations, tuple[Edit, ...]]]
    ) -> list[ComparedRun | None]:
        """Run programs on both revisions; return of each the run that base takes, if any.

        Where base, or the program itself on head, fails at a statement, what is compared is
        the program up to it.
        """
        probes = {n: probe for n, plan in enumerate(plans) if (probe := self._probe(*plan))}
        found: list[ComparedRun | None] = [None] * len(plans)
        shortened: dict[int, Probe] = {}
        for number, run in self._both(probes):
            ends_early = not isinstance(run.base.ending, Returned)
            if not ends_early and not isinstance(run.head.ending, _UNDECIDED):
                found[number] = run
                continue
            completed = (run.base if ends_early else run.head).completed
            shorter = _prefix(run.probe, completed, plans[number][0].driver.fixed)
            if shorter is not None and self._is_new(shorter):
                shortened[number] = shorter
        for number, run in self._both(shortened):
            if isinstance(run.base.ending, Returned) and not isinstance(
                run.head.ending, _UNDECIDED
            ):
                found[number] = run
        for (variations, edits), taken in zip(plans, found, strict=True):
            if taken is not None and self.lines & taken.head.lines:
                unsure = any(each.guessed for each in edits)
                self.found.compared.append(replace(taken, unsure=unsure))
                if variations.driver.place not in self.found.drivers:
                    self.found.drivers.append(variations.driver.place)
        return found

    def _both(self, probes: Mapping[int, Probe]) -> Iterator[tuple[int, ComparedRun]]:
        """Run programs on base, and on head those that return there."""
        given = list(probes.values())
        bases = self.bench.run_on_base(given) if given else ()
        if bases is None:
            self.until = 0.0
            return
        returned = [
            probe
            for probe, run in zip(given, bases, strict=True)
            if isinstance(run.ending, Returned)
        ]
        heads = iter(self.bench.run(returned))
        for number, probe, base in zip(probes, given, bases, strict=True):
            head = next(heads) if isinstance(base.ending, Returned) else _NOT_ON_HEAD
            yield number, ComparedRun(probe, base, head)

    def _probe(self, variations: Variations, edits: tuple[Edit, ...]) -> Probe | None:
        """Return the probe of a variation; ``None`` where it was tried, or is no program."""
        try:
            source = varied(variations.tree, edits)
        except (SyntaxError, ValueError, RecursionError):
            return None
        says = ", ".join(each.says for each in edits)
        program = Program(source, variations.driver.place, says, len(edits))
        probe = Probe(self.target.id, {}, (), observed=True, program=program)
        return probe if self._is_new(probe) else None

    def _is_new(self, probe: Probe) -> bool:
        source = "" if probe.program is None else probe.program.source
        new = source not in self.tried
        self.tried.add(source)
        return new


def _prefix(probe: Probe, completed: int, fixed: int) -> Probe | None:
    """Return the program of the statements that ended, where those do more than import."""
    if probe.program is None or completed <= fixed:
        return None
    body = ast.parse(probe.program.source).body[:completed]
    if all(isinstance(each, ast.Import | ast.ImportFrom) for each in body[fixed:]):
        return None
    source = ast.unparse(ast.Module(body, []))
    return replace(probe, program=replace(probe.program, source=source))
