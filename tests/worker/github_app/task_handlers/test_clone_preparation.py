"""A run's clone, made by the one who has the token."""

from __future__ import annotations

import base64
from dataclasses import replace

import pytest

from tests.worker.github_app.client.scripted import SECRET, body_of, reply
from tests.worker.github_app.task_handlers.publisher_contexts import REPOSITORY, task
from worker.changes.change_set import read_changes
from worker.changes.remote_clone import FetchBounds
from worker.github_app.client.errors import GithubError, NotFoundError
from worker.github_app.outbox import clone_preparation
from worker.github_app.outbox.clone_preparation import prepare
from worker.store.blobs import clone_key, unpack
from worker.store.records import Job, OutboxTaskKind, RunState

CONFIGURATION = '[tool.assayer]\ngate = "neutral"\nfail-open = true\ninputs = 4\n'


@pytest.fixture
def pushed(publisher_context):
    """A change that left ``main`` before its tip, under no branch any more."""
    project = publisher_context.project
    project.write("pyproject.toml", CONFIGURATION)
    parted = project.commit(app="a = 1\n")
    base = project.commit(other="o = 1\n")
    project.git("switch", "--quiet", "--detach", parted)
    project.write("pyproject.toml", "[tool.assayer]\ninputs = 900\n")
    head = project.commit(app="a = 2\n")
    project.git("update-ref", "refs/pull/5/head", head)
    project.git("switch", "--quiet", "main")
    project.git("config", "uploadpack.allowAnySHA1InWant", "true")
    return base, head


def asked(publisher_context, base, head, **more):
    job = Job(
        "octo/old-name", base, head, "opened", repository_id=42, installation=7, pull=5, **more
    )
    with publisher_context.store.write() as unit:
        return unit.runs.ask(job).id


def run(publisher_context, name):
    with publisher_context.store.read() as unit:
        return unit.runs.get(name)


def do(publisher_context, name, attempts=0):
    prepare(task(OutboxTaskKind.PREPARE, attempts, run=name), publisher_context.context)


def clone_of(publisher_context, name, folder):
    folder.mkdir()
    with publisher_context.context.blobs.open(clone_key(name)) as stream:
        unpack(stream, folder)
    return folder


def test_clone_is_what_the_pull_request_changes(publisher_context, pushed, tmp_path):
    name = asked(publisher_context, *pushed)
    do(publisher_context, name)
    folder = clone_of(publisher_context, name, tmp_path / "clone")
    changes = read_changes(folder, base="refs/assayer/merge-base", head="refs/assayer/head")
    assert [change.path for change in changes.changes] == ["app.py"]
    assert [told.id for told in publisher_context.rung] == [name]
    assert publisher_context.rung[0].state is RunState.QUEUED


def test_maintainers_decide_on_the_base_branch(publisher_context, pushed):
    name = asked(publisher_context, *pushed)
    do(publisher_context, name)
    with publisher_context.store.read() as unit:
        policy = unit.runs.policy(name)
    assert (policy.gate, policy.fail_open, policy.inputs) == ("neutral", True, 4)


def test_token_reads_one_repositorys_contents_and_lies_nowhere(publisher_context, pushed, tmp_path):
    name = asked(publisher_context, *pushed)
    do(publisher_context, name)
    (request,) = publisher_context.github.token_requests
    body = body_of(request)
    assert (body["repository_ids"], body["permissions"]) == ([42], {"contents": "read"})
    basic = base64.b64encode(f"x-access-token:{SECRET}1".encode()).decode()
    assert f"Basic {basic}" in {
        head.get("Authorization") for head in publisher_context.server.headers_seen
    }
    clone_of(publisher_context, name, tmp_path / "clone")
    written = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(SECRET.encode() in each or basic.encode() in each for each in written)


def test_run_that_was_superseded_meanwhile_is_not_rung_for(publisher_context, pushed, monkeypatch):
    name = asked(publisher_context, *pushed)
    clone = clone_preparation.clone

    def slow(*arguments):
        with publisher_context.store.write() as unit:
            unit.runs.cancel(name, "superseded by 1234567")
        return clone(*arguments)

    monkeypatch.setattr(clone_preparation, "clone", slow)
    do(publisher_context, name)
    assert publisher_context.rung == []
    assert publisher_context.context.blobs.names("clones") == ()


def test_run_that_is_over_is_not_cloned(publisher_context, pushed):
    name = asked(publisher_context, *pushed)
    with publisher_context.store.write() as unit:
        unit.runs.cancel(name, "the pull request was closed")
    do(publisher_context, name)
    do(publisher_context, "unknown")
    assert publisher_context.github.token_requests == []


def test_commits_without_a_common_one_end_the_run_in_words(publisher_context, pushed):
    publisher_context.project.git("switch", "--quiet", "--orphan", "elsewhere")
    name = asked(publisher_context, pushed[0], publisher_context.project.commit(alone="a = 1\n"))
    do(publisher_context, name)
    found = run(publisher_context, name)
    assert found.state is RunState.FAILED
    assert "have no common commit" in found.error


def test_broken_configuration_on_base_ends_the_run_in_words(publisher_context, pushed):
    publisher_context.project.git("switch", "--quiet", "main")
    publisher_context.project.write("pyproject.toml", '[tool.assayer]\ngate = "maybe"\n')
    name = asked(publisher_context, publisher_context.project.commit(), pushed[1])
    do(publisher_context, name)
    found = run(publisher_context, name)
    assert found.state is RunState.FAILED
    assert "on the base branch is wrong: pyproject.toml:2: tool.assayer.gate" in found.error
    assert found.refused


def test_failing_server_is_asked_again_and_then_given_up(publisher_context, pushed):
    name = asked(publisher_context, *pushed)
    publisher_context.server.misbehave = lambda handler: handler.send_error(503)
    for attempts in (0, 1):
        with pytest.raises(GithubError, match="octo/app") as failure:
            do(publisher_context, name, attempts)
        assert SECRET not in str(failure.value)
        assert run(publisher_context, name).state is RunState.PREPARING
    do(publisher_context, name, attempts=2)
    found = run(publisher_context, name)
    assert found.state is RunState.FAILED
    assert "could not be fetched" in found.error
    assert SECRET not in found.error


def test_repository_that_is_too_large_is_not_asked_for_again(
    publisher_context, pushed, monkeypatch
):
    name = asked(publisher_context, *pushed)
    clone = clone_preparation.clone
    monkeypatch.setattr(
        clone_preparation, "clone", lambda *arguments: clone(*arguments, FetchBounds(size=9))
    )
    do(publisher_context, name)
    assert "is larger than 9 bytes" in run(publisher_context, name).error


def test_repository_out_of_sight_is_the_clerks_to_judge(publisher_context, pushed):
    name = asked(publisher_context, *pushed)
    publisher_context.github.token_replies = [reply(404, {"message": "Not Found"})]
    with pytest.raises(NotFoundError):
        do(publisher_context, name)


def test_renamed_repository_is_cloned_under_its_name_of_today(publisher_context, pushed):
    name = asked(publisher_context, *pushed)
    with publisher_context.store.write() as unit:
        unit.installations.see_repository(replace(REPOSITORY, full_name="octo/gone"))
    with pytest.raises(GithubError, match="octo/gone"):
        do(publisher_context, name)


def test_audit_is_cloned_without_a_base(publisher_context, pushed, tmp_path):
    name = asked(publisher_context, None, pushed[0])
    do(publisher_context, name)
    folder = clone_of(publisher_context, name, tmp_path / "clone")
    changes = read_changes(folder, head="refs/assayer/head", everything=True)
    assert {change.path for change in changes.changes} == {"app.py", "other.py"}
