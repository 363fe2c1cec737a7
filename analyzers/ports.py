"""The two interfaces between analyzers and the rest of the world."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from analyzers.vocabulary import (
    AssembledRun,
    AssemblyRequest,
    DriverCounts,
    ExecutionRequest,
    ExecutionResult,
    ExplorationRequest,
    ExplorationResult,
    Input,
    InputRequest,
    InputSupply,
    JsonObject,
    ObservedCall,
    Probe,
    RecordedCalls,
    RelationRequest,
    RelationResult,
    Run,
    SearchResult,
    Skipped,
    Target,
    Verdict,
)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ExaminationPlan:
    """The extent of an examination: inputs per goal, the recall threshold, the seed.

    ``other_providers``: ask them too about branches that are missed.
    """

    inputs: int = 10
    recall_threshold: float = 0.75
    seed: int = 0
    other_providers: bool = False


class Executor(Protocol):
    """The only way out of an analyzer.

    Tests give an analyzer a hand-written bench; the worker gives it the
    sandbox, the engines and the sources.
    """

    @property
    def plan(self) -> ExaminationPlan:
        """Return how much to do."""
        ...

    @property
    def standins(self) -> Sequence[str]:
        """The modules that are not installed, as far as what was run imported them."""
        ...

    @property
    def replaced(self) -> Sequence[str]:
        """The libraries whose stand-ins the runs of the target used."""
        ...

    def obstacle(self, target: Target) -> Skipped | None:
        """Return that the target needs a framework that a stand-in replaced, if so."""
        ...

    def search(self, target: Target) -> SearchResult:
        """Look for answers that reach the target's goals."""
        ...

    def explore(self, target: Target, exploring: ExplorationRequest) -> ExplorationResult:
        """Draw valid inputs of the target, run them on head, and shrink those that fail."""
        ...

    def observe(self, target: Target, *, runs_tests: bool = True) -> Sequence[ObservedCall]:
        """Return the calls of the target's function, and of its class, in the project's own use.

        They are those that its programs made on base (:meth:`run_programs`), or else, where
        that is wanted, those of its tests; none where there are none, or they cannot be run here.
        """
        ...

    def record(self, target: Target, probes: Sequence[Probe]) -> RecordedCalls | None:
        """Return the library calls that these probes make; ``None`` where they are unknown."""
        ...

    def relate(self, target: Target, relating: RelationRequest) -> RelationResult:
        """Compare the target's library calls with those that they should agree with, on head."""
        ...

    def execute(self, target: Target, executing: ExecutionRequest) -> ExecutionResult:
        """Run the model that the target is, or makes, by several executions, on head."""
        ...

    def assemble(self, target: Target, assembling: AssemblyRequest) -> Sequence[AssembledRun]:
        """Run variants of a file of the project, in order; one state each."""
        ...

    def kept(self, target: Target) -> Sequence[Probe]:
        """Return what failed under this target in runs before."""
        ...

    def keep(self, target: Target, probes: Sequence[Probe]) -> None:
        """Keep what fails under this target now, to be tried first next time."""
        ...

    def inputs(self, wanted: InputRequest, count: int) -> InputSupply:
        """Find or make at most ``count`` inputs with the wanted reading."""
        ...

    def run(self, probes: Sequence[Probe]) -> Sequence[Run]:
        """Run the probes on head, in order; one run each."""
        ...

    def run_on_base(self, probes: Sequence[Probe]) -> Sequence[Run] | None:
        """Run the probes on base, in order; one run each.

        Where base asks something else than was recorded, engines answer it.
        ``None``: base has no such function, or it cannot be loaded.
        """
        ...

    def run_programs(
        self, probes: Sequence[Probe], seconds: float
    ) -> Sequence[tuple[Run, Run]] | None:
        """Run programs on base and on head at the same time, each within ``seconds``.

        ``None`` where :meth:`run_on_base` gives nothing.  What base refuses counts as nothing.
        """
        ...

    def once(self, name: str, make: Callable[[], T]) -> T:
        """Return what is made once for all targets of the change, by its name."""
        ...

    @property
    def changed(self) -> Sequence[Target]:
        """The targets that the change itself touches."""
        ...

    def substitute(self, api: str) -> str:
        """Return the name of a local engine that answers in the provider's place, or nothing."""
        ...

    def is_kind(self, label: str, reading: str) -> bool:
        """Return whether a stand-in's label names what a reading says, or a kind of it."""
        ...

    def source(self, path: str) -> str:
        """Return the head text of a project file."""
        ...

    def paths(self) -> Sequence[str]:
        """Return the project files that :meth:`source` has."""
        ...

    def base(self, path: str) -> tuple[str, str] | None:
        """Return the path and the text on base of a project file, if it was there."""
        ...

    def others(self, api: str) -> Sequence[str]:
        """Return the APIs of other providers for the same task that may be asked instead."""
        ...

    def ask(self, api: str, item: Input) -> JsonObject | None:
        """Return an API's canonical answer to an input; ``None`` where there is none to be had."""
        ...

    def unreachable(self, goal: str) -> None:
        """Record that no answer can reach a goal, as a proof has shown."""
        ...

    def count_drivers(self, counts: DriverCounts, runs: Sequence[tuple[Probe, Run]]) -> None:
        """Count the project's own programs that reached the target, and their runs on head."""
        ...

    def remaining(self) -> float:
        """Return seconds left for this analyzer on this target."""
        ...

    def allot(self, share: float) -> None:
        """Leave the analyzer that comes next ``share`` of what is left of the target's time."""
        ...


class Analyzer(Protocol):
    """One kind of defect, and how to find it."""

    @property
    def name(self) -> str:
        """The name in reports and in ``--only``."""
        ...

    def examine(self, target: Target, bench: Executor) -> Iterator[Verdict]:
        """Yield verdicts on a target, each as soon as it stands."""
        ...
