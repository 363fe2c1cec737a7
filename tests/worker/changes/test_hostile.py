"""A repository that wants to run something, or to reach outside itself."""

import os
import subprocess

import pytest

from worker.changes import materialise, read_changes
from worker.errors import UsageError


@pytest.fixture
def mark(tmp_path):
    return tmp_path / "pwned"


@pytest.fixture
def hostile(project, mark):
    """Every configuration that makes some git command run a program."""
    base = project.commit(app="a = 1\n", second="b = 1\n")
    script = project.write(".git/evil", f"#!/bin/sh\ntouch {mark}\ncat\n")
    script.chmod(0o755)
    for hook in ("post-checkout", "post-index-change", "reference-transaction", "pre-commit"):
        (project.root / ".git/hooks" / hook).symlink_to(script)
    for key in (
        "core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass",
        "diff.external", "diff.evil.textconv", "diff.evil.command", "filter.evil.clean",
        "filter.evil.smudge", "filter.evil.process", "pager.diff", "gpg.program",
        "credential.helper", "uploadpack.packObjectsHook", "merge.evil.driver",
    ):  # fmt: skip
        project.git("config", key, str(script))
    project.git("config", "filter.evil.required", "true")
    project.git("config", "alias.ls-files", f"!{script}")
    project.git("config", "extensions.partialClone", "origin")
    project.git("config", "remote.origin.promisor", "true")
    project.git("config", "remote.origin.url", f"ext::{script}")
    project.git("config", "protocol.allow", "always")
    project.write(".gitattributes", "* diff=evil filter=evil merge=evil\n")
    project.write("app.py", "a = 2\n")
    os.utime(project.root / "second.py")
    return project, base


def test_hostile_configuration_runs_nothing(hostile, mark, tmp_path, monkeypatch):
    project, base = hostile
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(project.root / ".git/evil"))
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    changes = read_changes(project.root, base=base)
    assert [change.path for change in changes.changes] == ["app.py"]
    materialise(project.root, None, tmp_path / "head")
    materialise(project.root, base, tmp_path / "base")
    with pytest.raises(UsageError):
        read_changes(project.root, base="0" * 40)
    assert (tmp_path / "base" / "app.py").read_text() == "a = 1\n"
    assert not mark.exists()


def test_attack_works_on_plain_git(hostile, mark):
    project, _ = hostile
    project.git("config", "--unset", "extensions.partialClone")
    subprocess.run(["git", "diff"], cwd=project.root, capture_output=True, check=False)
    assert mark.exists()


def test_missing_objects_are_not_fetched(hostile, mark):
    project, base = hostile
    blob = project.git("rev-parse", f"{base}:second.py")
    (project.root / ".git/objects" / blob[:2] / blob[2:]).unlink()
    project.write("second.py", "b = 2\n")
    changes = read_changes(project.root, base=base)
    assert "second.py" not in changes.base_sources
    assert changes.sources["second.py"] == "b = 2\n"
    assert not mark.exists()


def test_work_tree_elsewhere_is_refused(project, tmp_path):
    project.commit(app="a = 1\n")
    project.git("config", "core.worktree", str(tmp_path))
    with pytest.raises(UsageError, match="work tree"):
        read_changes(project.root, everything=True)


def test_replaced_commits_are_not_believed(project):
    base = project.commit(app="a = 1\n")
    head = project.commit(app="a = 2\n")
    project.git("replace", head, base)
    assert read_changes(project.root, base=base, head=head).sources["app.py"] == "a = 2\n"
