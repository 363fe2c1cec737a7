"""Benches for analyzers, written by hand: what all of them have in common."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from analyzers.ports import ExaminationPlan
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
)

T = TypeVar("T")


class IdleBench:
    """A bench at which nothing happens: tests say what of it does.

    ``texts`` are the project's files by path; there is no base.
    """

    def __init__(
        self, texts: Mapping[str, str] | None = None, plan: ExaminationPlan | None = None
    ) -> None:
        self.plan = plan or ExaminationPlan()
        self.texts = dict(texts or {})
        self.lasting: list[Probe] = []
        self.allotted: list[float] = []
        self.standins: Sequence[str] = ()
        self.replaced: Sequence[str] = ()
        self.changed: Sequence[Target] = ()
        self.shared: dict[str, Any] = {}

    def obstacle(self, target: Target) -> Skipped | None:
        return None

    def search(self, target: Target) -> SearchResult:
        return SearchResult(None, obstacle="nothing is searched here")

    def explore(self, target: Target, exploring: ExplorationRequest) -> ExplorationResult:
        return ExplorationResult(obstacle="nothing is explored here")

    def observe(self, target: Target, *, runs_tests: bool = True) -> Sequence[ObservedCall]:
        return ()

    def record(self, target: Target, probes: Sequence[Probe]) -> RecordedCalls | None:
        return None

    def relate(self, target: Target, relating: RelationRequest) -> RelationResult:
        return RelationResult(obstacle="nothing is related here")

    def execute(self, target: Target, executing: ExecutionRequest) -> ExecutionResult:
        return ExecutionResult(obstacle="nothing is executed here")

    def assemble(self, target: Target, assembling: AssemblyRequest) -> Sequence[AssembledRun]:
        return ()

    def run_programs(
        self, probes: Sequence[Probe], seconds: float
    ) -> Sequence[tuple[Run, Run]] | None:
        bases = self.run_on_base(probes)
        return None if bases is None else list(zip(bases, self.run(probes), strict=True))

    def once(self, name: str, make: Callable[[], T]) -> T:
        if name not in self.shared:
            self.shared[name] = make()
        made: T = self.shared[name]
        return made

    def count_drivers(self, counts: DriverCounts, runs: Sequence[tuple[Probe, Run]]) -> None:
        self.driven, self.counted = counts, runs

    def kept(self, target: Target) -> Sequence[Probe]:
        return tuple(probe for probe in self.lasting if probe.target == target.id)

    def keep(self, target: Target, probes: Sequence[Probe]) -> None:
        self.lasting += probes

    def inputs(self, wanted: InputRequest, count: int) -> InputSupply:
        return InputSupply((), "there are no sources here")

    def run(self, probes: Sequence[Probe]) -> Sequence[Run]:
        raise AssertionError("nothing is run here")

    def run_on_base(self, probes: Sequence[Probe]) -> Sequence[Run] | None:
        return None

    def substitute(self, api: str) -> str:
        return ""

    def is_kind(self, label: str, reading: str) -> bool:
        return False

    def source(self, path: str) -> str:
        return self.texts[path]

    def paths(self) -> Sequence[str]:
        return tuple(self.texts)

    def base(self, path: str) -> tuple[str, str] | None:
        return None

    def others(self, api: str) -> Sequence[str]:
        return ()

    def ask(self, api: str, item: Input) -> JsonObject | None:
        return None

    def unreachable(self, goal: str) -> None:
        pass

    def remaining(self) -> float:
        return 100.0

    def allot(self, share: float) -> None:
        self.allotted.append(share)


class TextBench(IdleBench):
    """A bench with the texts of a project, of which nothing is run."""

    def is_kind(self, label: str, reading: str) -> bool:
        return False

    def source(self, path: str) -> str:
        return self.texts[path]

    def paths(self) -> Sequence[str]:
        return tuple(self.texts)
