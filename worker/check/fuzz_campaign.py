"""A campaign on one model file, by the pipeline of a check.

Its targets are the models in the file (LEMON: each is run several ways, and so are mutants
of it) and the file itself (MoCo: it is taken apart and assembled anew).
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from analyzers import catalogue
from analyzers.assembly.campaign.assembly_campaign import AssemblyCampaign as Assembly
from analyzers.detection import DetectionResult, detect
from analyzers.detection.file_facts import imports_any
from analyzers.models.model_classes import models_in
from analyzers.models.models_analyzer import FUZZ, ModelsAnalyzer
from analyzers.ports import Analyzer, Executor
from analyzers.vocabulary import (
    AssembledRun,
    AssemblyRequest,
    Coverage,
    ExecutionRequest,
    ExecutionResult,
    Finding,
    Target,
    TargetCounters,
    Verdict,
)
from worker.check.campaign_limits import NODES, SECONDS
from worker.check.check_plan import (
    CheckListener,
    CheckPlan,
    CheckRequest,
    CheckResult,
    KeepPartial,
)
from worker.check.model_file import ModelFile, open_model_file
from worker.check.plan_run import run_plan
from worker.errors import UsageError
from worker.executor.base_target import BaseTarget
from worker.executor.execution_context import ExecutionContext
from worker.executor.sandbox_executor import SandboxExecutor
from worker.settings.operator_settings import Settings
from worker.settings.repository_configuration import Configuration, read_configuration

_REACHED = frozenset({"forward", "backward", "step"})
"""Stages of an assembled file in which its model was called."""


@dataclass(slots=True)
class CampaignCounts:
    """The numbers of assembled files and mutants, and the library's APIs that they reached.

    ``changed`` is told after each batch.
    """

    changed: Callable[[CampaignCounts], object] = lambda _: None
    files: int = 0
    mutants: int = 0
    executions: int = 0
    apis: set[str] = field(default_factory=set[str])

    def __str__(self) -> str:
        """``1,200 files assembled, 310 mutants in 940 executions, 57 library APIs reached``."""
        return (
            f"{self.files:,} files assembled, {self.mutants:,} mutants in"
            f" {self.executions:,} executions, {len(self.apis):,} library APIs reached"
        )

    def assembled(self, states: Sequence[AssembledRun]) -> frozenset[str]:
        """Count what became of a batch of files; the APIs that it reached."""
        ran = [each for each in states if each.state != "not-run"]
        self.files += len(ran)
        return self._noted(
            {a for each in ran if each.state == "ran" or each.stage in _REACHED for a in each.apis}
        )

    def executed(self, executed: ExecutionResult) -> frozenset[str]:
        """Count what became of running a model and its mutants; the APIs that it reached."""
        self.mutants += executed.mutants
        self.executions += executed.executions
        return self._noted(set(executed.apis))

    def _noted(self, apis: set[str]) -> frozenset[str]:
        self.apis |= apis
        self.changed(self)
        return frozenset(apis)


class CountingExecutor(SandboxExecutor):
    """A bench that counts what a campaign does at it, and gathers the APIs reached."""

    def __init__(
        self,
        laboratory: ExecutionContext,
        target: Target,
        deadline: float,
        before: BaseTarget | None = None,
        *,
        spent: CampaignCounts,
    ) -> None:
        super().__init__(laboratory, target, deadline, before)
        self._spent = spent
        self._apis: set[str] = set()

    def execute(self, target: Target, executing: ExecutionRequest) -> ExecutionResult:
        """Run a model several ways on head, and count."""
        executed = super().execute(target, executing)
        self._apis |= self._spent.executed(executed)
        return executed

    def assemble(self, target: Target, assembling: AssemblyRequest) -> Sequence[AssembledRun]:
        """Run variants of the target's file on head, and count."""
        states = super().assemble(target, assembling)
        self._apis |= self._spent.assembled(states)
        return states

    def tally(self) -> TargetCounters:
        """Return what was done, for the report."""
        return replace(super().tally(), apis=tuple(sorted(self._apis)))

    def coverage(self) -> Coverage:
        """Return how much ran: a campaign tests the library, and ends when its time is spent."""
        executions = self.tally().executions
        return Coverage(executions, executions, replaced=self.replaced)


MODULE = "<module>"
_LAYERS = frozenset({"torch"})


@dataclass(frozen=True, slots=True)
class FuzzRequest:
    """The file to run a campaign on, and for how long.

    ``files``: assemble so many at most.  What a number bounds, and not the clock, comes to the
    same each time.
    """

    file: Path
    seconds: float = SECONDS
    files: int = NODES
    seed: int = 0
    offline: bool = False
    trust: bool = False


def fuzz(
    request: FuzzRequest,
    settings: Settings,
    listener: CheckListener,
    spent: CampaignCounts | None = None,
    keep: KeepPartial | None = None,
) -> CheckResult:
    """Run a campaign on the model code in a file, in the working tree that it lies in.

    Raises ``UsageError`` for a file that is none, cannot be read or holds no model, and
    ``MachineError`` where this machine cannot do it.  On ``KeyboardInterrupt`` the report
    is partial; ``keep`` takes it as it grows.  ``spent`` hears what is done.
    """
    began = time.monotonic()
    spent = spent or CampaignCounts()
    file = open_model_file(request.file)
    found, analyzers = _work(file, request)
    listener.detected(found.targets)
    work = CheckPlan(
        changes=replace(file.changes, base=""),
        found=found,
        analyzers=analyzers,
        configuration=_configuration(file),
        write=file.write,
        executor=functools.partial(CountingExecutor, spent=spent),
        keep=keep,
        ordered=True,
    )
    report = run_plan(work, _as_check(request, file), settings, listener, began)
    said = f"the campaign (seed {request.seed}): {spent}"
    return CheckResult(
        replace(report, environment=(said, *report.environment)), file.changes.sources
    )


def _work(file: ModelFile, request: FuzzRequest) -> tuple[DetectionResult, tuple[Analyzer, ...]]:
    """The targets in a file, and which analyzer is for which."""
    texts = file.changes.sources
    models = {f"{file.path}::{name}" for name in models_in(file.path, texts)}
    whole = {f"{file.path}::{MODULE}"} if imports_any(texts[file.path], _LAYERS) else set[str]()
    if not models and not whole:
        raise UsageError(
            f"{request.file} has no model in it: a campaign needs a class below torch.nn.Module or"
            " keras.Model, a function that returns one, or code that uses torch"
        )
    found = detect(file.changes, catalogue.load_catalogue(), only=models | whole)
    analyzers = (_Only(ModelsAnalyzer(FUZZ), models), _Only(Assembly(nodes=request.files), whole))
    models_first = sorted(found.targets, key=lambda each: (each.function == MODULE, each.line))
    return replace(found, targets=tuple(models_first)), analyzers


def _configuration(file: ModelFile) -> Configuration:
    if file.write is not None:
        return Configuration()
    return read_configuration(file.folder, None, head=None, everything=True)


def _as_check(request: FuzzRequest, file: ModelFile) -> CheckRequest:
    return CheckRequest(
        repository=file.folder,
        everything=True,
        seconds=request.seconds,
        seed=request.seed,
        offline=request.offline,
        trust=request.trust,
    )


class _Only:
    """An analyzer for some targets alone, that keeps what fails for the next campaign."""

    def __init__(self, analyzer: Analyzer, targets: Collection[str]) -> None:
        self._analyzer = analyzer
        self._targets = targets
        self.name = analyzer.name

    def examine(self, target: Target, bench: Executor) -> Iterator[Verdict]:
        """Yield the verdicts on one of its targets."""
        if target.id not in self._targets:
            return
        for verdict in self._analyzer.examine(target, bench):
            if isinstance(verdict, Finding):
                bench.keep(target, verdict.probes)
            yield verdict
