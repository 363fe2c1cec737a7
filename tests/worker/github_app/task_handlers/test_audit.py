"""The nightly audit asks for a run over everything, once a date."""

from __future__ import annotations

from tests.worker.github_app.client.scripted import path_of, reply
from tests.worker.github_app.task_handlers.publisher_contexts import task
from worker.github_app.outbox.task_handlers import audit
from worker.store.records import OutboxTaskKind, RunState

HEAD = "c" * 40
ORDER = {"repository_id": 42, "date": "2026-11-22"}


def found(**more):
    return {
        "id": 42,
        "full_name": "octo/app",
        "private": True,
        "fork": False,
        "archived": False,
        "default_branch": "release/1",
        **more,
    }


def runs(publisher_context):
    with publisher_context.store.read() as unit:
        return unit.runs.alive()


def do(publisher_context, order=None, **more):
    branch = {"ref": "refs/heads/release/1", "object": {"type": "commit", "sha": HEAD}}
    publisher_context.github.replies = [reply(200, found(**more)), reply(200, branch)]
    audit(task(OutboxTaskKind.AUDIT, order=order or ORDER), publisher_context.context)


def test_audit_is_a_run_over_everything_at_the_head(publisher_context):
    do(publisher_context)
    (run,) = runs(publisher_context)
    assert run.state is RunState.PREPARING
    job = run.job
    assert (job.repository, job.head, job.base, job.pull) == ("octo/app", HEAD, None, None)
    assert job.options.everything
    assert (job.fork, job.private, job.installation) == (False, True, 7)
    assert path_of(publisher_context.github.asked[-1]).endswith("/heads/release/1")


def test_of_one_date_there_is_one_audit(publisher_context):
    do(publisher_context)
    do(publisher_context)
    assert len(runs(publisher_context)) == 1
    do(publisher_context, {**ORDER, "date": "2026-11-23"})
    assert len(runs(publisher_context)) == 2


def test_archived_repository_is_left_alone(publisher_context):
    do(publisher_context, archived=True)
    assert runs(publisher_context) == ()


def test_repository_that_we_no_longer_see_is_left_alone(publisher_context):
    do(publisher_context, {**ORDER, "repository_id": 43})
    assert runs(publisher_context) == ()
    assert publisher_context.github.asked == []
