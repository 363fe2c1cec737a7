"""The host's view of one warm guest: a target on one tree, prepared to run."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import Self

from analyzers.guest.inputs.exploration.postconditions import HEAVY_WORDS
from analyzers.guest.runtime import exit_reasons
from analyzers.vocabulary import (
    AssembledRun,
    AssemblyRequest,
    Died,
    Exchange,
    ExecutionRequest,
    ExecutionResult,
    ExplorationRequest,
    ExplorationResult,
    Failure,
    Goal,
    NotRun,
    ObservedCall,
    Probe,
    Raised,
    RecordedCalls,
    RelationRequest,
    RelationResult,
    Run,
    RunOutcome,
    SearchResult,
    Target,
)
from worker.broker.api_broker import Broker
from worker.executor.execution_context import GuestRuntime
from worker.executor.exploration_codec import (
    explore_frame,
    explored_of,
    observe_frame,
    observed_of,
    postconditions_of,
    record_frame,
    recorded_of,
    relate_frame,
    related_of,
)
from worker.executor.guest_conversation import (
    GuestConversation,
    GuestEnded,
    GuestFailure,
    require_time,
    with_script_source,
)
from worker.executor.model_codec import assemble_frame, assembled_of, execute_frame, executed_of
from worker.executor.probe_codec import run_frame, run_of, searched_of
from worker.executor.target_preparation import (
    PreparedTarget,
    bounded_texts,
    prepare_frame,
    prepared_of,
)
from worker.sandbox.protocol.frame_shapes import BadFrame
from worker.sandbox.warm_sandbox import ForkedGuest
from worker.sandbox.warm_sandboxes import LoadedFile
from worker.system.tracing import phase, traced

MODEL_SECONDS = 75.0
"""A model is exported or compiled for one condition, which takes up to 40 s on a busy machine."""


def probe_time_limit(probe: Probe, seconds: float) -> float:
    """The limit of one probe that would have ``seconds`` for its call."""
    heavy = any(f"{word}(" in said for said in probe.ensures for word in HEAVY_WORDS)
    return max(seconds, MODEL_SECONDS) if heavy else seconds


def leading_same_limit(probes: Sequence[Probe], seconds: float) -> tuple[list[Probe], float]:
    """The first of the probes, as far as they have one limit, and that limit."""
    limit = probe_time_limit(probes[0], seconds)
    return list(takewhile(lambda each: probe_time_limit(each, seconds) == limit, probes)), limit


PREPARE_SECONDS = 60.0
CHEAP_SECONDS = 0.5
"""A guest that loads its target faster is ready sooner than another sandbox starts."""
PROBE_SECONDS = 10.0
RESOLVE_SECONDS = 20.0
MARGIN_SECONDS = 20.0
BUSY = 10.0
MUTATION_SECONDS = 10.0
SYMBOLIC_SECONDS = 10.0
SEARCH_SHARE, SEARCH_LEAST = 0.5, 4.0
"""The part of a target's time, as it passes, that a search may take on a busy machine."""
MAX_LIST = 3
MODULE_LEVEL = frozenset({"<module>", "__main__"})
MOST_DEATHS = 5
PROBES_A_FRAME = 200
MOST_QUESTIONS = 200


class Session:
    """One guest process with one target loaded; runs probes, one run each.

    A guest that dies under a probe costs that probe (``Died``, or ``NotRun`` by our fault at a
    limit); one that ends or breaks the protocol costs the session (``GuestFailure``).
    """

    def __init__(
        self,
        place: GuestRuntime,
        tree: Path,
        target: Target,
        broker: Broker,
        modules: Collection[str] | None = None,
        beside: Collection[str] | None = None,
    ) -> None:
        """``modules``: libraries that a forked guest has imported; ``None``: start afresh.

        ``beside`` are the files of other targets for which the guest may be kept, or was kept:
        ``None`` for a guest of its own.
        """
        require_time(place.until)
        self._target = target
        self._tree = tree
        self._place = place
        self._beside = beside
        kept = None if beside is None else place.kept_guest(tree, loaded_file(target))
        with phase("guest starts"):
            self._guest = kept or place.guest(tree, modules)
        self._is_forked = not kept and bool(modules) and isinstance(self._guest, ForkedGuest)
        self._layer = place.layer
        self.patience = place.limits.patience
        self._talk = GuestConversation(self._guest, broker, place.until)
        began = time.monotonic()
        try:
            self.prepared = self._prepare(place)
        except BaseException:
            self._guest.close()
            raise
        self._preparing = time.monotonic() - began

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    @property
    def used(self) -> frozenset[str]:
        """The libraries whose stand-ins were used by what ran so far."""
        return frozenset(self._talk.used)

    @property
    def is_cheap(self) -> bool:
        """Return whether another guest like this one would be ready at once."""
        return self._is_forked and self._preparing < CHEAP_SECONDS

    def release(self) -> None:
        """Keep the guest for another target of the file, or else end it."""
        guest, warm = self._guest, self._place.warm
        is_sound = self._talk.is_idle and guest.stopped is None
        if warm is None or self._beside is None or not isinstance(guest, ForkedGuest):
            self.close()
        elif is_sound:
            plan = self._place.launch_plan(self._tree)
            warm.keep(plan, loaded_file(self._target, self._beside), guest)
        else:
            self.close()

    def close(self) -> None:
        """End the guest and everything it started."""
        self._guest.close()

    @traced("run probes")
    def run(self, probes: Sequence[Probe], seconds: float = PROBE_SECONDS) -> list[Run]:
        """Run the probes in order, a run each; ``seconds`` is the limit of one without a model."""
        runs: list[Run] = []
        deaths = 0
        while len(runs) < len(probes):
            batch, limit = leading_same_limit(
                probes[len(runs) : len(runs) + PROBES_A_FRAME], seconds
            )
            try:
                runs += self._batch(batch, limit * self.patience)
            except GuestEnded as ended:
                ended.runs = runs
                raise
            ending = runs[-1].ending
            deaths += isinstance(ending, Died) or (isinstance(ending, NotRun) and ending.our_fault)
            if deaths >= MOST_DEATHS:
                rest = len(probes) - len(runs)
                runs += [Run(NotRun("the process died too often", our_fault=True))] * rest
        return runs

    @traced("search")
    def search(
        self, goals: Sequence[Goal], seed: int, seconds: float, texts: Sequence[str] = ()
    ) -> SearchResult:
        """Let the guest look for answers that reach the goals, with ``texts`` for plain words."""
        mutation = min(MUTATION_SECONDS * self.patience, seconds / 2)
        symbolic = min(SYMBOLIC_SECONDS * self.patience, seconds / 2)
        within = max(SEARCH_LEAST, SEARCH_SHARE * seconds)
        self._talk.send(
            {
                "type": "search",
                "goals": [goal.id for goal in goals],
                "seed": seed,
                "mutation_seconds": mutation,
                "symbolic_seconds": symbolic,
                "seconds": within,
                "max_list": MAX_LIST,
                "texts": list(texts),
                "layer": None if self._layer is None else str(self._layer),
            }
        )
        frame = next(self._talk.replies(host_timeout(mutation + symbolic)))
        self._note(frame.get("notes", ()))
        return searched_of(frame, self._target.id, {goal.id for goal in goals}, texts)

    @traced("explore")
    def explore(self, exploring: ExplorationRequest) -> tuple[ExplorationResult, frozenset[str]]:
        """Let the guest draw, run and shrink inputs; return also the points that occurred."""
        timeout = exploring.timeout * self.patience
        exploring = replace(exploring, timeout=timeout)
        self._talk.send(explore_frame(exploring, self._layer))
        frame = next(self._talk.replies(host_timeout(exploring.seconds + timeout)))
        explored = explored_of(frame, self._target.id, postconditions_of(exploring.contract))
        failures = tuple(map(self._placed_failure, explored.failures))
        hits = frozenset(self.prepared.points[number] for number in frame.get("hits", ()))
        return replace(explored, failures=failures), hits

    @traced("observe tests")
    def observe(
        self,
        functions: Sequence[str],
        tests: Sequence[str],
        seconds: float,
        documents: Sequence[str] = (),
    ) -> Sequence[ObservedCall]:
        """Let the guest run tests and examples of the project and watch calls of functions."""
        self._talk.send(observe_frame(functions, tests, seconds, self._layer, documents))
        frame = next(self._talk.replies(host_timeout(seconds)))
        self._note(frame["notes"])
        return observed_of(frame, functions, (*tests, *documents))

    @traced("run tests")
    def test(self, tests: Sequence[str], seconds: float) -> Mapping[str, bool]:
        """Let the guest run tests of the project; tell of each whether it passed."""
        self._talk.send(observe_frame((), tests, seconds, self._layer))
        frame = next(self._talk.replies(seconds + MARGIN_SECONDS))
        self._note(frame["notes"])
        found: Mapping[str, bool] = frame["outcomes"]
        return found

    def resolve(self, names: Sequence[str]) -> Mapping[str, str]:
        """Tell of dotted names whether the installed libraries have them."""
        self._talk.send({"type": "resolve", "names": list(names), "seconds": RESOLVE_SECONDS})
        frame = next(self._talk.replies(RESOLVE_SECONDS + MARGIN_SECONDS))
        states: Mapping[str, str] = frame["states"]
        return {name: states.get(name, "absent") for name in names}

    @traced("record calls")
    def record(self, probes: Sequence[Probe], seconds: float) -> RecordedCalls:
        """Let the guest run probes and watch their calls of a deep-learning library."""
        timeout = PROBE_SECONDS * self.patience
        self._talk.send(record_frame(probes, seconds, timeout))
        frame = next(self._talk.replies(host_timeout(seconds + timeout)))
        return recorded_of(frame, self._has)

    @traced("compare related calls")
    def relate(self, relating: RelationRequest) -> RelationResult:
        """Let the guest compare library calls with those that they should agree with."""
        timeout = PROBE_SECONDS * self.patience
        self._talk.send(relate_frame(relating, self._layer, timeout))
        frame = next(self._talk.replies(host_timeout(relating.seconds + timeout)))
        return related_of(frame, self._target.id, self._has)

    @traced("execute model")
    def execute(self, executing: ExecutionRequest) -> ExecutionResult:
        """Let the guest run a model by several executions."""
        timeout = MODEL_SECONDS * self.patience
        self._talk.send(execute_frame(executing, self._layer, timeout))
        frame = next(self._talk.replies(host_timeout(executing.seconds + timeout)))
        return executed_of(frame, self._target.id, self._has)

    @traced("assemble")
    def assemble(self, assembling: AssemblyRequest) -> Sequence[AssembledRun]:
        """Let the guest run variants of the target's file."""
        timeout = assembling.timeout * self.patience
        self._talk.send(assemble_frame(replace(assembling, timeout=timeout)))
        frame = next(self._talk.replies(host_timeout(assembling.seconds + timeout)))
        return assembled_of(frame, len(assembling.files))

    def _has(self, path: str) -> bool:
        return _is_in(self._tree, path)

    def _note(self, notes: Sequence[str]) -> None:
        together = (*self.prepared.notes, *bounded_texts(notes))
        self.prepared = replace(self.prepared, notes=tuple(dict.fromkeys(together)))

    def _placed_failure(self, failure: Failure) -> Failure:
        return replace(failure, run=self._placed(failure.run))

    @traced("imports")
    def _prepare(self, place: GuestRuntime) -> PreparedTarget:
        self._talk.send(prepare_frame(place, self._guest.root, self._target, self._beside or ()))
        return prepared_of(next(self._talk.replies(host_timeout(PREPARE_SECONDS * self.patience))))

    def _batch(self, probes: Sequence[Probe], seconds: float) -> list[Run]:
        asking = [probe for probe in probes if probe.script is None]
        self._talk.begin([item.content for probe in asking for item in probe.inputs])
        self._talk.send(run_frame(probes, seconds))
        runs: dict[int, Run] = {}
        replies = self._talk.replies(
            host_timeout(len(probes) * seconds),
            silence=host_timeout(seconds),
            questions=MOST_QUESTIONS * (len(probes) + 1),
        )
        while (frame := next(replies))["type"] == "ran":
            new = {result["index"]: result for result in frame["results"]}
            if len(new) < max(1, len(frame["results"])) or new.keys() & runs.keys():
                raise self._talk.failure(BadFrame("no result, or one twice"))
            for index, result in new.items():
                run = self._placed(run_of(result, self.prepared.points))
                script = probes[index].script
                runs[index] = self._answered(run) if script is None else _scripted(run, script)
        asked = len(probes)
        ended = frame["ended"]
        ordered: list[Run] = []
        while len(ordered) < asked and len(ordered) in runs:
            ordered.append(runs[len(ordered)])
        if len(ordered) == asked:
            return ordered
        if ended is None:
            raise GuestFailure("the guest left out results")
        return [*ordered, Run(_end_by(int(ended["signal"])))]

    def _answered(self, run: Run) -> Run:
        exchanges = tuple(map(self._talk.answered.confirmed, run.exchanges))
        confirmed = tuple(exchange for exchange in exchanges if exchange is not None)
        if len(confirmed) < len(exchanges):
            raise self._talk.failure(BadFrame("an answer that was never given"))
        return replace(run, exchanges=confirmed, asked=self._talk.answered.asked(confirmed))

    def _placed(self, run: Run) -> Run:
        ending = run.ending
        if not isinstance(ending, Raised) or _is_in(self._tree, ending.path):
            return run
        return replace(run, ending=replace(ending, path="", line=0, function=""))


def loaded_file(target: Target, beside: Collection[str] = ()) -> LoadedFile:
    """Return what a guest has loaded that was prepared for a target."""
    files = frozenset((target.path, *target.files, *beside))
    return LoadedFile(target.path, target.function in MODULE_LEVEL, files)


def host_timeout(seconds: float) -> float:
    """Return how long to wait on a busy machine for a guest that does not keep its limit."""
    return BUSY * seconds + MARGIN_SECONDS


def _end_by(number: int) -> RunOutcome:
    """Return the ending of a probe under which its process ended by a signal (0: it left)."""
    if number == 0 or exit_reasons.is_crash(number):
        return Died(number)
    return NotRun(exit_reasons.reason(number), our_fault=True)


def _scripted(run: Run, script: Sequence[Exchange]) -> Run:
    return replace(run, exchanges=tuple(with_script_source(each, script) for each in run.exchanges))


def _is_in(tree: Path, path: str) -> bool:
    inside = PurePosixPath(path)
    usual = not inside.is_absolute() and ".." not in inside.parts and path.isprintable()
    return usual and (tree / path).is_file()
