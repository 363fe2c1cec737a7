"""Rerequested checks, buttons and merge groups."""

from dataclasses import replace

import pytest

from tests.worker.events.saying import (
    INSTALLATION,
    NUMBER,
    REPOSITORY,
    about_head,
    pull_request,
    sha,
)
from worker.events import MalformedError
from worker.store.records import ErrandKind, RunState

LANE = f"pull:{REPOSITORY}:{NUMBER}"
NOBODY = {"pull_requests": []}


def errands(store, lane, kind):
    with store.begin() as books:
        found = []
        while (record := books.errands.next(lane)) is not None:
            books.errands.done(record.id)
            found.append(record.errand)
        return [errand for errand in found if errand.kind is kind]


def test_both_rerequests_of_one_button_are_one_errand(heard, store):
    presser = {"login": "Codertocat", "type": "User", "id": 21031067}
    heard(
        pull_request("opened"),
        about_head("check_suite", "rerequested", sender=presser),
        about_head("check_run", "rerequested", sender=presser),
    )
    (errand,) = errands(store, LANE, ErrandKind.RERUN)
    assert errand.installation == INSTALLATION
    assert errand.order == {
        "repository_id": REPOSITORY,
        "head": sha("a"),
        "sender": "Codertocat",
        "sender_id": 21031067,
    }


def test_rerequesting_again_when_that_check_is_over_is_another_errand(heard, store, books):
    heard(pull_request("opened"), about_head("check_run", "rerequested"))
    (run,) = books(lambda it: it.runs.of_pull(REPOSITORY, NUMBER))
    with store.begin() as opened:
        assert opened.runs.stop(run.id, "broken")
    heard(about_head("check_run", "rerequested"))
    assert len(errands(store, LANE, ErrandKind.RERUN)) == 2


def test_the_pull_request_of_a_fork_is_found_by_its_head(heard, store):
    heard(pull_request("opened"))
    event = about_head("check_run", "rerequested")
    assert b'"pull_requests": []' in event.body
    heard(event)
    assert len(errands(store, LANE, ErrandKind.RERUN)) == 1


def test_a_head_that_is_not_known_has_a_lane_of_its_own(heard, store):
    heard(about_head("check_suite", "rerequested", "e"))
    assert len(errands(store, f"head:{REPOSITORY}:{sha('e')}", ErrandKind.RERUN)) == 1


def test_a_suite_of_a_head_without_pull_request_checks_nothing(heard, books):
    heard(about_head("check_suite", "requested", "e"))
    assert books(lambda it: it.runs.alive()) == ()


def test_a_button_is_an_errand_for_each_press(heard, store, books):
    heard(pull_request("opened"))
    (run,) = books(lambda it: it.runs.of_pull(REPOSITORY, NUMBER))
    event = about_head("check_run", "requested_action", requested_action={"identifier": "baseline"})
    other = replace(event, id="another")
    check_run = 1494503112
    with store.begin() as opened:
        opened.runs.announced(run.id, check_run)
    heard(event, event, other)
    first, second = errands(store, LANE, ErrandKind.BUTTON)
    assert first.run == second.run == run.id
    assert first.order["identifier"] == "baseline"
    assert first.order["check_run"] == check_run
    assert (first.order["delivery"], second.order["delivery"]) == (event.id, "another")


def test_a_button_without_a_name_is_malformed(heard):
    with pytest.raises(MalformedError, match="requested_action"):
        heard(about_head("check_run", "requested_action", requested_action=None))


def test_a_merge_group_is_checked_on_its_own_head_once(heard, books):
    event = about_head("merge_group", "checks_requested", "f")
    heard(event, event)
    (run,) = books(lambda it: it.runs.of_head(REPOSITORY, sha("f")))
    assert run.job.pull is None
    assert run.job.base == "380387fbc80638b734a49e1be1c4dfec1c01b33c"
    assert run.job.key == f"{REPOSITORY}:{sha('f')}:main"
    assert run.state is RunState.PREPARING


def test_a_merge_group_that_is_taken_apart_cancels_its_check(heard, books):
    heard(about_head("merge_group", "checks_requested", "f"))
    destroyed = about_head("merge_group", "checks_requested", "f", reason="dequeued")
    heard(replace(destroyed, action="destroyed"))
    (run,) = books(lambda it: it.runs.of_head(REPOSITORY, sha("f")))
    assert run.state is RunState.CANCELLED
