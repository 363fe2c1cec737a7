"""A commit of a fork may ask paid engines once a person with write access has said so."""

import sqlite3
import threading

import pytest

from worker.jobs.examination import standing
from worker.settings.server import Settings, StoreSettings
from worker.store import Job, Store

HEAD, NEXT = "b" * 40, "c" * 40


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/assayer.db"


@pytest.fixture
def store(url):
    with Store(url) as opened:
        yield opened


def approved(url, **job):
    fields = {"repository": "octo/app", "base": None, "head": HEAD, "reason": "asked", **job}
    return standing(Job(**fields), Settings(store=StoreSettings(url=url))).approved


def test_fork_waits_for_approval_of_its_very_commit(store, url):
    assert not approved(url)
    store.approve("octo/app", HEAD, "maintainer")
    assert approved(url)
    assert not approved(url, head=NEXT)
    assert not approved(url, repository="octo/other")
    assert not approved(url, head=None)


def test_own_branch_needs_no_approval(store, url):
    assert approved(url, fork=False)


def test_job_of_unknown_origin_counts_as_a_forks():
    assert Job("octo/app", None, HEAD, "asked").fork


def test_standing_names_the_repository(store, url):
    job = Job("octo/app", None, HEAD, "asked", private=False, fork=False)
    found = standing(job, Settings(store=StoreSettings(url=url)))
    assert (found.owner, found.private) == ("github:octo/app", False)


def test_first_approval_stands(store):
    first = store.approve("octo/app", HEAD, "maintainer")
    assert store.approve("octo/app", HEAD, "somebody") == first
    assert store.approval("octo/app", HEAD) == first
    assert (first.by, first.head) == ("maintainer", HEAD)
    assert store.approval("octo/app", NEXT) is None


@pytest.mark.parametrize("head", ["", "main", HEAD[:7], HEAD.upper(), f"{HEAD}\n", "b" * 41])
def test_only_a_full_commit_is_approved(store, head):
    with pytest.raises(ValueError, match="full commit"):
        store.approve("octo/app", head, "maintainer")


def test_simultaneous_approvals_are_one(store):
    threads = [
        threading.Thread(target=store.approve, args=("octo/app", HEAD, f"m{n}")) for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.approval("octo/app", HEAD).by.startswith("m")


def test_fork_is_kept_with_the_run(store):
    for fork in (True, False):
        run = store.create_run(Job("octo/app", None, HEAD, "asked", fork=fork))
        assert store.run(run).job.fork is fork


def test_older_database_learns_of_forks(store, tmp_path, url):
    run = store.create_run(Job("octo/app", None, HEAD, "asked", fork=False))
    store.close()
    with sqlite3.connect(tmp_path / "assayer.db") as database:
        database.execute("ALTER TABLE runs DROP COLUMN fork")
        database.execute("DROP TABLE approvals")
    with Store(url) as opened:
        assert opened.run(run).job.fork is True
        opened.approve("octo/app", HEAD, "maintainer")
    with Store(url) as opened:
        assert opened.approval("octo/app", HEAD)
