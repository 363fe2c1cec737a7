"""Request for a check, and the plan that it makes: targets, analyzers and notes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from analyzers import catalogue
from analyzers.detection import DetectionResult, detect
from analyzers.detection.import_graph import deep_learning_files, is_deep_learning
from analyzers.pipeline import ANALYZERS, analyzers_named, concerned_targets
from analyzers.ports import Analyzer
from analyzers.vocabulary import ChangeSet, Report, Skipped
from worker.broker.recording_caches import RunRequester
from worker.changes.change_set import read_changes
from worker.changes.python_source import has_function
from worker.changes.snapshot import ProjectScope
from worker.check.ignored_findings import added_ignores, refuse_malformed
from worker.check.target_examiner import ExecutorFactory
from worker.engines.engine import FORK
from worker.errors import UsageError
from worker.executor.sandbox_executor import SandboxExecutor
from worker.settings.operator_settings import Settings
from worker.settings.repository_configuration import (
    Configuration,
    proposed_change_note,
    read_configuration,
)

NO_GPU = "not tested: no GPU"


class Gpu(StrEnum):
    """The machine on which deep-learning code is tested: this one, another, or none."""

    HERE = "here"
    ELSEWHERE = "elsewhere"
    NOWHERE = "nowhere"


class GpuNeededError(Exception):
    """The change touches deep-learning code, which is tested elsewhere."""


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """The request for a check.  ``None`` takes the configuration's or the default value.

    Without a ``requester`` the code is the user's own.  ``other_providers``
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
    requester: RunRequester | None = None
    other_providers: bool = False
    configured_by: str | None = None
    gpu: Gpu = Gpu.HERE

    @property
    def approved(self) -> bool:
        """Return whether the code may ask engines that cost money: a fork's only once approved."""
        return self.requester is None or self.requester.approved


@dataclass(frozen=True, slots=True)
class CheckResult:
    """A report, and the texts of head and of base by path that it speaks of."""

    report: Report
    sources: Mapping[str, str]
    base_sources: Mapping[str, str] = field(default_factory=dict[str, str])


KeepPartial = Callable[[CheckResult], None]
"""Keeps a partial report; a later one takes its place."""

WriteTree = Callable[[str | None, Path], tuple[Skipped, ...]]
"""Writes the tree of a revision into an empty folder; what it left out, with the reason."""


@dataclass(frozen=True, slots=True)
class CheckPlan:
    """Targets of a change set, and the analyzers that are to examine them.

    ``write`` writes its trees where no checkout has them, ``executor`` makes the executors.
    ``keep`` takes the partial report that a killed run would leave.
    """

    changes: ChangeSet
    found: DetectionResult
    analyzers: tuple[Analyzer, ...]
    configuration: Configuration
    notes: tuple[str, ...] = ()
    write: WriteTree | None = None
    executor: ExecutorFactory = SandboxExecutor
    keep: KeepPartial | None = None


def plan_check(
    request: CheckRequest, settings: Settings, keep: KeepPartial | None = None
) -> CheckPlan:
    """Read the change and detect its targets.

    Raises ``UsageError`` for wrong usage or configuration, ``MachineError`` where
    this machine cannot read the change, and ``GpuNeededError``.
    """
    configuration = read_configuration(
        request.repository,
        request.configured_by or request.base,
        head=request.head,
        everything=request.everything,
    )
    changes = read_changes(
        request.repository,
        base=request.base,
        head=request.head,
        scope=ProjectScope(include=configuration.include, exclude=configuration.exclude),
        everything=request.everything,
    )
    refuse_malformed(changes)
    try:
        analyzers = analyzers_named(request.analyzers or configuration.analyzers)
    except KeyError as unknown:
        known = ", ".join(analyzer.name for analyzer in ANALYZERS)
        raise UsageError(f"no analyzer is called {unknown}; there is: {known}") from unknown
    _require_targets(request, changes)
    found = detect(
        changes, catalogue.load_catalogue(), everything=request.everything, only=request.targets
    )
    found = replace(found, targets=concerned_targets(analyzers, found.targets))
    found = _without_gpu(found, changes, request.gpu)
    notes = (*added_ignores(changes), *_notes(request, settings)) if found.targets else ()
    return CheckPlan(changes, found, analyzers, configuration, notes, keep=keep)


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


def _without_gpu(found: DetectionResult, changes: ChangeSet, gpu: Gpu) -> DetectionResult:
    """Add the files that need a GPU to the skipped ones, where there is none."""
    used = {target.path for target in found.targets if is_deep_learning(target)}
    names = sorted(used.union(deep_learning_files(changes)))
    if gpu is Gpu.HERE or not names:
        return found
    if gpu is Gpu.ELSEWHERE:
        raise GpuNeededError
    return DetectionResult(
        found.targets, (*found.skipped, *(Skipped("assayer", name, NO_GPU) for name in names))
    )


def _notes(request: CheckRequest, settings: Settings) -> tuple[str, ...]:
    """Return a note on an edited configuration, and one on what a fork is not allowed."""
    proposed = None
    if not request.everything or request.base is not None:
        proposed = proposed_change_note(request.repository, request.base, head=request.head)
    providers = [name for name, engine in settings.engines.items() if engine.kind == "provider"]
    notes = [proposed] if proposed else []
    if providers and not request.approved:
        notes.append(f"{', '.join(sorted(providers))}: {FORK}")
    return tuple(notes)
