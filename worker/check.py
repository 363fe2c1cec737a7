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
from analyzers.catalogue.places import add
from analyzers.detection import Detected, detect
from analyzers.detection.frameworks import deep_learning_files, is_deep_learning
from analyzers.pipeline import ANALYZERS, concerned, conclude, named
from analyzers.ports import Analyzer, Plan
from analyzers.vocabulary import ChangeSet, Cost, Report, Skipped
from worker.broker import Broker, Budget, Shelves, Standing
from worker.campaign import BenchMaker, Campaign, Listener
from worker.changes import Scope, materialise, read_changes
from worker.engines import FORK, Engines
from worker.engines.eviction import Limits
from worker.errors import UsageError
from worker.functions import has_function
from worker.ignores import added_ignores, refuse_malformed
from worker.laboratory.bench import SandboxBench
from worker.laboratory.examples import Examples
from worker.laboratory.furnishing import furnished
from worker.laboratory.laboratory import Laboratory, Tree
from worker.laboratory.place import place_for
from worker.relations import use_built
from worker.settings.configuration import Configuration, proposal, read_configuration
from worker.settings.server import Settings
from worker.sources import configured
from worker.temporary import owned_folder

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
    standing: Standing | None = None
    other_providers: bool = False
    configured_by: str | None = None
    gpu: Gpu = Gpu.HERE


@dataclass(frozen=True, slots=True)
class Checked:
    """A report, and the head texts by path that it speaks of."""

    report: Report
    sources: Mapping[str, str]


Keep = Callable[[Checked], None]
"""Keeps a partial report; a later one takes its place."""

Write = Callable[[str | None, Path], tuple[Skipped, ...]]
"""Writes the tree of a revision into an empty folder; what it left out, with the reason."""


@dataclass(frozen=True, slots=True)
class Work:
    """Targets of a change set, and the analyzers that are to examine them.

    ``write`` writes its trees where no checkout has them, ``bench`` makes the benches.
    ``keep`` takes the partial report that a killed run would leave.
    """

    changes: ChangeSet
    found: Detected
    analyzers: tuple[Analyzer, ...]
    configuration: Configuration
    notes: tuple[str, ...] = ()
    write: Write | None = None
    bench: BenchMaker = SandboxBench
    keep: Keep | None = None


def check(
    request: CheckRequest, settings: Settings, listener: Listener, keep: Keep | None = None
) -> Checked:
    """Test what changed between two revisions of a checkout.

    Raises ``UsageError`` for wrong usage or configuration, ``MachineError``
    where this machine cannot do it, and ``GpuNeededError`` where another one
    shall; everything else, our own failures too, stands in the report.  On
    ``KeyboardInterrupt`` the report is partial; ``keep`` takes it as it grows.
    """
    began = time.monotonic()
    if settings.catalogue.folder is not None:
        add(settings.catalogue.folder)
    use_built()
    configuration = _configuration(request)
    changes = _changes(request, configuration)
    refuse_malformed(changes)
    analyzers = _analyzers(request, configuration)
    _require_targets(request, changes)
    found = detect(changes, catalogue.load(), everything=request.everything, only=request.targets)
    found = replace(found, targets=concerned(analyzers, found.targets))
    found = _placed(found, changes, request.gpu)
    listener.detected(found.targets)
    if not found.targets:
        return Checked(_untouched(changes, found, began), changes.sources)
    notes = (*added_ignores(changes), *_proposal(request), *_withheld(request, settings))
    work = Work(changes, found, analyzers, configuration, notes, keep=keep)
    return Checked(examined(work, request, settings, listener, began), changes.sources)


def examined(
    work: Work, request: CheckRequest, settings: Settings, listener: Listener, began: float
) -> Report:
    """Let the analyzers examine the targets, as long as the budget lasts, from ``began`` on.

    On ``KeyboardInterrupt`` the report is partial.
    """
    configuration = work.configuration
    plan = Plan(
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
            campaign = Campaign(laboratory, work.changes, work.found, listener, work.bench)

            def report() -> Report:
                return campaign.report(configuration, time.monotonic() - began, *work.notes)

            def keep() -> None:
                if work.keep is not None:
                    work.keep(Checked(report(), work.changes.sources))

            campaign.examine(work.analyzers, began + seconds, keep)
            return report()


def _analyzers(request: CheckRequest, configuration: Configuration) -> tuple[Analyzer, ...]:
    try:
        return named(request.analyzers or configuration.analyzers)
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


def _placed(found: Detected, changes: ChangeSet, gpu: Gpu) -> Detected:
    """What was found, and the files of it that a GPU would have been for."""
    used = {target.path for target in found.targets if is_deep_learning(target)}
    names = sorted(used.union(deep_learning_files(changes)))
    if gpu is Gpu.HERE or not names:
        return found
    if gpu is Gpu.ELSEWHERE:
        raise GpuNeededError
    return Detected(
        found.targets, (*found.skipped, *(Skipped("assayer", name, NO_GPU) for name in names))
    )


def _proposal(request: CheckRequest) -> tuple[str, ...]:
    """What to say of a change that edits the configuration."""
    if request.everything and request.base is None:
        return ()
    said = proposal(request.repository, request.base, head=request.head)
    return () if said is None else (said,)


def _changes(request: CheckRequest, configuration: Configuration) -> ChangeSet:
    return read_changes(
        request.repository,
        base=request.base,
        head=request.head,
        scope=Scope(include=configuration.include, exclude=configuration.exclude),
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


def _untouched(changes: ChangeSet, found: Detected, began: float) -> Report:
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


def _standing(request: CheckRequest) -> Standing:
    return request.standing or Standing(str(request.repository.resolve()))


def _examples(request: CheckRequest, settings: Settings) -> Examples:
    standing = _standing(request)
    folder = settings.recordings_folder
    return Examples.open(folder, standing.owner, writable=standing.approved)


def _broker(request: CheckRequest, settings: Settings, configuration: Configuration) -> Broker:
    standing = _standing(request)
    asked, most = configuration.budget, settings.budget
    kept = settings.recordings
    return Broker(
        Engines.from_settings(
            settings.engines, offline=request.offline, approved=standing.approved
        ),
        Shelves.open(settings.recordings_folder, standing, Limits(int(kept.size), kept.days)),
        Budget(min(asked.api_calls, most.api_calls), min(asked.api_dollars, most.api_dollars)),
    )


def _furnished(
    bare: Laboratory,
    request: CheckRequest,
    settings: Settings,
    work: Work,
    listener: Listener,
) -> AbstractContextManager[Laboratory]:
    """The laboratory with the environments; a developer's own is nobody else's."""
    own = request.standing is None and work.write is None
    return furnished(
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
    work: Work,
    plan: Plan,
) -> Generator[Laboratory]:
    changes, write = work.changes, work.write or partial(materialise, request.repository)
    place = place_for(settings, trust=request.trust)
    sources = configured(settings.sources, offline=request.offline)
    broker = _broker(request, settings, work.configuration)
    with owned_folder("trees") as folder:
        trees: dict[str, Tree] = {}
        left_out: dict[str, tuple[Skipped, ...]] = {}
        for side, revision, texts in (
            ("head", changes.head, changes.sources),
            ("base", changes.base, changes.base_sources),
        ):
            root = folder / side
            root.mkdir()
            if texts:
                left_out[side] = write(revision, root)
            trees[side] = Tree(root, texts)
        folder.chmod(0o755)
        yield Laboratory(
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
