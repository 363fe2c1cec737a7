"""The one pipeline of the command line and of the hosted bot."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from pathlib import Path

from analyzers import catalogue
from analyzers.catalogue.api_descriptions import add_folder
from analyzers.detection import DetectionResult, detect
from analyzers.detection.import_graph import deep_learning_files, is_deep_learning
from analyzers.pipeline import ANALYZERS, analyzers_named, concerned_targets, conclude
from analyzers.ports import Analyzer, ExaminationPlan
from analyzers.vocabulary import ChangeSet, Cost, Report, Skipped
from worker.broker.api_broker import Broker
from worker.broker.recording_caches import RecordingCaches, RunRequester
from worker.broker.request_admission import ApiBudget
from worker.changes.change_set import read_changes
from worker.changes.python_source import has_function
from worker.changes.snapshot import ProjectScope
from worker.changes.tree_writer import materialise
from worker.check.ignored_findings import added_ignores, refuse_malformed
from worker.check.target_examiner import CheckListener, ExecutorFactory, TargetExaminer
from worker.engines.engine import FORK
from worker.engines.engine_selection import Engines
from worker.engines.recordings import RecordingLimits
from worker.errors import UsageError
from worker.executor.example_database import ExampleDatabase
from worker.executor.execution_context import (
    ExecutionContext,
    SourceTree,
    guest_runtime,
    with_environments,
)
from worker.executor.sandbox_executor import SandboxExecutor
from worker.settings.operator_settings import Settings
from worker.settings.repository_configuration import (
    Configuration,
    proposed_change_note,
    read_configuration,
)
from worker.sources.source_selection import configured_sources
from worker.studies.study_journal import use_built_tables
from worker.system.temporary_files import owned_folder

MOST_REASONS = 10
NO_GPU = "not tested: no GPU"


class Gpu(StrEnum):
    """Where deep-learning code is tested: on this machine, on another, or nowhere."""

    HERE = "here"
    ELSEWHERE = "elsewhere"
    NOWHERE = "nowhere"


class GpuNeededError(Exception):
    """The change touches deep-learning code, which is tested elsewhere."""


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """What to check.  ``None`` takes the configuration's or the default value.

    Without a ``standing`` the code is the user's own.  ``other_providers``
    asks them too about inputs that miss a branch, as the settings may.
    ``configured_by`` is the revision whose configuration counts, else ``base``.
    """

    repository: Path
    base: str | None = None
    head: str | None = None
    everything: bool = False
    targets: tuple[str, ...] = ()
    analyzers: tuple[str, ...] = ()
    inputs: int | None = None
    seconds: float | None = None
    seed: int = 0
    offline: bool = False
    trust: bool = False
    standing: RunRequester | None = None
    other_providers: bool = False
    configured_by: str | None = None
    gpu: Gpu = Gpu.HERE


@dataclass(frozen=True, slots=True)
class CheckResult:
    """A report, and the head texts by path that it speaks of."""

    report: Report
    sources: Mapping[str, str]


KeepPartial = Callable[[CheckResult], None]
"""Keeps a partial report; a later one takes its place."""

WriteTree = Callable[[str | None, Path], tuple[Skipped, ...]]
"""Writes the tree of a revision into an empty folder; what it left out, with the reason."""


@dataclass(frozen=True, slots=True)
class CheckPlan:
    """Targets of a change set, and the analyzers that are to examine them.

    ``write`` writes its trees where no checkout has them, ``bench`` makes the benches.
    ``keep`` takes the partial report that a killed run would leave.
    """

    changes: ChangeSet
    found: DetectionResult
    analyzers: tuple[Analyzer, ...]
    configuration: Configuration
    notes: tuple[str, ...] = ()
    write: WriteTree | None = None
    bench: ExecutorFactory = SandboxExecutor
    keep: KeepPartial | None = None


def check(
    request: CheckRequest,
    settings: Settings,
    listener: CheckListener,
    keep: KeepPartial | None = None,
) -> CheckResult:
    """Test what changed between two revisions of a checkout.

    Raises ``UsageError`` for wrong usage or configuration, ``MachineError``
    where this machine cannot do it, and ``GpuNeededError`` where another one
    shall; everything else, our own failures too, stands in the report.  On
    ``KeyboardInterrupt`` the report is partial; ``keep`` takes it as it grows.
    """
    began = time.monotonic()
    if settings.catalogue.folder is not None:
        add_folder(settings.catalogue.folder)
    use_built_tables()
    configuration = _configuration(request)
    changes = _changes(request, configuration)
    refuse_malformed(changes)
    analyzers = _analyzers(request, configuration)
    _require_targets(request, changes)
    found = detect(
        changes, catalogue.load_catalogue(), everything=request.everything, only=request.targets
    )
    found = replace(found, targets=concerned_targets(analyzers, found.targets))
    found = _placed(found, changes, request.gpu)
    listener.detected(found.targets)
    if not found.targets:
        return CheckResult(_untouched(changes, found, began), changes.sources)
    notes = (*added_ignores(changes), *_proposal(request), *_withheld(request, settings))
    work = CheckPlan(changes, found, analyzers, configuration, notes, keep=keep)
    return CheckResult(run_plan(work, request, settings, listener, began), changes.sources)


def run_plan(
    work: CheckPlan,
    request: CheckRequest,
    settings: Settings,
    listener: CheckListener,
    began: float,
) -> Report:
    """Let the analyzers examine the targets, as long as the budget lasts, from ``began`` on.

    On ``KeyboardInterrupt`` the report is partial.
    """
    configuration = work.configuration
    plan = ExaminationPlan(
        inputs=request.inputs or configuration.inputs,
        recall_threshold=configuration.recall_threshold,
        seed=request.seed,
        other_providers=_asks_others(request, settings),
    )
    seconds = request.seconds or configuration.budget.seconds
    with _laboratory(request, settings, work, plan) as bare:
        starting = time.monotonic()
        with _furnished(bare, request, settings, work, listener) as laboratory:
            seconds += time.monotonic() - starting
            campaign = TargetExaminer(laboratory, work.changes, work.found, listener, work.bench)

            def report() -> Report:
                return campaign.report(configuration, time.monotonic() - began, *work.notes)

            def keep() -> None:
                if work.keep is not None:
                    work.keep(CheckResult(report(), work.changes.sources))

            campaign.examine(work.analyzers, began + seconds, keep)
            return report()


def _analyzers(request: CheckRequest, configuration: Configuration) -> tuple[Analyzer, ...]:
    try:
        return analyzers_named(request.analyzers or configuration.analyzers)
    except KeyError as unknown:
        known = ", ".join(analyzer.name for analyzer in ANALYZERS)
        raise UsageError(f"no analyzer is called {unknown}; there is: {known}") from unknown


def _configuration(request: CheckRequest) -> Configuration:
    return read_configuration(
        request.repository,
        request.configured_by or request.base,
        head=request.head,
        everything=request.everything,
    )


def _placed(found: DetectionResult, changes: ChangeSet, gpu: Gpu) -> DetectionResult:
    """What was found, and the files of it that a GPU would have been for."""
    used = {target.path for target in found.targets if is_deep_learning(target)}
    names = sorted(used.union(deep_learning_files(changes)))
    if gpu is Gpu.HERE or not names:
        return found
    if gpu is Gpu.ELSEWHERE:
        raise GpuNeededError
    return DetectionResult(
        found.targets, (*found.skipped, *(Skipped("assayer", name, NO_GPU) for name in names))
    )


def _proposal(request: CheckRequest) -> tuple[str, ...]:
    """What to say of a change that edits the configuration."""
    if request.everything and request.base is None:
        return ()
    said = proposed_change_note(request.repository, request.base, head=request.head)
    return () if said is None else (said,)


def _changes(request: CheckRequest, configuration: Configuration) -> ChangeSet:
    return read_changes(
        request.repository,
        base=request.base,
        head=request.head,
        scope=ProjectScope(include=configuration.include, exclude=configuration.exclude),
        everything=request.everything,
    )


def _require_targets(request: CheckRequest, changes: ChangeSet) -> None:
    """Refuse targets that are not there; a file that cannot be read is said in the report."""
    unread = {skipped.target for skipped in changes.skipped}
    for target in request.targets:
        path, _, function = target.partition("::")
        if path not in unread and not has_function(changes.sources.get(path, ""), function):
            raise UsageError(
                f"--target {target}: there is no such function "
                "(write it as path/to/file.py::Qualified.name)"
            )


def _untouched(changes: ChangeSet, found: DetectionResult, began: float) -> Report:
    skipped = (*changes.skipped, *found.skipped)
    return Report(
        repository=changes.repository,
        base=changes.base,
        head=changes.head,
        conclusion=conclude(skipped, tested=()),
        skipped=skipped,
        cost=Cost(seconds=time.monotonic() - began),
    )


def _asks_others(request: CheckRequest, settings: Settings) -> bool:
    """Whether other providers may be asked: for money, so never for unapproved code."""
    approved = request.standing is None or request.standing.approved
    return approved and (request.other_providers or settings.budget.other_providers)


def _withheld(request: CheckRequest, settings: Settings) -> tuple[str, ...]:
    """What to say where a fork's code is kept from the configured providers."""
    providers = [name for name, engine in settings.engines.items() if engine.kind == "provider"]
    if request.standing is None or request.standing.approved or not providers:
        return ()
    return (f"{', '.join(sorted(providers))}: {FORK}",)


def _standing(request: CheckRequest) -> RunRequester:
    return request.standing or RunRequester(str(request.repository.resolve()))


def _examples(request: CheckRequest, settings: Settings) -> ExampleDatabase:
    standing = _standing(request)
    folder = settings.recordings_folder
    return ExampleDatabase.open(folder, standing.owner, writable=standing.approved)


def _broker(request: CheckRequest, settings: Settings, configuration: Configuration) -> Broker:
    standing = _standing(request)
    asked, most = configuration.budget, settings.budget
    kept = settings.recordings
    return Broker(
        Engines.from_settings(
            settings.engines, offline=request.offline, approved=standing.approved
        ),
        RecordingCaches.open(
            settings.recordings_folder, standing, RecordingLimits(int(kept.size), kept.days)
        ),
        ApiBudget(min(asked.api_calls, most.api_calls), min(asked.api_dollars, most.api_dollars)),
    )


def _furnished(
    bare: ExecutionContext,
    request: CheckRequest,
    settings: Settings,
    work: CheckPlan,
    listener: CheckListener,
) -> AbstractContextManager[ExecutionContext]:
    """The laboratory with the environments; a developer's own is nobody else's."""
    own = request.standing is None and work.write is None
    return with_environments(
        bare,
        settings,
        [target.path for target in work.found.targets],
        listener.preparing,
        offline=request.offline,
        checkout=request.repository if own else None,
    )


@contextmanager
def _laboratory(
    request: CheckRequest,
    settings: Settings,
    work: CheckPlan,
    plan: ExaminationPlan,
) -> Generator[ExecutionContext]:
    changes, write = work.changes, work.write or partial(materialise, request.repository)
    place = guest_runtime(settings, trust=request.trust)
    sources = configured_sources(settings.sources, offline=request.offline)
    broker = _broker(request, settings, work.configuration)
    with owned_folder("trees") as folder:
        trees: dict[str, SourceTree] = {}
        left_out: dict[str, tuple[Skipped, ...]] = {}
        for side, revision, texts in (
            ("head", changes.head, changes.sources),
            ("base", changes.base, changes.base_sources),
        ):
            root = folder / side
            root.mkdir()
            if texts:
                left_out[side] = write(revision, root)
            trees[side] = SourceTree(root, texts)
        folder.chmod(0o755)
        yield ExecutionContext(
            place,
            broker,
            sources,
            plan,
            trees["head"],
            trees["base"],
            _missing(left_out.get("head", ())),
            _examples(request, settings),
        )


def _missing(left_out: Sequence[Skipped]) -> tuple[str, ...]:
    """What the tested code does not find on disk, in a sentence for each reason."""
    by_reason: dict[str, list[str]] = {}
    for skipped in left_out:
        by_reason.setdefault(skipped.reason, []).append(skipped.target)
    return tuple(
        f"not there for the tested code: {paths[0]}"
        + (f" and {len(paths) - 1} more" if len(paths) > 1 else "")
        + f": {reason}"
        for reason, paths in list(by_reason.items())[:MOST_REASONS]
    )
