"""Workflows check out one commit; what it is compared with is fetched from a real remote."""

import json
import subprocess

import pytest

from worker.changes.change_set import read_changes
from worker.changes.continuous_integration import compared_base
from worker.errors import UsageError

SECRETS = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "PATH": "/usr/bin:/bin"}
NOBODY = ("-c", "user.name=n", "-c", "user.email=n@example.org")


class Remote:
    """A repository with a main branch of three commits and a branch of two, merged as GitHub does.

    ``merge`` is the commit of ``refs/pull/7/merge``.
    """

    def __init__(self, root):
        self.root = root
        root.mkdir()
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("config", "uploadpack.allowAnySHA1InWant", "true")
        self.commits = [self.commit("main.py", f"a = {n}\n") for n in range(3)]
        self.git("checkout", "--quiet", "-b", "change", self.commits[1])
        self.changed = [self.commit("change.py", f"b = {n}\n") for n in range(2)]
        self.git("checkout", "--quiet", "--detach", "main")
        self.git("merge", "--quiet", "--no-ff", "-m", "merge", "change")
        self.merge = self.git("rev-parse", "HEAD")
        self.git("update-ref", "refs/pull/7/merge", self.merge)
        self.git("checkout", "--quiet", "main")

    def git(self, *arguments, cwd=None):
        command = ["git", *NOBODY, *arguments]
        done = subprocess.run(
            command, cwd=cwd or self.root, env=SECRETS, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def commit(self, name, text):
        (self.root / name).write_text(text)
        self.git("add", name)
        self.git("commit", "--quiet", "-m", text)
        return self.git("rev-parse", "HEAD")

    def checkout(self, folder, commit):
        """As ``actions/checkout`` leaves it: one commit, detached."""
        folder.mkdir()
        self.git("init", "--quiet", cwd=folder)
        self.git("remote", "add", "origin", f"file://{self.root}", cwd=folder)
        self.git("fetch", "--quiet", "--no-tags", "--depth=1", "origin", commit, cwd=folder)
        self.git("checkout", "--quiet", "--detach", "FETCH_HEAD", cwd=folder)
        assert self.git("rev-list", "--count", "HEAD", cwd=folder) == "1"
        return folder


@pytest.fixture
def remote(tmp_path):
    return Remote(tmp_path / "remote")


@pytest.fixture
def github(tmp_path):
    def github(event, **variables):
        file = tmp_path / "event.json"
        file.write_text(json.dumps(event))
        return {"GITHUB_ACTIONS": "true", "GITHUB_EVENT_PATH": str(file), **variables}

    return github


def pull_request(remote, **changes):
    pull = {
        "number": 7,
        "base": {"ref": "main", "sha": remote.commits[2]},
        "head": {"ref": "change", "sha": remote.changed[1]},
    }
    return {"action": "opened", "pull_request": {**pull, **changes}}


def changed(folder, base):
    return {change.path for change in read_changes(folder, base=base).changes}


def test_merge_of_a_pull_request_is_compared_with_its_first_parent(remote, github, tmp_path):
    folder = remote.checkout(tmp_path / "clone", remote.merge)
    found = compared_base(folder, github(pull_request(remote), GITHUB_BASE_REF="main"))
    assert found.base == remote.commits[2]
    assert found.said.startswith("Pull request #7 into main: ")
    assert changed(folder, found.base) == {"change.py"}


def test_merge_is_believed_more_than_an_old_event(remote, github, tmp_path):
    """The base branch moved on after the event was sent, and GitHub merged with what was new."""
    folder = remote.checkout(tmp_path / "clone", remote.merge)
    event = pull_request(remote, base={"ref": "main", "sha": remote.commits[0]})
    assert compared_base(folder, github(event)).base == remote.commits[2]


def test_head_of_a_pull_request_is_compared_with_where_it_began(remote, github, tmp_path):
    folder = remote.checkout(tmp_path / "clone", remote.changed[1])
    found = compared_base(folder, github(pull_request(remote)))
    assert found.base == remote.commits[1]
    assert changed(folder, found.base) == {"change.py"}


def test_base_alone_is_no_change_to_test(remote, github, tmp_path):
    folder = remote.checkout(tmp_path / "clone", remote.commits[2])
    with pytest.raises(UsageError, match="has its base, not its change"):
        compared_base(folder, github(pull_request(remote)))


def test_push_is_compared_with_the_commit_before(remote, github, tmp_path):
    folder = remote.checkout(tmp_path / "clone", remote.commits[2])
    event = {"before": remote.commits[0], "after": remote.commits[2]}
    found = compared_base(folder, github(event))
    assert found.base == remote.commits[0]
    assert changed(folder, found.base) == {"main.py"}


@pytest.mark.parametrize("before", ["0" * 40, "f" * 40], ids=["new branch", "gone after a force"])
def test_push_without_a_commit_before_is_compared_with_the_default_branch(
    remote, github, tmp_path, before
):
    folder = remote.checkout(tmp_path / "clone", remote.changed[1])
    event = {
        "before": before,
        "after": remote.changed[1],
        "repository": {"default_branch": "main"},
    }
    assert compared_base(folder, github(event)).base == remote.commits[1]


def test_first_push_to_the_default_branch_is_compared_with_the_parent(remote, github, tmp_path):
    folder = remote.checkout(tmp_path / "clone", remote.commits[2])
    event = {
        "before": "0" * 40,
        "after": remote.commits[2],
        "repository": {"default_branch": "main"},
    }
    assert compared_base(folder, github(event)).base == remote.commits[1]


def test_merge_group_names_its_base(remote, github, tmp_path):
    folder = remote.checkout(tmp_path / "clone", remote.merge)
    event = {"merge_group": {"base_sha": remote.commits[2], "head_sha": remote.merge}}
    assert compared_base(folder, github(event)).base == remote.commits[2]


def test_merge_request_of_gitlab_names_its_base(remote, tmp_path):
    folder = remote.checkout(tmp_path / "clone", remote.changed[1])
    variables = {
        "GITLAB_CI": "true",
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": remote.commits[1],
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
    }
    found = compared_base(folder, variables)
    assert (found.base, "into main" in found.said) == (remote.commits[1], True)


def test_other_events_and_machines_name_no_base(remote, github, tmp_path):
    folder = remote.checkout(tmp_path / "clone", remote.merge)
    assert compared_base(folder, github({"schedule": "0 0 * * *"})) is None
    assert compared_base(folder, {}) is None


@pytest.mark.parametrize("sha", ["--upload-pack=touch x", "main", None, 7])
def test_event_names_nothing_but_commits(remote, github, tmp_path, sha):
    folder = remote.checkout(tmp_path / "clone", remote.changed[1])
    event = pull_request(remote, base={"ref": "main", "sha": sha})
    with pytest.raises(UsageError, match="names no commit"):
        compared_base(folder, github(event))


def test_missing_remote_is_said_with_what_to_do(remote, github, tmp_path):
    folder = remote.checkout(tmp_path / "clone", remote.changed[1])
    remote.git("remote", "remove", "origin", cwd=folder)
    with pytest.raises(UsageError, match="check out with fetch-depth: 0, or pass --base"):
        compared_base(folder, github(pull_request(remote)))


def test_event_that_cannot_be_read_is_said(remote, tmp_path):
    folder = remote.checkout(tmp_path / "clone", remote.merge)
    variables = {"GITHUB_ACTIONS": "true", "GITHUB_EVENT_PATH": str(tmp_path / "none.json")}
    with pytest.raises(UsageError, match="event of this workflow cannot be read"):
        compared_base(folder, variables)
