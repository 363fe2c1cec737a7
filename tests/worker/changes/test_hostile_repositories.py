"""A repository that wants to run something, or to reach outside itself."""

import os
import subprocess

import pytest

from tests.worker.changes.conftest import Project
from worker.changes import git
from worker.changes.change_set import read_changes
from worker.changes.checkout import open_checkout
from worker.changes.git import Git
from worker.changes.shadow_repository import shadow
from worker.changes.tree_writer import materialise
from worker.errors import MachineError, UsageError


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
        "core.alternateRefsCommand", "core.gitProxy", "interactive.diffFilter",
        "trailer.evil.command", "sequence.editor", "gpg.ssh.program", "pager.ls-files",
    ):  # fmt: skip
        project.git("config", key, str(script))
    more = project.write(".git/more", f"[core]\n\tfsmonitor = {script}\n\thooksPath = .git/hooks\n")
    project.git("config", "include.path", str(more))
    project.git("config", "includeIf.gitdir:**.path", str(more))
    project.git("config", "extensions.worktreeConfig", "true")
    project.git("config", "--worktree", "core.fsmonitor", str(script))
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


@pytest.mark.parametrize(
    "revision",
    ["--output=mark", "-h", "--all", "--exec-path=.", "@{-1}x", "a..b", ":/", "^HEAD",
     "HEAD:app.py", "HEAD\nHEAD", "HEAD\0", "--upload-pack=touch mark", "", " ", "HEAD^{/(a+)+$}"],
)  # fmt: skip
def test_revisions_are_never_options(project, revision):
    project.commit(app="a = 1\n")
    for side in ({"base": revision}, {"base": "HEAD", "head": revision}):
        with pytest.raises(UsageError, match="unknown revision"):
            read_changes(project.root, **side)
    assert not (project.root / "mark").exists()


def test_branch_that_looks_like_an_option_is_a_branch(project):
    base = project.commit(app="a = 1\n")
    head = project.commit(app="a = 2\n")
    project.git("update-ref", "refs/heads/--output=mark", base)
    project.git("update-ref", "refs/heads/-x", head)
    changes = read_changes(project.root, base="refs/heads/--output=mark", head="refs/heads/-x")
    assert (changes.base, changes.head) == (base, head)
    assert read_changes(project.root, base="--output=mark").base == base
    assert not (project.root / "mark").exists()


def test_grafts_are_not_believed(project):
    first = project.commit(app="a = 1\n")
    second = project.commit(app="a = 2\n")
    third = project.commit(app="a = 3\n")
    project.write(".git/info/grafts", f"{third} {first}\n")
    assert read_changes(project.root, base="HEAD~1").base == second


@pytest.fixture
def private(tmp_path):
    """Another repository of this machine, and its one commit."""
    other = Project(tmp_path / "private")
    return other, other.commit(secret="KEY = 'private'\n")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("quoted", [False, True])
@pytest.mark.parametrize("hops", [1, 2])
def test_objects_of_other_users_are_not_borrowed(project, private, tmp_path, quoted, hops):
    other, commit = private
    objects = other.root / ".git/objects"
    os.chown(objects, 4242, 4242)
    for number in range(hops - 1):
        between = tmp_path / f"between{number}"
        (between / "info").mkdir(parents=True)
        (between / "info/alternates").write_text(f"{objects}\n")
        objects = between
    line = f'"{objects}"\n'.replace("p", "\\160") if quoted else f"{objects}\n"
    project.write(".git/objects/info/alternates", line)
    project.commit(app="a = 1\n")
    with pytest.raises(UsageError, match="another user"):
        read_changes(project.root, base="HEAD", head=commit)
    with pytest.raises(UsageError, match="another user"):
        materialise(project.root, commit, tmp_path / "out")


def test_own_alternates_are_read(project, tmp_path):
    base = project.commit(app="a = 1\n")
    project.git("clone", "--quiet", "--shared", str(project.root), str(tmp_path / "shared"))
    assert read_changes(tmp_path / "shared", base=base, head=base).base == base


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_git_file_that_points_at_another_users_folder_is_refused(private, tmp_path):
    other, _ = private
    subprocess.run(["chown", "-R", "4242:4242", other.root / ".git"], check=True)
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / ".git").write_text(f"gitdir: {other.root}/.git\n")
    with pytest.raises(UsageError, match="another user"):
        read_changes(tmp_path / "here", everything=True)


@pytest.mark.parametrize("target", ["/dev/zero", "/etc/hostname", "pipe"])
def test_list_of_missing_history_is_read_as_such_alone(project, tmp_path, target):
    base = project.commit(app="a = 1\n")
    os.mkfifo(project.root / ".git" / "pipe")
    checkout = open_checkout(project.root)
    (project.root / ".git" / "shallow").symlink_to(target)
    with pytest.raises(UsageError, match="shallow"), shadow(checkout):
        pass
    (project.root / ".git" / "shallow").unlink()
    project.write(".git/shallow", f"{base}\n\x1b[31mnot a commit\n")
    with shadow(checkout) as git:
        assert (git.directory / "shallow").read_text() == f"{base}\n"


def test_errors_of_git_are_shown_without_escapes(tmp_path):
    (tmp_path / ".git").write_text("gitdir: \x1b]0;owned\x07\n")
    with pytest.raises(UsageError) as failure:
        read_changes(tmp_path, everything=True)
    assert str(failure.value).isprintable()


def test_git_that_hangs_or_floods_is_stopped(project, tmp_path, monkeypatch):
    project.commit(app="a = 1\n")
    monkeypatch.setattr(git, "SECONDS", 0.5)
    monkeypatch.setattr(git, "MAX_OUTPUT", 1000)
    with pytest.raises(UsageError, match="more than 1,000 bytes"):
        Git(project.root).run("help", "--all")
    os.mkfifo(project.root / "pipe")
    with pytest.raises(MachineError, match="did not end"):
        Git(project.root).run("hash-object", "pipe")


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
