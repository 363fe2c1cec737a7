"""A recorded run, examined with the pipeline of the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from analyzers.vocabulary import Target, Verdict
from worker.broker import Standing
from worker.check import CheckRequest, check
from worker.errors import MachineError
from worker.report import write_artifacts
from worker.report.as_json import report_document
from worker.settings.server import Settings
from worker.store import Job, RunRecord, Store


def examine(run: RunRecord, settings: Settings) -> Mapping[str, Any]:
    """Return the report's document; its files lie in the run's own folder.

    Raises ``UsageError`` and ``MachineError`` as the command line does.
    """
    job = run.job
    request = CheckRequest(
        checkout(job.repository, settings), job.base, job.head, standing=standing(job, settings)
    )
    checked = check(request, settings, _Silent())
    folder = artifacts_folder(settings).resolve() / run.id
    folder.mkdir(parents=True, exist_ok=True)
    artifacts = write_artifacts(checked.report, folder, checked.sources)
    return report_document(checked.report, artifacts, folder)


def standing(job: Job, settings: Settings) -> Standing:
    """On whose behalf a job asks: a fork's code only what is free, until approved."""
    with Store(settings.store.url) as store:
        approved = not job.fork or store.approval(job.repository, job.head) is not None
    return Standing(f"github:{job.repository}", approved, job.private)


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


def artifacts_folder(settings: Settings) -> Path:
    """Return the folder that holds a folder of files for each run."""
    return Path(settings.store.blobs) / "runs"


class _Silent:
    def detected(self, targets: Sequence[Target]) -> None:
        """Say nothing."""

    def preparing(self, what: str) -> None:
        """Say nothing."""

    def examining(self, target: Target) -> None:
        """Say nothing."""

    def found(self, verdict: Verdict) -> None:
        """Say nothing."""
