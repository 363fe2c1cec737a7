"""A commit of a fork may ask paid engines once a person with write access has said so."""

import pytest

from tests.worker.store.test_concurrency import race
from worker.jobs.examination import standing
from worker.settings.server import Settings, StoreSettings
from worker.store import Job, Store

HEAD, NEXT = "b" * 40, "c" * 40


@pytest.fixture
def books(store):
    with store.begin() as opened:
        yield opened


def approved(url, **job):
    fields = {"repository": "octo/app", "base": None, "head": HEAD, "reason": "asked", **job}
    return standing(Job(**fields), Settings(store=StoreSettings(url=url))).approved


def test_fork_waits_for_approval_of_its_very_commit(store, url):
    assert not approved(url)
    with store.begin() as books:
        books.approvals.give("octo/app", HEAD, "maintainer")
    assert approved(url)
    assert not approved(url, head=NEXT)
    assert not approved(url, repository="octo/other")
    assert not approved(url, head=None)


def test_own_branch_needs_no_approval(url):
    assert approved(url, fork=False)


def test_job_of_unknown_origin_counts_as_a_forks():
    assert Job("octo/app", None, HEAD, "asked").fork


def test_standing_names_the_repository(url):
    job = Job("octo/app", None, HEAD, "asked", private=False, fork=False)
    found = standing(job, Settings(store=StoreSettings(url=url)))
    assert (found.owner, found.private) == ("github:octo/app", False)


def test_first_approval_stands(books):
    first = books.approvals.give("octo/app", HEAD, "maintainer")
    assert books.approvals.give("octo/app", HEAD, "somebody") == first
    assert books.approvals.get("octo/app", HEAD) == first
    assert (first.by, first.head) == ("maintainer", HEAD)
    assert books.approvals.get("octo/app", NEXT) is None


@pytest.mark.parametrize("head", ["", "main", HEAD[:7], HEAD.upper(), f"{HEAD}\n", "b" * 41])
def test_only_a_full_commit_is_approved(books, head):
    with pytest.raises(ValueError, match="full commit"):
        books.approvals.give("octo/app", head, "maintainer")


def test_simultaneous_approvals_are_one(url):
    def approve(store, number):
        with store.begin() as books:
            return books.approvals.give("octo/app", HEAD, f"m{number}")

    first, *others = race(url, approve)
    assert set(others) == {first}
    with Store(url) as store, store.look() as books:
        assert books.approvals.get("octo/app", HEAD) == first


@pytest.mark.parametrize("fork", [True, False])
def test_fork_is_kept_with_the_run(books, fork):
    run = books.runs.ask(Job("octo/app", None, HEAD, "asked", fork=fork))
    assert run.job.fork is fork
