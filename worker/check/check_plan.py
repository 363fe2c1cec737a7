"""Request for a check, and the plan that it makes: targets, analyzers and notes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from analyzers import catalogue
from analyzers.detection import DetectionResult, detect
from analyzers.detection.changed_functions import file_difference
from analyzers.detection.detector import own_sources
from analyzers.detection.import_graph import deep_learning_files, is_deep_learning
from analyzers.ports import Analyzer
from analyzers.source_checks import AskedAnswers, read_changes
from analyzers.vocabulary import ChangeSet, Finding, Report, Skipped, Target, Verdict
from worker.broker.recording_caches import RunRequester
from worker.changes.change_set import read_changes as read_change_set
from worker.changes.python_source import has_function
from worker.changes.snapshot import ProjectScope
from worker.check.ignored_findings import added_ignores, refuse_malformed
from worker.check.kept_facts import keep_facts, known_facts
from worker.engines.engine import FORK
from worker.errors import UsageError
from worker.settings.operator_settings import Settings
from worker.settings.repository_configuration import (
    Configuration,
    proposed_change_note,
    read_configuration,
)
from worker.system.tracing import phase

if TYPE_CHECKING:
    from worker.check.result_store import ResultStore
    from worker.check.target_examination import ExecutorFactory

CLOUD = "cloud"
NO_GPU = "not tested: no GPU"
DETECTION_SECONDS, DETECTION_SHARE = 20.0, 0.2
READING_SECONDS, READING_SHARE = 10.0, 0.1


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
    ``results`` keeps those of targets for the next run; a ``fresh`` run takes none from there.
    ``jobs`` targets are examined at a time.
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
    results: ResultStore | None = None
    fresh: bool = False
    jobs: int | None = None

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


@dataclass(frozen=True, slots=True)
class ComparedSides:
    """The two sides of a check, and how much differs: code files, functions to test at most.

    ``base_name`` is what the base was called; ``seconds`` is the time for all of it.
    """

    base: str
    base_name: str | None
    head: str | None
    files: int
    functions: int
    seconds: float


class CheckListener(Protocol):
    """Hears of the progress of a check."""

    def compared(self, comparison: ComparedSides) -> None:
        """The change is read; nothing was run yet."""

    def detected(self, targets: Sequence[Target]) -> None:
        """The targets are known."""

    def preparing(self, what: str) -> None:
        """Something that takes time begins, in words."""

    def examining(self, target: Target) -> None:
        """A target's examination begins."""

    def found(self, verdict: Verdict) -> None:
        """A verdict stands, confirmed."""


KeepPartial = Callable[[CheckResult], None]
"""Keeps a partial report; a later one takes its place."""

WriteTree = Callable[[str | None, Path], tuple[Skipped, ...]]
"""Writes the tree of a revision into an empty folder; what it left out, with the reason."""


@dataclass(frozen=True, slots=True)
class CheckPlan:
    """Targets of a change set, and the analyzers that are to examine them.

    ``write`` writes its trees where no checkout has them, ``executor`` makes other executors.
    ``keep`` takes the partial report that a killed run would leave.  ``ordered`` targets stay so.
    ``read`` are findings that the text of the changed functions shows.
    """

    changes: ChangeSet
    found: DetectionResult
    analyzers: tuple[Analyzer, ...]
    configuration: Configuration
    notes: tuple[str, ...] = ()
    write: WriteTree | None = None
    executor: ExecutorFactory | None = None
    keep: KeepPartial | None = None
    ordered: bool = False
    read: tuple[Finding, ...] = ()


def plan_check(
    request: CheckRequest,
    settings: Settings,
    listener: CheckListener,
    keep: KeepPartial | None = None,
) -> CheckPlan:
    """Read the change and detect its targets.

    Raises ``UsageError`` for wrong usage or configuration, ``MachineError`` where
    this machine cannot read the change, and ``GpuNeededError``.
    """
    with phase("read changes"):
        configuration, changes = _read(request)
    names = request.analyzers or configuration.analyzers
    analyzers = _analyzers(names) if names else ()
    _require_targets(request, changes)
    with phase("detection"):
        seconds = request.seconds or configuration.budget.seconds
        found = _detected(request, changes, seconds)
    listener.compared(_sides(request, changes, len(found.targets), seconds))
    if found.targets:
        analyzers = analyzers or _analyzers(())
        found = replace(found, targets=_concerned(analyzers, found.targets))
    found = _without_gpu(found, changes, request.gpu)
    notes = (*added_ignores(changes), *_notes(request, settings)) if found.targets else ()
    read: tuple[Finding, ...] = ()
    if not names or CLOUD in names:
        with phase("read changed functions"):
            told = list(_read_functions(request, changes, found.targets, seconds))
        read = tuple(each for each in told if isinstance(each, Finding))
        left = tuple(each for each in told if isinstance(each, Skipped))
        found = replace(found, skipped=(*found.skipped, *left))
    return CheckPlan(changes, found, analyzers, configuration, notes, keep=keep, read=read)


def _read_functions(
    request: CheckRequest, changes: ChangeSet, targets: Sequence[Target], seconds: float
) -> Iterator[Finding | Skipped]:
    """Yield what the text of changed functions and of targets shows, of those asked for."""
    paths = own_sources(changes.sources, catalogue.load_catalogue()).keys()
    functions = {
        change.path: set(file_difference(change, changes).functions)
        for change in changes.changes
        if change.path in paths and not change.deleted
    }
    asking = tuple(filter(catalogue.asks_cloud, targets))
    for target in asking:
        functions.setdefault(target.path, set()).add(target.function)
    asked = frozenset(request.targets)
    limit = min(READING_SECONDS, READING_SHARE * seconds)
    variables = catalogue.load_catalogue().variables
    answers = asked_answers(asking)
    for finding in read_changes(changes, functions, paths, limit, answers, variables):
        if not asked or isinstance(finding, Skipped) or finding.target in asked:
            yield finding


def asked_answers(targets: Sequence[Target]) -> Mapping[str, AskedAnswers]:
    """Return what is known of the answers that targets ask for, by the file."""
    known = catalogue.load_catalogue().apis
    found: dict[str, AskedAnswers] = {}
    for target in targets:
        seen = found.get(target.path, AskedAnswers())
        apis = (known[name] for name in target.apis if name in known)
        lines = {goal.line for goal in target.goals if goal.path == target.path}
        found[target.path] = AskedAnswers(
            seen.lists.union(*(api.lists for api in apis)), seen.lines | lines
        )
    return found


def _read(request: CheckRequest) -> tuple[Configuration, ChangeSet]:
    """Return the configuration that counts, and what changed."""
    configuration = read_configuration(
        request.repository,
        request.configured_by or request.base,
        head=request.head,
        everything=request.everything,
    )
    changes = read_change_set(
        request.repository,
        base=request.base,
        head=request.head,
        scope=ProjectScope(include=configuration.include, exclude=configuration.exclude),
        everything=request.everything,
    )
    refuse_malformed(changes)
    return configuration, changes


def _detected(request: CheckRequest, changes: ChangeSet, seconds: float) -> DetectionResult:
    """Return the targets of a change; files that earlier runs have read are not read again."""
    facts = known_facts(request.results, len(changes.sources))
    found = detect(
        changes,
        catalogue.load_catalogue(),
        everything=request.everything,
        only=request.targets,
        facts=facts,
        seconds=min(DETECTION_SECONDS, DETECTION_SHARE * seconds),
    )
    keep_facts(request.results, facts)
    return found


def _sides(
    request: CheckRequest, changes: ChangeSet, functions: int, seconds: float
) -> ComparedSides:
    return ComparedSides(
        changes.base, request.base, changes.head, len(changes.changes), functions, seconds
    )


def _analyzers(names: Sequence[str]) -> tuple[Analyzer, ...]:
    """Return the analyzers of these names, or all; only here are they loaded."""
    from analyzers.pipeline import ANALYZERS, analyzers_named  # noqa: PLC0415

    try:
        return analyzers_named(names)
    except KeyError as unknown:
        known = ", ".join(analyzer.name for analyzer in ANALYZERS)
        raise UsageError(f"no analyzer is called {unknown}; there is: {known}") from unknown


def _concerned(analyzers: Sequence[Analyzer], targets: Sequence[Target]) -> tuple[Target, ...]:
    from analyzers.pipeline import concerned_targets  # noqa: PLC0415

    return concerned_targets(analyzers, targets)


def _require_targets(request: CheckRequest, changes: ChangeSet) -> None:
    """Refuse targets that are not there; a file that cannot be read is said in the report."""
    unread = {skipped.target for skipped in changes.skipped}
    for target in request.targets:
        path, _, function = target.partition("::")
        if path not in unread and not _has_target(path, function, changes.sources):
            raise UsageError(
                f"--target {target}: there is no such function "
                "(write it as path/to/file.py::Qualified.name)"
            )


def _has_target(path: str, function: str, sources: Mapping[str, str]) -> bool:
    from analyzers.inference.function_lookup import find_function  # noqa: PLC0415

    defined = has_function(sources.get(path, ""), function)
    return defined or find_function(path, function, sources) is not None


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
