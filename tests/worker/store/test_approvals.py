"""A commit of a fork may ask paid engines once a person with write access has said so."""

import pytest

from tests.worker.store.test_concurrency import race
from worker.runs.examination import requester_of
from worker.settings.operator_settings import Settings, StoreSettings
from worker.store.records import Job
from worker.store.store import Store

HEAD, NEXT = "b" * 40, "c" * 40


@pytest.fixture
def unit(store):
    with store.write() as opened:
        yield opened


def approved(url, **job):
    fields = {"repository": "octo/app", "base": None, "head": HEAD, "reason": "asked", **job}
    return requester_of(Job(**fields), Settings(store=StoreSettings(url=url))).approved


def test_fork_waits_for_approval_of_its_very_commit(store, url):
    assert not approved(url)
    with store.write() as unit:
        unit.approvals.give("octo/app", HEAD, "maintainer")
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
    found = requester_of(job, Settings(store=StoreSettings(url=url)))
    assert (found.owner, found.private) == ("github:octo/app", False)


def test_first_approval_stands(unit):
    unit.approvals.give("octo/app", HEAD, "maintainer")
    unit.approvals.give("octo/app", HEAD, "somebody")
    first = unit.approvals.get("octo/app", HEAD)
    assert (first.by, first.head) == ("maintainer", HEAD)
    assert unit.approvals.get("octo/app", NEXT) is None


@pytest.mark.parametrize("head", ["", "main", HEAD[:7], HEAD.upper(), f"{HEAD}\n", "b" * 41])
def test_only_a_full_commit_is_approved(unit, head):
    with pytest.raises(ValueError, match="full commit"):
        unit.approvals.give("octo/app", head, "maintainer")


def test_simultaneous_approvals_are_one(url):
    def approve(store, number):
        with store.write() as unit:
            unit.approvals.give("octo/app", HEAD, f"m{number}")
        with store.read() as unit:
            return unit.approvals.get("octo/app", HEAD)

    first, *others = race(url, approve)
    assert set(others) == {first}
    with Store(url) as store, store.read() as unit:
        assert unit.approvals.get("octo/app", HEAD) == first


@pytest.mark.parametrize("fork", [True, False])
def test_fork_is_kept_with_the_run(unit, fork):
    run = unit.runs.ask(Job("octo/app", None, HEAD, "asked", fork=fork))
    assert run.job.fork is fork
