"""A recorded run, examined with the pipeline of the command line.

Here tested code is looked at: nothing of the GitHub App is known, and what
is examined was fetched before.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from worker.broker.recording_caches import RunRequester
from worker.check.check_plan import CheckRequest, CheckResult, Gpu
from worker.check.pipeline import check
from worker.check.result_store import BlobResults
from worker.errors import MachineError
from worker.report.artifacts import write_artifacts
from worker.report.json_report import report_document
from worker.runs.run_attempt import PartialReport, ProgressReporter, ReportProgress
from worker.settings.operator_settings import Settings
from worker.store.blobs import Blobs, clone_key, unpack
from worker.store.records import Job, RunRecord
from worker.store.store import Store
from worker.system.temporary_files import owned_folder

BASE = "refs/assayer/base"
HEAD = "refs/assayer/head"
MERGE_BASE = "refs/assayer/merge-base"


def examine(run: RunRecord, settings: Settings, tell: ReportProgress) -> Mapping[str, Any]:
    """Return the report's document; its files are blobs under ``runs/<run id>/``.

    Raises ``UsageError``, ``MachineError`` and ``GpuNeededError`` as a check
    does, and ``PartialReport`` where it was interrupted.
    """
    tell("fetching the code")
    with _checkout_of_run(run, settings) as request:
        checked = check(request, settings, ProgressReporter(tell))
    if checked.report.interrupted:
        raise PartialReport(partial(_documented, checked, run, settings))
    return _documented(checked, run, settings)


def _documented(checked: CheckResult, run: RunRecord, settings: Settings) -> Mapping[str, Any]:
    """Return the report's document; its files are stored."""
    with owned_folder("report") as folder:
        artifacts = write_artifacts(checked.report, folder, checked.sources, checked.base_sources)
        document = report_document(checked.report, artifacts, folder)
        Blobs(settings.store.blobs).put_folder(f"runs/{run.id}", folder)
    return {**document, "repository": run.job.repository}


def requester_of(job: Job, settings: Settings) -> RunRequester:
    """On whose behalf a job asks: a fork's code only what is free, until approved."""
    with Store(settings.store.url) as store, store.read() as unit:
        approved = not job.fork or unit.approvals.get(job.repository, job.head) is not None
    return RunRequester(f"github:{job.repository}", approved, job.private)


@contextmanager
def _checkout_of_run(run: RunRecord, settings: Settings) -> Generator[CheckRequest]:
    """The run as a request to the pipeline; its clone is there until the block ends."""
    job = run.job
    if job.installation is None:
        yield _request(run, settings, checkout(job.repository, settings), job.base, job.head)
        return
    with _unpacked(run, settings) as folder:
        everything = job.options.everything and job.base is None
        yield _request(run, settings, folder, None if everything else MERGE_BASE, HEAD)


def _request(
    run: RunRecord, settings: Settings, repository: Path, base: str | None, head: str | None
) -> CheckRequest:
    job, options = run.job, run.job.options
    requester = requester_of(job, settings)
    return CheckRequest(
        repository,
        base,
        head,
        everything=options.everything,
        targets=() if options.target is None else (options.target,),
        analyzers=() if options.analyzer is None else (options.analyzer,),
        inputs=options.inputs,
        seed=options.seed or 0,
        requester=requester,
        configured_by=BASE if base == MERGE_BASE else None,
        gpu=_gpu(run, settings),
        results=BlobResults(Blobs(settings.store.blobs), requester.owner),
        fresh=options.fresh,
    )


def _gpu(run: RunRecord, settings: Settings) -> Gpu:
    if run.queue == "gpu" or settings.queue.gpu == "never":
        return Gpu.HERE
    return Gpu.NOWHERE if run.without_gpu else Gpu.ELSEWHERE


@contextmanager
def _unpacked(run: RunRecord, settings: Settings) -> Generator[Path]:
    """The prepared clone of a run, until the block ends."""
    with owned_folder("clone") as folder:
        try:
            with Blobs(settings.store.blobs).open(clone_key(run.id)) as stream:
                unpack(stream, folder)
        except FileNotFoundError:
            raise MachineError(
                "the clone that was prepared for this run is gone",
                "Run it again; [store] blobs must be the same for every process.",
            ) from None
        yield folder


def checkout(repository: str, settings: Settings) -> Path:
    """Return the checkout of ``owner/name`` that the operator keeps.

    Raises ``MachineError`` where there is none, or where the name leads out
    of the folder of checkouts.
    """
    root = settings.github.checkouts
    if root is None:
        raise MachineError(
            "there are no checkouts to test", "Set github.checkouts to their folder."
        )
    folder = (root / repository).resolve()
    if not (folder.is_relative_to(root.resolve()) and folder.is_dir()):
        raise MachineError(
            f"there is no checkout of {repository}", "Clone it into github.checkouts."
        )
    return folder
