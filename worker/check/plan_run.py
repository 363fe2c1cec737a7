"""A plan that is carried out: trees written, environments lent, targets examined."""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial

from analyzers.ports import ExaminationPlan
from analyzers.vocabulary import Report, Skipped, Target
from worker.broker.api_broker import Broker
from worker.broker.recording_caches import RecordingCaches, RunRequester
from worker.broker.request_admission import ApiBudget
from worker.changes.tree_writer import materialise
from worker.check.check_plan import CheckListener, CheckPlan, CheckRequest, CheckResult
from worker.check.result_cache import ResultCache
from worker.check.result_keys import ResultKeys, RunScope
from worker.check.side_by_side import targets_at_once
from worker.check.target_examiner import TargetExaminer
from worker.check.target_order import most_telling_first
from worker.engines.engine_selection import Engines
from worker.engines.recordings import RecordingLimits
from worker.executor.example_database import ExampleDatabase
from worker.executor.execution_context import (
    ExecutionContext,
    SourceTree,
    guest_runtime,
    with_environments,
)
from worker.executor.sandbox_executor import SandboxExecutor
from worker.sandbox.warm_sandboxes import WarmSandboxes
from worker.settings.operator_settings import Settings
from worker.settings.repository_configuration import Configuration
from worker.sources.source_selection import configured_sources
from worker.studies.study_journal import use_built_tables
from worker.system.temporary_files import owned_folder
from worker.system.tracing import phase

MOST_REASONS = 10
LEAST_SHARED_SECONDS = 90.0
"""A shorter budget is spent on one target at a time: each more has sandboxes of its own, which
first import the libraries."""


def run_plan(
    plan: CheckPlan,
    request: CheckRequest,
    settings: Settings,
    listener: CheckListener,
    began: float,
) -> Report:
    """Let the analyzers examine the targets, as long as the budget lasts, from ``began`` on.

    On ``KeyboardInterrupt`` the report is partial.
    """
    use_built_tables()
    configuration = plan.configuration
    budget = request.seconds or configuration.budget.seconds
    # a developer's own checkout lends its environment, nobody else's does
    own = request.requester is None and plan.write is None
    with _execution_context(plan, request, settings, budget) as bare:
        starting = time.monotonic()
        with with_environments(
            bare,
            settings,
            [target.path for target in plan.found.targets],
            listener.preparing,
            offline=request.offline,
            checkout=request.repository if own else None,
        ) as context:
            seconds = budget + time.monotonic() - starting
            targets = plan.found.targets
            with phase("look for last results"):
                results = _results(plan, request, settings, context)
            room = budget * context.place.parallel
            order = targets if plan.ordered else _ordered(plan, results, room)
            executor = plan.executor or SandboxExecutor
            examiner = TargetExaminer(
                context, plan.changes, plan.found, listener, executor, order, results
            )
            examiner.hear(plan.read)

            def report() -> Report:
                return examiner.report(configuration, time.monotonic() - began, *plan.notes)

            def keep() -> None:
                if plan.keep is not None:
                    plan.keep(
                        CheckResult(report(), plan.changes.sources, plan.changes.base_sources)
                    )

            examiner.examine(plan.analyzers, began + seconds, keep)
            results.close()
            return report()


def _ordered(plan: CheckPlan, results: ResultCache, room: float) -> tuple[Target, ...]:
    return most_telling_first(plan.found.targets, plan.changes, results.outcomes, room)


def _results(
    plan: CheckPlan, request: CheckRequest, settings: Settings, context: ExecutionContext
) -> ResultCache:
    if request.results is None:
        return ResultCache()
    scope = RunScope(request, settings, plan, context).digest()
    keys = ResultKeys(scope, plan.changes, context)
    return ResultCache(request.results, keys.of, fresh=request.fresh)


def _parallel(request: CheckRequest, settings: Settings, budget: float) -> int:
    at_once = targets_at_once() if budget >= LEAST_SHARED_SECONDS else 1
    return request.jobs or settings.sandbox.parallel or at_once


def _asks_others(request: CheckRequest, settings: Settings) -> bool:
    """Return whether other providers may be asked: for money, so never for unapproved code."""
    return request.approved and (request.other_providers or settings.budget.other_providers)


@contextmanager
def _execution_context(
    plan: CheckPlan, request: CheckRequest, settings: Settings, budget: float
) -> Generator[ExecutionContext]:
    """Write both trees, and yield what guests need but for the project's environments."""
    changes, write = plan.changes, plan.write or partial(materialise, request.repository)
    requester = request.requester or RunRequester(str(request.repository.resolve()))
    with owned_folder("trees") as folder, ExitStack() as held:
        trees: dict[str, SourceTree] = {}
        left_out: dict[str, tuple[Skipped, ...]] = {}
        for side, revision, texts in (
            ("head", changes.head, changes.sources),
            ("base", changes.base, changes.base_sources),
        ):
            root = folder / side
            root.mkdir()
            if texts:
                with phase("write trees", side=side):
                    left_out[side] = write(revision, root)
            trees[side] = SourceTree(root, texts)
        folder.chmod(0o755)
        place = guest_runtime(settings, trust=request.trust)
        warm = held.enter_context(WarmSandboxes())
        yield ExecutionContext(
            replace(place, warm=warm, parallel=_parallel(request, settings, budget)),
            _broker(request, requester, settings, plan.configuration),
            configured_sources(settings.sources, offline=request.offline),
            ExaminationPlan(
                inputs=request.inputs or plan.configuration.inputs,
                recall_threshold=plan.configuration.recall_threshold,
                seed=request.seed,
                other_providers=_asks_others(request, settings),
            ),
            trees["head"],
            trees["base"],
            _missing(left_out.get("head", ())),
            ExampleDatabase.open(
                settings.recordings_folder, requester.owner, writable=requester.approved
            ),
        )


def _broker(
    request: CheckRequest, requester: RunRequester, settings: Settings, configuration: Configuration
) -> Broker:
    asked, most = configuration.budget, settings.budget
    kept = settings.recordings
    return Broker(
        Engines.from_settings(
            settings.engines, offline=request.offline, approved=requester.approved
        ),
        RecordingCaches.open(
            settings.recordings_folder, requester, RecordingLimits(int(kept.size), kept.days)
        ),
        ApiBudget(min(asked.api_calls, most.api_calls), min(asked.api_dollars, most.api_dollars)),
    )


def _missing(left_out: Sequence[Skipped]) -> tuple[str, ...]:
    by_reason: dict[str, list[str]] = {}
    for skipped in left_out:
        by_reason.setdefault(skipped.reason, []).append(skipped.target)
    return tuple(
        f"not there for the tested code: {paths[0]}"
        + (f" and {len(paths) - 1} more" if len(paths) > 1 else "")
        + f": {reason}"
        for reason, paths in list(by_reason.items())[:MOST_REASONS]
    )
