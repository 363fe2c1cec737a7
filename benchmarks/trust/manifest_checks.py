"""A project checked as ``assayer check`` does it, and compared with its manifest."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.trust.manifests import TESTED, Project
from worker.check.check_plan import CheckRequest
from worker.check.pipeline import check
from worker.cli.progress import SilentListener
from worker.report.json_report import report_document
from worker.settings.operator_settings import SandboxSettings, Settings, read_settings

IDENTITY = {
    **{f"GIT_{who}_NAME": "A. Author" for who in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{who}_EMAIL": "author@example.org" for who in ("AUTHOR", "COMMITTER")},
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}
SEED = 0


@dataclass(frozen=True)
class Result:
    """The report on a project as JSON, and how long it took."""

    project: Project
    report: Mapping[str, Any]
    seconds: float

    @property
    def tested(self) -> dict[str, str]:
        """Return what the report claims to have tested, by target."""
        return {target["id"]: target["tested"] for target in self.report["targets"]}

    @property
    def findings(self) -> list[Mapping[str, Any]]:
        """The findings of the head, of whatever status."""
        return [finding for finding in self.report["findings"] if finding["status"] != "fixed"]


def checked(
    project: Project,
    budget: float | None = None,
    analyzers: tuple[str, ...] = (),
    inputs: int | None = None,
) -> Result:
    """Check a project offline, in a state folder of its own."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="trust-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        repository = _repository(folder / project.name, project)
        request = CheckRequest(
            repository,
            base="HEAD~1",
            head="HEAD",
            analyzers=analyzers,
            inputs=inputs,
            seconds=project.budget if project.group == "untestable" else budget or project.budget,
            seed=SEED,
            offline=True,
        )
        found = check(request, _settings(project, folder / "state"), SilentListener())
    return Result(project, report_document(found.report), time.monotonic() - began)


def deviations(result: Result) -> list[str]:
    """Return what the report says against the manifest, one sentence each."""
    return [*_verdict(result), *_findings(result), *_tested(result)]


def _verdict(result: Result) -> Iterator[str]:
    said, allowed = result.report["verdict"], result.project.verdicts
    if said not in allowed:
        ours = [
            *result.report["broken"],
            *(e for e in result.report["skipped"] if "our_fault" in e),
        ]
        why = f" ({'; '.join(str(each) for each in ours)})" if ours else ""
        yield f"verdict {said}, expected {' or '.join(sorted(allowed))}{why}"


def _findings(result: Result) -> Iterator[str]:
    missing = list(result.project.findings)
    for finding in result.findings:
        wanted = next((each for each in missing if finding["rule"] in each.split("|")), None)
        if wanted is not None:
            missing.remove(wanted)
        elif finding["level"] != "notice" or finding["rule"] not in result.project.notices:
            yield (
                f"reported {finding['rule']} ({finding['level']}) at"
                f" {finding['path']}:{finding['line']}: {finding['title']}"
            )
    for rules in missing:
        yield f"not reported: {rules}"


def _tested(result: Result) -> Iterator[str]:
    project = result.project
    targets = {target["id"]: target for target in result.report["targets"]}
    for name in sorted({*project.most, *project.least} - {*targets}):
        yield f"{name} is no target"
    for name, said in result.tested.items():
        most = project.most.get(name, "yes")
        if TESTED.index(said) > TESTED.index(most):
            yield f"{name} tested: {said}, and it can be: {most}"
        if said == "no" and name in project.least:
            yield f"{name} was not tested: {'; '.join(targets[name]['reasons'])}"
        if said != "no" and not targets[name]["executions"]:
            yield f"{name} tested: {said}, without an execution"
    untested = [name for name, said in result.tested.items() if said != "yes"]
    if result.report["verdict"] == "success" and untested:
        yield f"verdict success, and {', '.join(untested)} not wholly tested"


def _settings(project: Project, state: Path) -> Settings:
    state.mkdir()
    settings = read_settings()
    sandbox = settings.sandbox
    if project.memory is not None:
        sandbox = SandboxSettings.model_validate({**sandbox.model_dump(), "memory": project.memory})
    folders = {
        "recordings": settings.recordings.model_copy(update={"folder": state / "recordings"}),
        "environments": settings.environments.model_copy(update={"folder": state / "environments"}),
    }
    return settings.model_copy(update={**folders, "sandbox": sandbox})


def _repository(folder: Path, project: Project) -> Path:
    folder.mkdir()
    _git(folder, "init", "--quiet", "--initial-branch=main")
    _commit(folder, {"README.md": f"# {project.name}\n", **project.base})
    _commit(folder, {"README.md": f"# {project.name}\n", **project.head})
    return folder


def _commit(folder: Path, files: Mapping[str, str]) -> None:
    tracked = _git(folder, "ls-files", "-z").split("\0")
    for path in filter(None, tracked):
        (folder / path).unlink()
    for path, text in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    _git(folder, "add", "--all")
    _git(folder, "commit", "--quiet", "--allow-empty", "--message=Work")


def _git(folder: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments],
        cwd=folder,
        env={"PATH": os.environ["PATH"], **IDENTITY},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
