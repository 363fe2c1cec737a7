"""The campaign's own arithmetic: what it sends, and that it sees every kind of fault."""

from __future__ import annotations

from collections import Counter

import pytest

from benchmarks.load_and_faults.delivery_sender import plan
from benchmarks.load_and_faults.disturbances import Push
from benchmarks.load_and_faults.final_state import Evidence, count
from worker.store.records import Delivery
from worker.store.store import Store

NOBODY = 1_000_000.0


def test_everything_is_sent_and_some_of_it_twice_and_out_of_order():
    deliveries = [{"id": number} for number in range(100)]
    postings = plan(deliveries, 130, seed=3)
    sent = [posting.delivery["id"] for posting in postings]
    assert len(sent) == 130
    assert set(sent) == set(range(100))
    assert sent != sorted(sent)
    first = [posting.delivery["id"] for posting in postings if not posting.copy]
    assert Counter(first) == Counter(range(100))


def delivered(guid, head, at, status=202):
    return {
        "guid": guid,
        "event": "pull_request",
        "action": "synchronize",
        "head": head,
        "at": at,
        "duration": 0.1,
        "status_code": status,
    }


def check(head, external_id, *history):
    return {
        "name": "Assayer",
        "repository": "acme/cafe",
        "head_sha": head,
        "external_id": external_id,
        "status": history[-1][1],
        "conclusion": history[-1][2],
        "history": history,
    }


@pytest.fixture
def database(tmp_path):
    url = f"sqlite:///{tmp_path / 'store.db'}"
    with Store(url) as store, store.write() as books:
        for guid in ("a", "b"):
            books.deliveries.keep(Delivery(guid, "pull_request", None, "0" * 64, 7, b"{}"))
            books.deliveries.heard(guid)
    return url


@pytest.fixture
def github():
    """Two heads, each told of once and answered once."""
    return {
        "deliveries": [delivered("a", "one", 10.0), delivered("b", "two", 20.0)],
        "check_runs": [
            check("one", "r1", (11.1, "queued", None), (15.0, "completed", "cancelled")),
            check("two", "r2", (22.1, "queued", None), (30.0, "completed", "success")),
        ],
        "pulls": [
            {
                "repository": "acme/cafe",
                "head": "two",
                "heads": ["one", "two"],
                "comments": [],
                "review_comments": [],
                "reviews": [],
            }
        ],
        "gaps": {"7": [1.01, 3.0]},
        "writes": [],
        "hasty": [],
        "refusals": [],
        "violations": [],
    }


def counted(github, database):
    pushes = [Push("acme/cafe", 1, "two", 19.0)]
    return count(Evidence(github, database, pushes, (15.0, NOBODY)))


def faults(github, database):
    return {name for name, many in counted(github, database).faults.items() if many}


def test_what_went_well_has_no_faults(github, database):
    figures = counted(github, database)
    assert not any(figures.faults.values())
    assert [round(wait, 1) for wait in (*figures.calm, *figures.disturbed)] == [1.0, 2.0]


def test_what_nobody_kept_is_lost(github, database):
    github["deliveries"].append(delivered("c", "two", 21.0, 502))
    assert faults(github, database) == {"lost deliveries"}


def test_an_unfinished_check_run_leaves_its_head_unanswered(github, database):
    github["check_runs"][1] = check("two", "r2", (22.1, "queued", None))
    assert faults(github, database) == {
        "check runs that are not completed",
        "heads of pull requests without a completed check run",
    }


def test_what_was_made_twice_is_counted(github, database):
    comment = {"user": "assayer[bot]", "body": "Hm.\n\n<!-- assayer:summary -->"}
    remark = {**comment, "reply": False}
    github["pulls"][0] |= {"comments": [comment] * 2, "review_comments": [remark] * 2}
    github["check_runs"].append(github["check_runs"][1])
    assert faults(github, database) == {
        "check runs made twice",
        "heads with two conclusions",
        "summary comments and replies made twice",
        "comments about a finding made twice",
    }


def test_what_was_said_too_late_or_too_soon_is_counted(github, database):
    github["check_runs"][0] = check(
        "one", "r1", (11.0, "queued", None), (60.0, "completed", "success")
    )
    github["pulls"][0]["reviews"] = [{"commit": "one", "at": 61.0}]
    github["gaps"]["8"] = [0.9]
    github["violations"] = ["POST: no such field"]
    assert faults(github, database) == {
        "conclusions of overtaken commits",
        "reviews of overtaken commits",
        "writes less than 1 s apart",
        "requests or answers against GitHub's description",
    }
