"""Clones and pushes by token."""

from __future__ import annotations

import os
import subprocess

import pytest


def git(folder, *arguments):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    environment |= {"GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_GLOBAL": os.devnull}
    names = ["-c", "user.name=a", "-c", "user.email=a@b.example", "-c", "credential.helper="]
    return subprocess.run(
        ["git", *names, *arguments],
        cwd=folder, capture_output=True, text=True, env=environment, check=False, timeout=600,
    )  # fmt: skip


def address(github, repo, token):
    return repo.clone_url.replace("http://", f"http://x-access-token:{token}@")


@pytest.fixture
def repo(github):
    return github.repository("cafe", private=True)


@pytest.fixture
def clone(github, repo, tmp_path):
    """Clones as an installation, and what was said."""

    def made(source=repo, **permissions):
        token = github.token(permissions=permissions or None)
        return git(tmp_path, "clone", "-q", address(github, source, token), "work")

    return made


def commit(folder):
    (folder / "more.py").write_text("1\n")
    git(folder, "add", ".")
    assert git(folder, "commit", "-qm", "More").returncode == 0


def test_private_repository_is_cloned_with_a_token_only(repo, clone, tmp_path):
    assert clone(contents="read").returncode == 0
    assert (tmp_path / "work/README.md").exists()
    assert git(tmp_path, "clone", "-q", repo.clone_url, "bare").returncode != 0


def test_clone_needs_the_contents_permission(clone):
    assert clone(checks="write").returncode != 0


def test_commit_of_a_pull_request_is_fetched_by_its_sha(github, repo, clone, tmp_path):
    pull = repo.pull("fix", files={"b.py": "2\n"}, user="m", fork=repo.fork("m"))
    clone()
    assert git(tmp_path / "work", "fetch", "-q", "origin", pull.head).returncode == 0
    shown = git(tmp_path / "work", "show", f"{pull.head}:b.py")
    assert shown.stdout == "2\n"


def test_push_moves_the_pull_request(github, repo, clone, tmp_path):
    pull = repo.pull(files={"b.py": "2\n"})
    clone()
    git(tmp_path / "work", "checkout", "-q", "feature")
    commit(tmp_path / "work")
    assert git(tmp_path / "work", "push", "-q").returncode == 0
    head = git(tmp_path / "work", "rev-parse", "HEAD").stdout.strip()
    assert pull.head == head
    told = github.deliveries.of("pull_request", "synchronize")[0].payload
    assert (told["after"], told["sender"]["login"]) == (head, "assayer[bot]")


def test_push_needs_write(clone, tmp_path):
    clone(contents="read")
    commit(tmp_path / "work")
    assert git(tmp_path / "work", "push", "-q").returncode != 0


def test_stale_push_is_refused(repo, clone, tmp_path):
    clone()
    commit(tmp_path / "work")
    repo.commit("main", {"other.py": "1\n"})
    refused = git(tmp_path / "work", "push", "-q")
    assert refused.returncode != 0
    assert "rejected" in refused.stderr


@pytest.mark.parametrize(
    ("editable", "branch", "works"),
    [(True, "fix", True), (False, "fix", False), (True, "main", False)],
)
def test_fork_is_pushed_to_where_maintainers_may_edit(
    github, repo, clone, tmp_path, editable, branch, works
):
    fork = repo.fork("m")
    repo.pull("fix", files={"b.py": "2\n"}, user="m", fork=fork, maintainers_edit=editable)
    clone()
    work = tmp_path / "work"
    git(work, "fetch", "-q", "origin", "refs/pull/1/head")
    git(work, "checkout", "-q", "FETCH_HEAD")
    commit(work)
    place = address(github, fork, github.token())
    pushed = git(work, "push", "-q", place, f"HEAD:refs/heads/{branch}")
    assert (pushed.returncode == 0) is works


def test_hidden_refs_are_not_pushed(repo, clone, tmp_path):
    clone()
    commit(tmp_path / "work")
    assert git(tmp_path / "work", "push", "-q", "origin", "HEAD:refs/pull/9/head").returncode != 0


def test_large_push_comes_in_pieces(repo, clone, tmp_path):
    clone()
    (tmp_path / "work/big.bin").write_bytes(os.urandom(3_000_000))
    commit(tmp_path / "work")
    assert git(tmp_path / "work", "push", "-q").returncode == 0
    assert len(repo.read("big.bin") or b"") == 3_000_000
