"""Search that starts from how the project itself is used.

Its documents, docstrings and tests hold programs that use what changed; they are run once for
all changed functions, on base and on head, as they stand and then varied.  Base decides what is
valid: a program that fails there at one statement is compared up to the statement before.
"""

from __future__ import annotations

import ast
import random
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, zip_longest

from analyzers.catalogue import asks_cloud
from analyzers.criteria import is_crash, is_refused_call
from analyzers.drivers.closed_plots import without_plots
from analyzers.drivers.definitions import Definitions, relevant_texts
from analyzers.drivers.documented_values import DocumentedValues
from analyzers.drivers.program_ranking import (
    MODULE,
    OWN,
    callers_of,
    flags_of,
    ranked,
    rare_words,
    texts_to_read,
    weights_of,
)
from analyzers.drivers.promises import ASSERTED, asserted
from analyzers.drivers.registered_names import registered_names, registered_programs
from analyzers.drivers.repeated_calls import call_again
from analyzers.drivers.tests_as_programs import tables
from analyzers.drivers.usage_programs import Driver, Kind, ProjectNames, drivers_of
from analyzers.drivers.variations import (
    Edit,
    Variations,
    batch_of_two,
    first_rounds,
    shrunk,
    varied,
)
from analyzers.inference.facts import FunctionContext, ProjectTexts, parse_module
from analyzers.inference.function_lookup import find_function
from analyzers.ports import Executor
from analyzers.properties.base_comparison import is_different, lacks_kernel
from analyzers.properties.base_search import ComparedRun, words_at
from analyzers.properties.documented_failures import (
    FailedExample,
    binding_statement,
    names_nan,
    variable_of_nan,
)
from analyzers.properties.driver_runs import OWN_ERRORS, DriverStudy, Subject, changed_functions
from analyzers.source_checks.changed_source import changed_lines
from analyzers.vocabulary import (
    NotRun,
    Probe,
    Program,
    Raised,
    Returned,
    Run,
    RunOutcome,
    Target,
    TimedOut,
)

MOST_DRIVERS, MOST_VARIED, MOST_SUBJECTS, ENOUGH_PLACES = 64, 4, 50, 4
MOST_RUNS = 1500
MOST_COMBINED, BATCHED_SHARE = 1000, 0.7
MOST_AGAIN = 6
HIDDEN = 3.0
BATCH, FIRST_BATCH, BATCH_SECONDS = 48, 4, 1.5
SECONDS, SECONDS_EACH = 22.0, 3.0
COSTLY = 2.0
"""Of a program that takes so long and differs no variation is run: to tell of it takes several."""
SHARE, SHARE_OF_MANY = 0.4, 0.7
"""The part of the time that is left: for one changed function, and for so many that hardly one
has a turn of its own afterwards."""
SHARE_OF_CLOUD, LEAST_OF_CLOUD = 0.15, 6.0
"""The part for functions that all ask ML APIs: a program gets no further than its first request.
Where that are fewer seconds, starting programs would take more than they show.
"""
UNVARIED_SHARE, UNVARIED_SHARE_OF_MANY = 0.5, 0.8
SHARE_ALONE, LEAST_SECONDS = 0.5, 10.0
"""The part of the time for files that have no base, and what each gets at least meanwhile."""
SLOW_SECONDS = 0.05
LONGEST, SHORTEST, PATIENCE = 3.0, 1.0, 8.0
LONGEST_ALONE, MOST_ALONE = 8.0, 2
"""The limit of a slow program that alone names a change, and how many have it in a batch."""
LEAST_PROGRAMS = 12
"""So many programs may meet the limit of one before the time of all is spent."""
_UNDECIDED = NotRun | TimedOut


@dataclass(slots=True)
class _Known:
    """A driver that base runs, with the edits that make it small and those that base takes.

    ``batched`` makes a batch of two of one.
    """

    variations: Variations
    run: ComparedRun
    edits: tuple[Edit, ...] = ()
    batched: tuple[Edit, ...] = ()
    accepted: list[Edit] = field(default_factory=list[Edit])

    @property
    def driver(self) -> Driver:
        return self.variations.driver

    @property
    def seconds(self) -> float:
        return max(self.run.base.seconds, self.run.head.seconds)


def driver_study(bench: Executor) -> DriverStudy:
    """Run and vary the project's own programs that use what changed; once for a change."""
    return bench.once("drivers", lambda: _studied(bench))


def _studied(bench: Executor) -> DriverStudy:
    """Study a change as one; where base has none of its files, each file by itself."""
    subjects = changed_functions(bench)
    if any(bench.base(each.target.path) is not None for each in subjects):
        return _Search(bench, subjects[:MOST_SUBJECTS]).run()
    files: dict[str, list[Subject]] = {}
    for each in subjects:
        files.setdefault(each.target.path, []).append(each)
    found = DriverStudy(subjects)
    least = (1 - SHARE_ALONE) * bench.remaining()
    for number, group in enumerate(files.values()):
        left = bench.remaining() - least
        if left <= 0:
            break
        seconds = max(LEAST_SECONDS, left / (len(files) - number))
        study = _Search(bench, group[:MOST_SUBJECTS], min(left, seconds), Kind.DOCSTRING).run()
        found.alone += study.alone
        found.failing += study.failing
    return found


@dataclass(slots=True)
class _Search:
    bench: Executor
    subjects: Sequence[Subject]
    seconds: float = float("inf")
    nearest: Kind = Kind.TEST
    tried: set[str] = field(default_factory=set[str])
    begun: float = 0.0
    until: float = float("inf")
    found: DriverStudy = field(init=False)
    longest: float = LONGEST
    batch: int = BATCH
    names: ProjectNames = field(default_factory=lambda: ProjectNames({}))
    slow: set[str] = field(default_factory=set[str])
    failing: list[tuple[Variations, Sequence[Edit], ComparedRun]] = field(
        default_factory=list[tuple[Variations, Sequence[Edit], ComparedRun]]
    )
    documented: list[tuple[Variations, ComparedRun]] = field(
        default_factory=list[tuple[Variations, ComparedRun]]
    )

    def __post_init__(self) -> None:
        self.found = DriverStudy(self.subjects)

    def run(self) -> DriverStudy:
        if self._is_cloud and self._time() < LEAST_OF_CLOUD:
            return self.found
        drivers = self._ranked() if self.subjects else []
        if not drivers:
            return self.found
        self.longest = max(SHORTEST, min(LONGEST, self._time() / LEAST_PROGRAMS))
        used = {word for each in drivers for word in re.findall(r"\w+", each.source)}
        texts = relevant_texts(self._texts(), used, self._words())
        self.found.definitions = Definitions.of(texts, [head for _, head in self._changed_texts()])
        known = list(self._unvaried(drivers, self.found.definitions))
        compared = self.found.compared
        if any(is_different(e) and max(e.base.seconds, e.head.seconds) > COSTLY for e in compared):
            return self.found
        chosen = self._chosen(known)
        for each in chosen:
            if self._goes_on():
                self.longest = max(self.longest, min(LONGEST_ALONE, 2 * each.seconds))
                self._make_small(each)
                self._make_batched(each)
        chosen += self._calls_again(chosen)
        slowest = max((each.seconds for each in chosen), default=LONGEST)
        self.longest = max(2 * slowest, min(LONGEST, max(SHORTEST, PATIENCE * slowest)))
        self.batch = max(FIRST_BATCH, min(BATCH, int(BATCH_SECONDS / max(slowest, 1e-3))))
        self._vary(chosen)
        self._keep_failing(chosen)
        return self.found

    def _texts(self) -> dict[str, str]:
        """Return the texts of the project, as on base where they were there."""
        found: dict[str, str] = {}
        for path in self.bench.paths():
            there = self.bench.base(path)
            found[path] = self.bench.source(path) if there is None else there[1]
        return found

    def _paths(self) -> list[str]:
        return list(dict.fromkeys(each.target.path for each in self.subjects))

    def _changed_texts(self) -> Iterator[tuple[str, str]]:
        """Yield the texts of each changed file, on base and on head."""
        for path in self._paths():
            there = self.bench.base(path)
            yield "" if there is None else there[1], self.bench.source(path)

    def _ranked(self) -> list[Driver]:
        """Return head's drivers that use a changed function's names, the likeliest of each first.

        What a change takes out of documents and tests is not promised any more.
        """
        texts = {path: self.bench.source(path) for path in self.bench.paths()}
        self.names = ProjectNames(texts)
        changed = dict.fromkeys(each.target.function.split(".")[0] for each in self.subjects)
        listed, registered = tables(texts, changed), registered_names(texts, changed)
        alone = self.nearest is Kind.DOCSTRING
        words = (set(changed) if alone else self._words()).union(*registered.values())
        hidden = dict.fromkeys(listed, HIDDEN)
        weights = [{**hidden, **self._weights(each.target)} for each in self.subjects]
        near = [{**dict.fromkeys(words, MODULE), **each} for each in weights]
        paths = texts_to_read(texts, near)
        drivers = list(drivers_of(texts, self.names, words, listed, paths))
        drivers += registered_programs(registered, drivers)
        used = [each.words for each in drivers]
        hot = dict.fromkeys(rare_words(self._hot(), used), OWN)
        order = ranked([{**hot, **each} for each in weights], used, [e.kind for e in drivers])
        found = sorted((drivers[place] for place in order), key=self._is_late)
        return list(map(without_plots, found[:MOST_DRIVERS]))

    def _is_late(self, driver: Driver) -> bool:
        """Return whether a program is of a kind beyond tests, or beyond what is nearest."""
        return self.nearest < min(driver.kind, Kind.TEST)

    def _words(self) -> set[str]:
        return {word for each in self.subjects for word in self._weights(each.target)}

    def _weights(self, target: Target) -> Mapping[str, float]:
        shared = self.names.is_shared(target.function.split(".")[0])
        return weights_of(target, self._before(target), shared=shared)

    def _before(self, target: Target) -> str:
        """Return the text of a target's file on base."""
        there = self.bench.base(target.path)
        return "" if there is None else there[1]

    def _users(self, target: Target) -> set[str]:
        """Return the names by which programs surely use a function: its own, or its callers'."""
        own = target.function.split(".")[0]
        callers = set(callers_of(target, self._before(target)))
        return callers if callers and self.names.is_shared(own) else {own, *callers}

    def _unvaried(self, drivers: Sequence[Driver], definitions: Definitions) -> Iterator[_Known]:
        """Yield the drivers that base takes; those that name what none reached yet come first."""
        hot, names = self._hot(), self._names()
        documented = DocumentedValues(definitions, self._texts())
        waiting = [(each.words, each) for each in drivers]
        missing = {each.target.id: self._users(each.target) for each in self.subjects}
        while waiting:
            users = set[str]().union(*missing.values())
            waiting.sort(key=lambda e: (e[0].isdisjoint(users), e[1].kind > self.nearest))
            many = FIRST_BATCH if self.tried else FIRST_BATCH // 2
            batch, waiting = waiting[:many], waiting[many:]
            made = [Variations(each, definitions, hot, names, documented) for _, each in batch]
            known = list(self._shortened(made if self.slow else []))
            small = {id(each.variations) for each in known if self._reached(each.run)}
            left = [each for each in made if id(each) not in small]
            known += self._taken([(each, ()) for each in left])
            if not small and missing:
                slow = [each for each in made if self._is_slow(each)]
                known += self._shortened(slow)
                named = [e for e in slow if not e.driver.words.isdisjoint(users)]
                if not any(self._reached(each.run) for each in known):
                    known += self._patiently(named[:MOST_ALONE])
            yield from known
            ran = (*(each.run for each in known), *self.found.alone)
            for name in {name for run in ran for name in self._reached(run)}:
                missing.pop(name, None)
            if not missing:
                near = self._named_by(ran)
                waiting = [each for each in waiting if not near or not near.isdisjoint(each[0])]
            share = self._share(UNVARIED_SHARE, UNVARIED_SHARE_OF_MANY)
            spent = time.monotonic() - self.begun > share * (self.until - self.begun)
            if spent or all(map(self._is_known_well, self.subjects)):
                return

    def _patiently(self, slow: Sequence[Variations]) -> Iterator[_Known]:
        """Yield drivers that met the limit as they stand, with a longer one."""
        usual = self.longest
        left = self.until - time.monotonic()
        self.longest = max(usual, min(LONGEST_ALONE, left / (1 + len(slow))))
        self.tried -= {varied(each.tree, ()) for each in slow}
        yield from self._taken([(each, ()) for each in slow])
        self.longest = usual

    def _named_by(self, runs: Sequence[ComparedRun]) -> set[str]:
        """Return the definitions of the changed files that programs name which reach a change."""
        programs = (run.probe.program for run in runs if self._reached(run))
        words = {w for each in programs if each for w in re.findall(r"\w+", each.source)}
        trees = (parse_module(text) for texts in self._changed_texts() for text in texts)
        nodes = (node for tree in trees if tree is not None for node in tree.body)
        return words & {e.name for e in nodes if isinstance(e, ast.FunctionDef | ast.ClassDef)}

    def _shortened(self, slow: Sequence[Variations]) -> Iterator[_Known]:
        """Yield drivers with small numbers and one round of each loop, or with that alone.

        Where one of them is slow, this comes before the others as they stand.
        """
        for share in (16, 4, None):
            plans: list[tuple[Variations, tuple[Edit, ...]]] = []
            for each in slow:
                edits = _smaller(each, share)
                if edits and time.monotonic() < self.until:
                    plans.append((each, tuple(edits)))
            taken = list(self._taken(plans))
            yield from taken
            reaching = [known.variations for known in taken if self._reached(known.run)]
            slow = [each for each in slow if all(each is not other for other in reaching)]

    def _taken(self, plans: Sequence[tuple[Variations, tuple[Edit, ...]]]) -> Iterator[_Known]:
        """Yield the drivers that base takes with the edits planned, or head where base cannot."""
        for (variations, edits), run in zip(plans, self._compared(plans), strict=True):
            program = None if run is None else run.probe.program
            if run is None or program is None:
                continue
            if isinstance(run.base.ending, NotRun):  # it ends where head ends
                driver = replace(variations.driver, source=program.source, says=program.variation)
                yield _Known(replace(variations, driver=driver), run)
            else:
                yield _Known(variations, run, edits)

    def _is_known_well(self, subject: Subject) -> bool:
        """Return whether programs of several places run all that changed in a function.

        One is enough where some are slow: variations tell more than further programs.
        """
        runs = [*self.found.compared, *self.found.alone]
        places = {r.probe.program and r.probe.program.place for r in runs if subject.is_reached(r)}
        lines, covered = subject.covered(runs)
        return len(places) >= (1 if self.slow else ENOUGH_PLACES) and lines == covered

    def _is_slow(self, variations: Variations) -> bool:
        """Return whether the unvaried program met a limit."""
        return varied(variations.tree, ()) in self.slow

    def _names(self) -> frozenset[str]:
        return frozenset(n for each in self.subjects for n in each.target.function.split("."))

    def _chosen(self, known: Sequence[_Known]) -> list[_Known]:
        """Return the drivers to vary: for each changed function those that run nearest to it."""
        found: dict[int, _Known] = {}
        most = max(2, MOST_VARIED // max(1, len(self.subjects)))
        for subject in self.subjects:
            reaching = [each for each in known if subject.is_reached(each.run)]
            nearest = sorted(reaching, key=lambda e: (subject.distance(e.run), e.seconds))
            for each in nearest[:most]:
                found[id(each)] = each
        if found or self.found.alone:
            return list(found.values())
        places = {each.driver.place: each for each in reversed(known)}
        return list(reversed(places.values()))[:MOST_VARIED]

    def _calls_again(self, chosen: Sequence[_Known]) -> list[_Known]:
        """Return drivers that make once more what a program calls without naming it."""
        plans: list[tuple[Variations, tuple[Edit, ...]]] = []
        for subject in self.subjects:
            reaching = [each for each in chosen if subject.is_reached(each.run)]
            near = min(reaching, key=lambda each: each.seconds, default=None)
            function = self._same_function(subject.target)
            if near is None or function is None or _names_it(near.driver.source, function):
                continue
            source = varied(near.variations.tree, near.edits)
            again = call_again(replace(near.driver, source=source), function)
            if again is not None:
                plans.append((replace(near.variations, driver=again), ()))
        return list(self._taken(plans[:MOST_AGAIN]))

    def _same_function(self, target: Target) -> FunctionContext | None:
        """Return a changed function as the side with fewer parameters has it.

        ``None`` where the other side does not take the same calls.
        """
        sides = [ProjectTexts(self.bench), ProjectTexts(self.bench, on_base=True)]
        head, base = (find_function(target.path, target.function, texts) for texts in sides)
        if head is None or base is None:
            return None
        fewer, more = sorted((head, base), key=lambda each: len(each.node.args.defaults))
        return fewer if _takes_more(fewer.node.args, more.node.args) else None

    def _hot(self) -> Mapping[str, float]:
        """Return the identifiers on changed lines, and in the conditions around them."""
        found: dict[str, float] = {}
        for each in self.subjects:
            found.update(dict.fromkeys(flags_of(each.target, self._before(each.target)), 1.0))
        for texts in self._changed_texts():
            for text, lines in zip(texts, changed_lines(*texts), strict=True):
                found.update(dict.fromkeys(words_at(text, lines), 1.0))
        for text in (each for texts in self._changed_texts() for each in texts):
            for node in ast.walk(parse_module(text) or ast.Module([], [])):
                targets = node.targets if isinstance(node, ast.Assign) else []
                attributes = {t.attr for t in targets if isinstance(t, ast.Attribute)}
                if attributes & found.keys():
                    assert isinstance(node, ast.Assign)
                    read = (n.id for n in ast.walk(node.value) if isinstance(n, ast.Name))
                    found.update({name: 0.6 for name in read if name not in found})
        return found

    def _reached(self, run: ComparedRun) -> set[str]:
        return {each.target.id for each in self.subjects if each.is_reached(run)}

    def _make_small(self, known: _Known) -> None:
        """Shrink the large numbers of a slow driver while it still reaches the target."""
        if known.seconds < SLOW_SECONDS:
            return
        edits = _smaller(known.variations)
        for chosen in [tuple(edits), *((each,) for each in edits)] if edits else ():
            if not self._goes_on():
                return
            together = chosen if len(chosen) > 1 else (*known.edits, *chosen)
            run = self._compared([(known.variations, together)])[0]
            if run is None or not self._reached(known.run) <= self._reached(run):
                continue
            known.edits, known.run = together, run
            if known.seconds < SLOW_SECONDS:
                return

    def _make_batched(self, known: _Known) -> None:
        """Make a batch of two of one, where base takes that and it reaches as much."""
        edits = tuple(batch_of_two(known.variations.tree, known.driver.fixed))
        if not edits or isinstance(known.run.base.ending, NotRun):
            return
        run = self._compared([(known.variations, (*known.edits, *edits))])[0]
        if run is not None and self._reached(known.run) <= self._reached(run):
            known.batched = edits

    def _vary(self, chosen: Sequence[_Known]) -> None:
        """Run the edits of drivers: each alone, and for as long again several together."""
        plans = [
            [(known, (*known.batched, edit)) for edit in known.variations.edits()]
            for known in chosen
        ]
        mixed = [each for group in zip_longest(*plans) for each in group if each is not None]
        alone = [isinstance(known.run.base.ending, NotRun) for known, _ in mixed]
        said = [p for p, a in zip(mixed, alone, strict=True) if a and p[1][-1].documented]
        self._run_all(iter(said))
        if said:
            self._run_all(self._combined(chosen))
        begun = time.monotonic()
        self._run_all(iter(mixed))
        self.until = min(self.until, 2 * time.monotonic() - begun)
        self._run_all(self._combined(chosen))

    def _combined(self, chosen: Sequence[_Known]) -> Iterator[tuple[_Known, tuple[Edit, ...]]]:
        """Yield two to three edits together that base takes alone."""
        rng = random.Random(0)  # noqa: S311 - no secret
        ready = [each for each in chosen if len(each.accepted) > 1]
        for _ in range(MOST_COMBINED if ready else 0):
            known = rng.choice(ready)
            weights = [each.weight for each in known.accepted]
            drawn = rng.choices(known.accepted, weights, k=rng.choice((2, 2, 3)))
            also = known.batched if rng.random() < BATCHED_SHARE else ()
            edits = tuple(dict.fromkeys((*also, *drawn)))
            places = [(node, each.kind) for each in edits for node in each.nodes]
            if len(edits) > 1 and len(set(places)) == len(places):
                yield known, edits

    def _run_all(self, plans: Iterator[tuple[_Known, tuple[Edit, ...]]]) -> None:
        while self._goes_on():
            batch = list(islice(plans, self.batch))
            if not batch:
                return
            runs = self._compared([(k.variations, (*k.edits, *edits)) for k, edits in batch])
            for (known, edits), run in zip(batch, runs, strict=True):
                if run is not None and len(edits) == 1 + len(known.batched):
                    known.accepted.append(edits[-1])
            crashes = (e for e in self.found.compared if _is_grave(e))
            failing = {name for each in crashes for name in self._reached(each)}
            if len(failing) == len(self.subjects):
                self.until = 0.0

    def _goes_on(self) -> bool:
        return time.monotonic() < self.until and len(self.tried) < MOST_RUNS

    def _compared(
        self, plans: Sequence[tuple[Variations, tuple[Edit, ...]]]
    ) -> list[ComparedRun | None]:
        """Run programs on both revisions; return of each the run that base, or head alone, takes.

        Where base, or the program itself on head, fails at a statement, what is compared is
        the program up to it.
        """
        probes = {n: probe for n, plan in enumerate(plans) if (probe := self._probe(*plan))}
        found: list[ComparedRun | None] = [None] * len(plans)
        shortened: dict[int, Probe] = {}
        for number, run in self._both(probes):
            refuted = _refuted(run) if isinstance(run.base.ending, Returned) else None
            if refuted is not None:
                self.found.refuted.append(refuted)
            elif self._is_taken(run, *plans[number]):
                found[number] = run
                continue
            shorter = self._shorter(run, *plans[number])
            if shorter is not None:
                shortened[number] = shorter
        for number, run in self._both(shortened):
            if self._is_taken(run, *plans[number]):
                found[number] = run
        for (variations, edits), taken in zip(plans, found, strict=True):
            if taken is not None and _is_comparable(taken) and self._reached(taken):
                unsure = variations.driver.guessed or any(each.guessed for each in edits)
                self.found.compared.append(replace(taken, unsure=unsure))
        return found

    def _shorter(
        self, run: ComparedRun, variations: Variations, edits: Sequence[Edit]
    ) -> Probe | None:
        """Return a program up to where it fails, if that was not tried.

        One that is too slow is made small first.
        """
        driver = variations.driver
        absent = isinstance(run.base.ending, NotRun) and not run.base.completed
        decisive = run.head if absent or isinstance(run.base.ending, Returned) else run.base
        if _met_limit(decisive):
            assert run.probe.program is not None
            self.slow.add(run.probe.program.source)
            if not edits and _smaller(variations):
                return None
        shorter = _prefix(run.probe, decisive.completed, driver.fixed)
        return shorter if shorter is not None and self._is_new(shorter) else None

    def _is_taken(self, run: ComparedRun, variations: Variations, edits: Sequence[Edit]) -> bool:
        """Return whether base takes a program, or head one of what base lacks; keep the latter.

        What fails there is kept too.
        """
        if _is_comparable(run) or isinstance(run.base.ending, Returned):
            return _is_comparable(run) and not (edits and self._is_removed(run.head.ending))
        if isinstance(run.head.ending, Returned):
            if self._reached(run):
                self.found.alone.append(run)
                if edits and all(each.documented for each in edits):
                    self.documented.append((variations, run))
                return True
        elif _is_own_error(run.head.ending) and not isinstance(run.base.ending, Raised):
            self.failing.append((variations, edits, run))
        return False

    def _is_removed(self, ending: RunOutcome) -> bool:
        """Return whether a call is refused for a parameter that the change visibly takes out."""
        if not isinstance(ending, Raised) or not is_refused_call(ending):
            return False
        named = re.search(r"argument '(\w+)'", ending.message)
        if named is None:
            return False
        texts = ProjectTexts(self.bench, on_base=True)
        base = find_function(ending.path, ending.function, texts)
        if base is None:
            return False
        spec = base.node.args
        given = (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)
        return any(each.arg == named[1] for each in given)

    def _keep_failing(self, chosen: Sequence[_Known]) -> None:
        """Keep failures of what head alone has, one a place: with the fewest edits.

        A document or docstring says that its example is valid as it stands; descriptions say so
        of values that take the place of others, where the example itself returns.
        """
        known = {id(each.variations): each for each in chosen}
        kept: dict[tuple[str, str, int], ComparedRun] = {}
        paths = frozenset(self.bench.paths())
        for variations, edits, run in self.failing:
            ending, program = run.head.ending, run.probe.program
            assert isinstance(ending, Raised)
            assert program is not None
            text = self.bench.source(ending.path) if ending.path in paths else ""
            failed = FailedExample(program, edits, ending, run.head.completed, text)
            own = [each for each in self.subjects if each.is_at_fault(ending)]
            if id(variations) in known:
                said = failed.is_mistake(self.found.definitions)
                own += self._reached_by(run, failed.statement)
            else:
                said = variations.driver.kind <= Kind.DOCSTRING and not edits
            if said and own:
                probe = replace(run.probe, program=failed.shortest)
                place = (ending.exception, ending.path, ending.line)
                self._keep(kept, place, replace(run, probe=probe), own[0])
        for variations, run in self.documented:
            before = known.get(id(variations))
            name = None if before is None else variable_of_nan(before.run.head, run.head)
            program = run.probe.program
            if name is not None and program is not None:
                own = self._reached_by(run, binding_statement(program, name))
                if any(names_nan(each.target, self.bench) for each in own):
                    continue
                probe = replace(run.probe, ensures=(f"finite({name})",))
                self._keep(kept, ("nan", own[0].target.id, 0), replace(run, probe=probe), own[0])
        self.found.failing += kept.values()

    def _reached_by(self, run: ComparedRun, statement: str) -> list[Subject]:
        """Return the functions that a run executed, those first that a statement surely calls.

        Those that it names come first, then calls of objects, and constructors last.
        """

        def order(subject: Subject) -> tuple[bool, int, int]:
            name = subject.target.function.rpartition(".")[2]
            kind = 0 if name in ("forward", "__call__") else 2 if name == "__init__" else 1
            return not subject.is_named_in(statement), kind, -subject.target.line

        return sorted((each for each in self.subjects if each.is_reached(run)), key=order)

    @staticmethod
    def _keep(
        kept: dict[tuple[str, str, int], ComparedRun],
        place: tuple[str, str, int],
        run: ComparedRun,
        subject: Subject,
    ) -> None:
        before = kept.get(place)
        if before is None or _edits(run) < _edits(before):
            probe = replace(run.probe, target=subject.target.id, watched=(), observed=False)
            kept[place] = replace(run, probe=probe)

    def _both(self, probes: Mapping[int, Probe]) -> Iterator[tuple[int, ComparedRun]]:
        """Run programs on base and on head."""
        given = list(probes.values())
        if not given:
            return
        pairs = self.bench.run_programs(given, self.longest)
        if pairs is None:
            self.until = 0.0
            return
        if self.until == float("inf"):  # the start of the processes does not count
            self.begun = time.monotonic()
            self.until = self.begun + self._time()
        for number, probe, (base, head) in zip(probes, given, pairs, strict=True):
            lacks = is_refused_call(base.ending)
            there = replace(base, ending=NotRun(_message(base.ending))) if lacks else base
            yield number, ComparedRun(probe, there, head)

    def _time(self) -> float:
        """Return the seconds that the search may take from now on."""
        share = SHARE_OF_CLOUD if self._is_cloud else self._share(SHARE, SHARE_OF_MANY)
        left = share * self.bench.remaining()
        left = min(left, self.seconds)
        return min(SECONDS + SECONDS_EACH * len(self.subjects), left)

    @property
    def _is_cloud(self) -> bool:
        return all(asks_cloud(each.target) for each in self.subjects)

    def _share(self, of_one: float, of_many: float) -> float:
        """Return a part of the time that grows with the number of changed functions."""
        return of_many - (of_many - of_one) / max(1, len(self.subjects))

    def _probe(self, variations: Variations, edits: tuple[Edit, ...]) -> Probe | None:
        """Return the probe of a variation; ``None`` where it was tried, or is no program."""
        try:
            source = varied(variations.tree, edits)
        except (SyntaxError, ValueError, RecursionError):
            return None
        driver = variations.driver
        says = ", ".join([*filter(None, [driver.says]), *(each.says for each in edits)])
        program = Program(source, driver.place, says, len(edits) + bool(driver.says))
        first = self.subjects[0].target.id
        watched = tuple(self._paths())
        probe = Probe(first, {}, (), observed=True, program=program, watched=watched)
        return probe if self._is_new(probe) else None

    def _is_new(self, probe: Probe) -> bool:
        source = "" if probe.program is None else probe.program.source
        new = source not in self.tried
        self.tried.add(source)
        return new


def _takes_more(fewer: ast.arguments, more: ast.arguments) -> bool:
    """Return whether one signature is the other without optional parameters at its end."""
    added = len(more.defaults) - len(fewer.defaults)
    same = ast.arguments(
        posonlyargs=more.posonlyargs,
        args=more.args[: len(more.args) - added],
        vararg=more.vararg,
        kwonlyargs=more.kwonlyargs,
        kw_defaults=more.kw_defaults,
        kwarg=more.kwarg,
        defaults=more.defaults[: len(more.defaults) - added],
    )
    return ast.dump(same) == ast.dump(fewer)


def _smaller(variations: Variations, share: int | None = 16) -> list[Edit]:
    """Return the edits that make a program small: parts of large numbers, one round of loops."""
    tree, fixed = variations.tree, variations.driver.fixed
    rounds = first_rounds(tree, fixed, variations.target)
    return [*(shrunk(tree, fixed, share) if share else ()), *rounds]


def _names_it(source: str, function: FunctionContext) -> bool:
    """Return whether a program calls a function itself, or an instance whose method it is."""
    called = function.owner is not None and function.node.name in ("forward", "__call__")
    names = {function.node.name, *([function.owner.name] if called and function.owner else [])}
    return not names.isdisjoint(re.findall(r"\w+", source))


def _prefix(probe: Probe, completed: int, fixed: int) -> Probe | None:
    """Return the program of the statements that ended, where those do more than import."""
    if probe.program is None or completed <= fixed:
        return None
    body = ast.parse(probe.program.source).body[:completed]
    if all(isinstance(each, ast.Import | ast.ImportFrom) for each in body[fixed:]):
        return None
    source = ast.unparse(ast.Module(body, []))
    return replace(probe, program=replace(probe.program, source=source))


def _refuted(run: ComparedRun) -> ComparedRun | None:
    """Return the program up to a call that asserts something, where head ends with its error.

    The assertion is the condition then.
    """
    ending, program = run.head.ending, run.probe.program
    failed = isinstance(ending, Raised) and ending.exception == "AssertionError"
    failed = failed or (isinstance(ending, NotRun) and ": AssertionError: " in ending.reason)
    if not failed or program is None:
        return None
    body = ast.parse(program.source).body
    each = body[run.head.completed] if run.head.completed < len(body) else None
    if not isinstance(each, ast.Assign) or not ast.unparse(each.targets[0]).startswith(ASSERTED):
        return None
    source = ast.unparse(ast.Module(body[: run.head.completed], []))
    condition = asserted(each.value)
    if not condition.endswith(" is None"):
        return None
    program = replace(program, source=source)
    probe = replace(run.probe, program=program, observed=False, ensures=(condition,))
    return replace(run, probe=probe)


def _is_grave(run: ComparedRun) -> bool:
    """Return whether head fails with values that it surely takes, on any device."""
    ending = run.head.ending
    return is_crash(ending) and not (run.unsure or lacks_kernel(ending))


def _is_comparable(run: ComparedRun) -> bool:
    """Return whether base takes a program, and it is known what head does."""
    decided = not isinstance(run.head.ending, _UNDECIDED)
    return isinstance(run.base.ending, Returned) and decided


def _message(ending: RunOutcome) -> str:
    return ending.message if isinstance(ending, Raised) else ""


def _edits(run: ComparedRun) -> int:
    return 0 if run.probe.program is None else run.probe.program.edits


def _is_own_error(ending: RunOutcome) -> bool:
    """Return whether code of the project raised by itself what nobody wants."""
    return is_crash(ending) and isinstance(ending, Raised) and ending.exception in OWN_ERRORS


def _met_limit(run: Run) -> bool:
    ending = run.ending
    return isinstance(ending, TimedOut) or (isinstance(ending, NotRun) and ending.our_fault)
