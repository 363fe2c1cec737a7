"""A run's clone, made by the one who has the token."""

from __future__ import annotations

import base64
import json
from dataclasses import replace

import pytest

from tests.worker.github.scripted import SECRET, reply
from tests.worker.jobs.desks import REPOSITORY, errand
from worker.changes import read_changes
from worker.changes.remote import Bounds
from worker.github.errors import GithubError, NotFoundError
from worker.jobs import preparing
from worker.jobs.packing import clone_key, unpack
from worker.jobs.preparing import prepare
from worker.store import ErrandKind, Job, RunState

CONFIGURATION = '[tool.assayer]\ngate = "neutral"\nfail-open = true\ninputs = 4\n'


@pytest.fixture
def pushed(office):
    """A change that left ``main`` before its tip, under no branch any more."""
    project = office.project
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


def asked(office, base, head, **more):
    job = Job(
        "octo/old-name", base, head, "opened", repository_id=42, installation=7, pull=5, **more
    )
    with office.store.begin() as books:
        return books.runs.ask(job).id


def run(office, name):
    with office.store.look() as books:
        return books.runs.get(name)


def do(office, name, attempts=0):
    prepare(errand(ErrandKind.PREPARE, attempts, run=name), office.desk)


def clone_of(office, name, folder):
    folder.mkdir()
    with office.desk.blobs.open(clone_key(name)) as stream:
        unpack(stream, folder)
    return folder


def test_clone_is_what_the_pull_request_changes(office, pushed, tmp_path):
    name = asked(office, *pushed)
    do(office, name)
    folder = clone_of(office, name, tmp_path / "clone")
    changes = read_changes(folder, base="refs/assayer/merge-base", head="refs/assayer/head")
    assert [change.path for change in changes.changes] == ["app.py"]
    assert [told.id for told in office.rung] == [name]
    assert office.rung[0].state is RunState.QUEUED


def test_maintainers_decide_on_the_base_branch(office, pushed):
    name = asked(office, *pushed)
    do(office, name)
    with office.store.look() as books:
        policy = books.runs.policy(name)
    assert (policy.gate, policy.fail_open, policy.inputs) == ("neutral", True, 4)


def test_token_reads_one_repositorys_contents_and_lies_nowhere(office, pushed, tmp_path):
    name = asked(office, *pushed)
    do(office, name)
    (request,) = office.github.token_requests
    body = json.loads(request.content)
    assert (body["repository_ids"], body["permissions"]) == ([42], {"contents": "read"})
    basic = base64.b64encode(f"x-access-token:{SECRET}1".encode()).decode()
    assert f"Basic {basic}" in {head.get("Authorization") for head in office.server.headers_seen}
    clone_of(office, name, tmp_path / "clone")
    written = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(SECRET.encode() in each or basic.encode() in each for each in written)


def test_run_that_was_superseded_meanwhile_is_not_rung_for(office, pushed, monkeypatch):
    name = asked(office, *pushed)
    clone = preparing.clone

    def slow(*arguments):
        with office.store.begin() as books:
            books.runs.cancel(name, "superseded by 1234567")
        return clone(*arguments)

    monkeypatch.setattr(preparing, "clone", slow)
    do(office, name)
    assert office.rung == []
    assert office.desk.blobs.names("clones") == ()


def test_run_that_is_over_is_not_cloned(office, pushed):
    name = asked(office, *pushed)
    with office.store.begin() as books:
        books.runs.cancel(name, "the pull request was closed")
    do(office, name)
    do(office, "unknown")
    assert office.github.token_requests == []


def test_commits_without_a_common_one_end_the_run_in_words(office, pushed):
    office.project.git("switch", "--quiet", "--orphan", "elsewhere")
    name = asked(office, pushed[0], office.project.commit(alone="a = 1\n"))
    do(office, name)
    found = run(office, name)
    assert found.state is RunState.FAILED
    assert "have no common commit" in found.error


def test_broken_configuration_on_base_ends_the_run_in_words(office, pushed):
    office.project.git("switch", "--quiet", "main")
    office.project.write("pyproject.toml", '[tool.assayer]\ngate = "maybe"\n')
    name = asked(office, office.project.commit(), pushed[1])
    do(office, name)
    found = run(office, name)
    assert found.state is RunState.FAILED
    assert "on the base branch is wrong: pyproject.toml:2: tool.assayer.gate" in found.error
    assert found.refused


def test_failing_server_is_asked_again_and_then_given_up(office, pushed):
    name = asked(office, *pushed)
    office.server.misbehave = lambda handler: handler.send_error(503)
    for attempts in (0, 1):
        with pytest.raises(GithubError, match="octo/app") as failure:
            do(office, name, attempts)
        assert SECRET not in str(failure.value)
        assert run(office, name).state is RunState.PREPARING
    do(office, name, attempts=2)
    found = run(office, name)
    assert found.state is RunState.FAILED
    assert "could not be fetched" in found.error
    assert SECRET not in found.error


def test_repository_that_is_too_large_is_not_asked_for_again(office, pushed, monkeypatch):
    name = asked(office, *pushed)
    clone = preparing.clone
    monkeypatch.setattr(preparing, "clone", lambda *arguments: clone(*arguments, Bounds(size=9)))
    do(office, name)
    assert "is larger than 9 bytes" in run(office, name).error


def test_repository_out_of_sight_is_the_clerks_to_judge(office, pushed):
    name = asked(office, *pushed)
    office.github.token_replies = [reply(404, {"message": "Not Found"})]
    with pytest.raises(NotFoundError):
        do(office, name)


def test_renamed_repository_is_cloned_under_its_name_of_today(office, pushed):
    name = asked(office, *pushed)
    with office.store.begin() as books:
        books.installations.see_repository(replace(REPOSITORY, full_name="octo/gone"))
    with pytest.raises(GithubError, match="octo/gone"):
        do(office, name)


def test_audit_is_cloned_without_a_base(office, pushed, tmp_path):
    name = asked(office, None, pushed[0])
    do(office, name)
    folder = clone_of(office, name, tmp_path / "clone")
    changes = read_changes(folder, head="refs/assayer/head", everything=True)
    assert {change.path for change in changes.changes} == {"app.py", "other.py"}
