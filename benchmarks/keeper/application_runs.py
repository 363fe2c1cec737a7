"""One application tried: by Assayer, and by each baseline, at the same services."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from analyzers import catalogue
from analyzers.detection import DetectionResult, detect
from analyzers.pipeline import ANALYZERS
from analyzers.ports import ExaminationPlan
from analyzers.vocabulary import (
    BranchOutcome,
    ChangeSet,
    FileChange,
    Finding,
    Input,
    InputKind,
    Probe,
    Report,
    Run,
    SearchResult,
    Target,
)
from benchmarks.keeper.applications import Application, Planted
from benchmarks.keeper.baseline_inputs import fuzzed, random_real, with_noise
from benchmarks.keeper.stand_in_services import Album, Services
from worker.broker.api_broker import Broker
from worker.broker.request_admission import ApiBudget
from worker.check.target_examiner import TargetExaminer
from worker.engines.engine_selection import Engines, local_engines
from worker.engines.recordings import Recordings
from worker.executor.base_target import BaseTarget
from worker.executor.execution_context import ExecutionContext, SourceTree, guest_runtime
from worker.executor.sandbox_executor import SandboxExecutor
from worker.settings.operator_settings import read_settings
from worker.settings.repository_configuration import Configuration

SECONDS = 180.0
RECORDINGS = Recordings()
"""What was asked once in a run of the benchmark is not asked again."""
BASELINES = ("random real", "random real + noise", "fuzzing")


@dataclass(frozen=True)
class Tried:
    """What was found and covered of one application.

    ``covered`` are the shares of the reachable branches of its function, by
    technique; ``missed`` the planted defects that were not found, ``surplus``
    findings that nobody planted, ``on_twin`` those on the clean twin,
    ``unrepaired`` planted defects without the repair that they should have.
    """

    application: Application
    branches: int
    covered: Mapping[str, float]
    missed: Sequence[Planted]
    surplus: Sequence[Finding]
    on_twin: Sequence[Finding]
    unrepaired: Sequence[Planted]
    executions: int
    seconds: float
    skipped: Sequence[str]


class _Silent:
    """Hears of the progress and says nothing."""

    def compared(self, comparison: object) -> None: ...
    def detected(self, targets: Sequence[Target]) -> None: ...
    def preparing(self, what: str) -> None: ...
    def examining(self, target: Target) -> None: ...
    def found(self, verdict: object) -> None: ...


@dataclass
class _Watch:
    """Makes benches that note which branches inputs reach, not made-up answers."""

    reached: set[str] = field(default_factory=set[str])
    searched: SearchResult | None = None

    def bench(
        self, laboratory: ExecutionContext, target: Target, deadline: float, before: BaseTarget
    ) -> SandboxExecutor:
        """A bench that is watched."""
        return _Watched(self, laboratory, target, deadline, before)


class _Watched(SandboxExecutor):
    def __init__(
        self,
        watch: _Watch,
        laboratory: ExecutionContext,
        target: Target,
        deadline: float,
        before: BaseTarget,
    ) -> None:
        super().__init__(laboratory, target, deadline, before)
        self._watch = watch

    def search(self, target: Target) -> SearchResult:
        """As the bench does; what was found is kept."""
        self._watch.searched = super().search(target)
        return self._watch.searched

    def run(self, probes: Sequence[Probe]) -> Sequence[Run]:
        """As the bench does; the hits of unscripted probes are kept."""
        runs = super().run(probes)
        for probe, run in zip(probes, runs, strict=True):
            if probe.script is None:
                self._watch.reached |= run.hits
        return runs


def tried(
    application: Application, keywords: Sequence[str], *, inputs: int, seed: int = 0
) -> Tried:
    """Try an application and its twin; then the baselines on the application."""
    began = time.monotonic()
    services = Services(application.sees)
    album = Album(services)
    with _laboratory(application.sources(twin=True), album, inputs, seed) as (laboratory, changes):
        on_twin = _campaign(laboratory, changes, application, _Watch()).findings
    with _laboratory(application.sources(), album, inputs, seed) as (laboratory, changes):
        watch = _Watch()
        report = _campaign(laboratory, changes, application, watch)
        spent = time.monotonic() - began
        points = _branches(report, application)
        reached = {"assayer": len(points & watch.reached)}
        searched = watch.searched
        if searched is not None and searched.template is not None:
            target = _target(report, application)
            for name, hits in _baselines(laboratory, target, searched.template, keywords, album):
                reached[name] = len(points & hits)
    count = max(1, len(points) - application.unreachable)
    return Tried(
        application,
        len(points),
        {name: min(1.0, reached.get(name, 0) / count) for name in ("assayer", *BASELINES)},
        [p for p in application.planted if not _found(p, report)],
        [f for f in report.findings if not any(_is(p, f) for p in application.planted)],
        [f for f in on_twin if f.rule != "behaviour/changed"],
        [p for p in application.planted if not _repaired(p, report)],
        sum(tally.executions for _, tally in report.targets),
        spent,
        [skipped.reason for skipped in report.skipped],
    )


@contextmanager
def _laboratory(
    sources: Mapping[str, str], album: Album, inputs: int, seed: int
) -> Generator[tuple[ExecutionContext, ChangeSet]]:
    settings = read_settings(None)
    broker = Broker(
        Engines([album.services, *local_engines()]), RECORDINGS, ApiBudget(1_000_000, None)
    )
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "head"
        root.mkdir()
        for path, text in sources.items():
            (root / path).write_text(text, encoding="utf-8")
        Path(folder).chmod(0o755)
        (Path(folder) / "base").mkdir()
        laboratory = ExecutionContext(
            guest_runtime(settings, trust=False),
            broker,
            album,  # type: ignore[arg-type]
            ExaminationPlan(inputs=inputs, seed=seed),
            SourceTree(root, sources),
            SourceTree(Path(folder) / "base", {}),
        )
        changes = tuple(
            FileChange(path, frozenset(range(1, text.count("\n") + 2)))
            for path, text in sources.items()
        )
        yield laboratory, ChangeSet("keeper", "", None, changes, sources, {})


def _campaign(
    laboratory: ExecutionContext, changes: ChangeSet, application: Application, watch: _Watch
) -> Report:
    everything = detect(changes, catalogue.load_catalogue(), everything=True)
    targets = tuple(t for t in everything.targets if t.function == application.function)
    if not targets:
        raise LookupError(f"{application.name}: {application.target} asks no ML API")
    campaign = TargetExaminer(
        laboratory, changes, DetectionResult(targets, ()), _Silent(), watch.bench
    )
    campaign.examine(ANALYZERS, time.monotonic() + SECONDS)
    return campaign.report(Configuration(), 0.0)


def _target(report: Report, application: Application) -> Target:
    return next(t for t, _ in report.targets if t.function == application.function)


def _branches(report: Report, application: Application) -> frozenset[str]:
    """The branches of the target's function and of what it calls, as goals know them."""
    target = _target(report, application)
    decisions = {goal.decision_id: goal for goal in target.goals}
    return frozenset(f"{decision}:{outcome}" for decision in decisions for outcome in BranchOutcome)


def _baselines(
    laboratory: ExecutionContext,
    target: Target,
    template: Probe,
    keywords: Sequence[str],
    album: Album,
) -> Generator[tuple[str, Collection[str]]]:
    """What each baseline reaches with its inputs in the slot that the search found."""
    kind = _kind(target, template)
    bench = SandboxExecutor(laboratory, target, time.monotonic() + 10 * SECONDS)
    try:
        real = random_real(kind, keywords, album, 1)

        def covered(items: Sequence[Input]) -> list[frozenset[str]]:
            unscripted = replace(template, script=None)
            return [run.hits for run in bench.run([unscripted.with_input(i) for i in items])]

        yield BASELINES[0], frozenset().union(*covered(real))
        yield BASELINES[1], frozenset().union(*covered(with_noise(real, 1)))
        yield BASELINES[2], frozenset().union(*covered(list(fuzzed(kind, real, covered, 1))))
    finally:
        bench.close()


def _kind(target: Target, template: Probe) -> InputKind:
    apis = catalogue.load_catalogue().apis
    given = next((apis[name].input for name in target.apis if apis[name].input), None)
    usual = InputKind(given.kind) if given else InputKind.TEXT
    return next((item.kind for item in template.inputs), usual)


def _is(planted: Planted, finding: Finding) -> bool:
    return finding.rule == planted.rule and finding.line <= planted.line <= finding.end_line


def _found(planted: Planted, report: Report) -> bool:
    return any(_is(planted, finding) for finding in report.findings)


def _repaired(planted: Planted, report: Report) -> bool:
    """Whether the finding came with the repair that was asked for (or was not found at all)."""
    found = [finding for finding in report.findings if _is(planted, finding)]
    match planted.repair:
        case "verified":
            return all(f.suggestion is not None and f.suggestion.verified for f in found)
        case "formula":
            return all("formula" in f.evidence for f in found)
        case "none":
            return all("no_repair" in f.evidence for f in found)
        case _:
            return True
