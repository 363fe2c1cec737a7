"""Rerequested checks, buttons and merge groups."""

from dataclasses import replace

import pytest

from tests.worker.events.saying import (
    INSTALLATION,
    NUMBER,
    REPOSITORY,
    about_head,
    pull_request,
    recorded,
    sha,
)
from worker.events import MalformedError
from worker.store.records import ErrandKind, RunState

LANE = f"pull:{REPOSITORY}:{NUMBER}"
NOBODY = {"pull_requests": []}


CHECK_RUN = 1494503112


@pytest.fixture
def shown(heard, store):
    """A run of the pull request, and its check run as later events name it."""
    heard(pull_request("opened"))
    with store.begin() as books:
        (run,) = books.runs.of_pull(REPOSITORY, NUMBER)
        books.runs.announced(run.id, CHECK_RUN)
    return {"id": CHECK_RUN, "external_id": run.id}


def errands(store, lane, kind):
    with store.begin() as books:
        found = []
        while (record := books.errands.next(lane)) is not None:
            books.errands.done(record.id)
            found.append(record.errand)
        return [errand for errand in found if errand.kind is kind]


def test_both_rerequests_of_one_button_are_one_errand(heard, store, shown):
    presser = {"login": "Codertocat", "type": "User", "id": 21031067}
    heard(
        about_head("check_suite", "rerequested", sender=presser),
        about_head("check_run", "rerequested", sender=presser, of=shown),
    )
    (errand,) = errands(store, LANE, ErrandKind.RERUN)
    assert errand.installation == INSTALLATION
    assert errand.order == {
        "repository_id": REPOSITORY,
        "head": sha("a"),
        "sender": "Codertocat",
        "sender_id": 21031067,
    }


def test_rerequesting_again_when_that_check_is_over_is_another_errand(heard, store, shown):
    heard(about_head("check_run", "rerequested", of=shown))
    with store.begin() as opened:
        assert opened.runs.stop(shown["external_id"], "broken")
    heard(about_head("check_run", "rerequested", of=shown))
    assert len(errands(store, LANE, ErrandKind.RERUN)) == 2


def test_the_pull_request_of_a_fork_is_found_by_its_head(heard, store, shown):
    event = about_head("check_run", "rerequested", of=shown)
    assert b'"pull_requests": []' in event.body
    heard(event)
    assert len(errands(store, LANE, ErrandKind.RERUN)) == 1


def test_a_head_that_is_not_known_has_a_lane_of_its_own(heard, store):
    heard(about_head("check_suite", "rerequested", "e"))
    assert len(errands(store, f"head:{REPOSITORY}:{sha('e')}", ErrandKind.RERUN)) == 1


def test_a_suite_of_a_head_without_pull_request_checks_nothing(heard, books):
    heard(about_head("check_suite", "requested", "e"))
    assert books(lambda it: it.runs.alive()) == ()


def test_a_button_is_an_errand_for_each_press(heard, store, shown):
    button = {"identifier": "baseline"}
    event = about_head("check_run", "requested_action", requested_action=button, of=shown)
    other = replace(event, id="another")
    heard(event, event, other)
    first, second = errands(store, LANE, ErrandKind.BUTTON)
    assert first.run == second.run == shown["external_id"]
    assert first.order["identifier"] == "baseline"
    assert first.order["check_run"] == CHECK_RUN
    assert (first.order["delivery"], second.order["delivery"]) == (event.id, "another")


def test_a_button_without_a_name_is_malformed(heard, shown):
    with pytest.raises(MalformedError, match="requested_action"):
        heard(about_head("check_run", "requested_action", requested_action=None, of=shown))


FOREIGN = {
    "the check run of another App": {"id": CHECK_RUN + 1, "external_id": "build-7"},
    "another App with our id": {"id": CHECK_RUN + 1},
    "ours with another id": {"external_id": "0" * 32},
    "ours without an id": {"external_id": ""},
    "ours of another repository": {},
}


@pytest.mark.parametrize("action", ["rerequested", "requested_action"])
@pytest.mark.parametrize("case", FOREIGN)
def test_a_check_run_that_is_not_ours_does_nothing(case, action, heard, store, books, shown):
    elsewhere = recorded("pull_request.opened")["repository"] | {"id": REPOSITORY + 1}
    more = {"repository": elsewhere} if "repository" in case else {}
    heard(about_head("check_run", action, of={**shown, **FOREIGN[case]}, **more))
    for lane in (LANE, f"head:{REPOSITORY}:{sha('a')}", f"head:{REPOSITORY + 1}:{sha('a')}"):
        assert errands(store, lane, ErrandKind.RERUN) == []
        assert errands(store, lane, ErrandKind.BUTTON) == []
    assert len(books(lambda it: it.runs.of_pull(REPOSITORY, NUMBER))) == 1
    assert books(lambda it: it.installations.repository(REPOSITORY + 1)) is None


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
