"""The nightly audit asks for a run over everything, once a date."""

from __future__ import annotations

from tests.worker.github.scripted import reply
from tests.worker.jobs.desks import errand
from worker.jobs.audit import audit
from worker.store import ErrandKind, RunState

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


def runs(office):
    with office.store.look() as books:
        return books.runs.alive()


def do(office, order=None, **more):
    branch = {"ref": "refs/heads/release/1", "object": {"type": "commit", "sha": HEAD}}
    office.github.replies = [reply(200, found(**more)), reply(200, branch)]
    audit(errand(ErrandKind.AUDIT, order=order or ORDER), office.desk)


def test_audit_is_a_run_over_everything_at_the_head(office):
    do(office)
    (run,) = runs(office)
    assert run.state is RunState.PREPARING
    job = run.job
    assert (job.repository, job.head, job.base, job.pull) == ("octo/app", HEAD, None, None)
    assert job.options.everything
    assert (job.fork, job.private, job.installation) == (False, True, 7)
    assert office.github.asked[-1].url.path.endswith("/heads/release/1")


def test_of_one_date_there_is_one_audit(office):
    do(office)
    do(office)
    assert len(runs(office)) == 1
    do(office, {**ORDER, "date": "2026-11-23"})
    assert len(runs(office)) == 2


def test_archived_repository_is_left_alone(office):
    do(office, archived=True)
    assert runs(office) == ()


def test_repository_that_we_no_longer_see_is_left_alone(office):
    do(office, {**ORDER, "repository_id": 43})
    assert runs(office) == ()
    assert office.github.asked == []
