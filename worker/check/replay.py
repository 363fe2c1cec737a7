"""A report's findings run again on the code in a folder, offline."""

from __future__ import annotations

import shutil
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from analyzers.catalogue.api_descriptions import add_folder
from analyzers.criteria import all_ran, is_shown, is_written, relocated
from analyzers.inference.facts import parse_module
from analyzers.vocabulary import (
    ApiCall,
    Finding,
    NotRun,
    Reason,
    Target,
    Written,
)
from worker.broker.api_broker import Broker
from worker.broker.request_admission import ApiBudget
from worker.changes.python_source import has_function
from worker.changes.tree_writer import materialise
from worker.engines.engine_selection import Engines
from worker.engines.recordings import Recordings
from worker.environments.interpreters import developer_environment
from worker.environments.provision import Environments
from worker.errors import UsageError
from worker.executor.execution_context import GuestRuntime, folder_obstacle, guest_runtime
from worker.executor.guest_conversation import GuestFailure, TargetNotLoaded
from worker.executor.session import Session
from worker.report.json_report import replay_files
from worker.report.replay_file import read_replay
from worker.settings.operator_settings import Settings
from worker.system.temporary_files import owned_folder

NOT_CODE = shutil.ignore_patterns(".git", ".venv", "venv", "node_modules", "__pycache__")


class ReplayOutcome(StrEnum):
    """The status of a finding on the code at hand."""

    FAILED = "FAILED"
    FIXED = "FIXED"
    ERROR = "ERROR"


@dataclass(frozen=True, slots=True)
class ReplayedFinding:
    """One finding's outcome; ``reason`` where it could not be decided."""

    fingerprint: str
    outcome: ReplayOutcome
    reason: str = ""


def replay_report(
    report: Path, code: Path, settings: Settings, *, trust: bool = False
) -> Iterator[ReplayedFinding]:
    """Yield the outcome of each finding of a JSON report, in its order.

    Raises ``UsageError`` for a report or replay file that cannot be used and
    ``MachineError`` where nothing can be isolated.
    """
    if settings.catalogue.folder is not None:
        add_folder(settings.catalogue.folder)
    files = replay_files(report)
    findings = [read_replay(file) for file in files]
    if not findings:
        return
    bare = guest_runtime(settings, trust=trust)
    paths = [finding.path for finding in findings]
    with _copied(code) as tree, _furnished(bare, settings, tree, paths, code) as place:
        for finding in findings:
            yield _replayed(finding, place, tree)


@contextmanager
def _furnished(
    place: GuestRuntime, settings: Settings, tree: Path, paths: Sequence[str], code: Path
) -> Generator[GuestRuntime]:
    """The place with the environment that the code has here already; none is installed."""
    own = developer_environment(code) if (code / ".git").exists() else None
    with Environments(
        settings.environments,
        settings.sandbox.python,
        lambda _: None,
        offline=True,
        obstacle=folder_obstacle(place.isolation, settings.environments.folder),
        isolation=place.isolation,
    ) as environments:
        yield place.of(environments.of_tree(tree, paths, own))


@contextmanager
def _copied(code: Path) -> Generator[Path]:
    if not code.is_dir():
        raise UsageError(f"{code} is no folder")
    with owned_folder("replay") as folder:
        tree = folder / "tree"
        if (code / ".git").exists():
            materialise(code, None, tree)
        else:
            shutil.copytree(code, tree, symlinks=True, ignore=NOT_CODE)
        folder.chmod(0o755)
        yield tree


def _replayed(finding: Finding, place: GuestRuntime, tree: Path) -> ReplayedFinding:
    text = _text(tree / finding.path)
    criterion = relocated(finding.criterion, text or "")
    if text is None or criterion is None or not _has_target(finding, tree):
        return ReplayedFinding(
            finding.fingerprint, ReplayOutcome.FIXED, "the code is not there any more"
        )
    if isinstance(criterion, Written):
        return _outcome(finding, failed=is_written(criterion, text))
    broker = Broker(Engines(()), Recordings(None), ApiBudget(0))
    try:
        with Session(place, tree, _target(finding), broker) as session:
            runs = session.run(finding.probes)
    except (TargetNotLoaded, GuestFailure) as error:
        return ReplayedFinding(
            finding.fingerprint, ReplayOutcome.ERROR, str(error).partition("\n")[0]
        )
    if not all_ran(runs):
        reasons = [run.ending.reason for run in runs if isinstance(run.ending, NotRun)]
        return ReplayedFinding(
            finding.fingerprint, ReplayOutcome.ERROR, "; ".join(dict.fromkeys(reasons))
        )
    return _outcome(finding, failed=is_shown(criterion, runs))


def _has_target(finding: Finding, tree: Path) -> bool:
    path, _, function = finding.target.partition("::")
    text = _text(tree / path)
    if text is None or parse_module(text) is None or path.endswith(".ipynb"):
        return True
    return has_function(text, function, inherited=True)


def _outcome(finding: Finding, *, failed: bool) -> ReplayedFinding:
    return ReplayedFinding(
        finding.fingerprint, ReplayOutcome.FAILED if failed else ReplayOutcome.FIXED
    )


def _text(file: Path) -> str | None:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _target(finding: Finding) -> Target:
    path, _, function = finding.target.partition("::")
    apis = {e.api for probe in finding.probes for e in probe.script or ()}
    calls = tuple(ApiCall(api, path, function, 1) for api in sorted(apis))
    files = {path, *(goal.path for goal in finding.criterion.goals)}
    return Target(path, function, 1, 1, Reason.CHANGED, calls, (), tuple(sorted(files)))
