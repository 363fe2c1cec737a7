"""Rerequested checks, buttons and merge groups."""

from dataclasses import replace

import pytest

from tests.worker.github_app.events.saying import (
    INSTALLATION,
    NUMBER,
    REPOSITORY,
    about_head,
    pull_request,
    recorded,
    sha,
)
from worker.github_app.events.event_payloads import MalformedError
from worker.store.records import OutboxTaskKind, RunState

LANE = f"pull:{REPOSITORY}:{NUMBER}"
NOBODY = {"pull_requests": []}


CHECK_RUN = 1494503112


@pytest.fixture
def shown(heard, store):
    """A run of the pull request, and its check run as later events name it."""
    heard(pull_request("opened"))
    with store.write() as unit:
        (run,) = unit.runs.of_pull(REPOSITORY, NUMBER)
        unit.runs.announced(run.id, CHECK_RUN)
    return {"id": CHECK_RUN, "external_id": run.id}


def outbox_tasks(store, ordering_key, kind):
    with store.write() as unit:
        found = []
        while (record := unit.outbox_tasks.next(ordering_key)) is not None:
            unit.outbox_tasks.done(record.id)
            found.append(record.task)
        return [task for task in found if task.kind is kind]


def test_both_rerequests_of_one_button_are_one_errand(heard, store, shown):
    presser = {"login": "Codertocat", "type": "User", "id": 21031067}
    heard(
        about_head("check_suite", "rerequested", sender=presser),
        about_head("check_run", "rerequested", sender=presser, of=shown),
    )
    (task,) = outbox_tasks(store, LANE, OutboxTaskKind.RERUN)
    assert task.installation == INSTALLATION
    assert task.order == {
        "repository_id": REPOSITORY,
        "head": sha("a"),
        "sender": "Codertocat",
        "sender_id": 21031067,
    }


def test_rerequesting_again_when_that_check_is_over_is_another_errand(heard, store, shown):
    heard(about_head("check_run", "rerequested", of=shown))
    with store.write() as opened:
        assert opened.runs.stop(shown["external_id"], "broken")
    heard(about_head("check_run", "rerequested", of=shown))
    assert len(outbox_tasks(store, LANE, OutboxTaskKind.RERUN)) == 2


def test_the_pull_request_of_a_fork_is_found_by_its_head(heard, store, shown):
    event = about_head("check_run", "rerequested", of=shown)
    assert b'"pull_requests": []' in event.body
    heard(event)
    assert len(outbox_tasks(store, LANE, OutboxTaskKind.RERUN)) == 1


def test_a_head_that_is_not_known_has_a_lane_of_its_own(heard, store):
    heard(about_head("check_suite", "rerequested", "e"))
    assert len(outbox_tasks(store, f"head:{REPOSITORY}:{sha('e')}", OutboxTaskKind.RERUN)) == 1


def test_a_suite_of_a_head_without_pull_request_checks_nothing(heard, unit):
    heard(about_head("check_suite", "requested", "e"))
    assert unit(lambda it: it.runs.alive()) == ()


def test_a_button_is_an_errand_for_each_press(heard, store, shown):
    button = {"identifier": "baseline"}
    event = about_head("check_run", "requested_action", requested_action=button, of=shown)
    other = replace(event, id="another")
    heard(event, event, other)
    first, second = outbox_tasks(store, LANE, OutboxTaskKind.BUTTON)
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
def test_a_check_run_that_is_not_ours_does_nothing(case, action, heard, store, unit, shown):
    elsewhere = recorded("pull_request.opened")["repository"] | {"id": REPOSITORY + 1}
    more = {"repository": elsewhere} if "repository" in case else {}
    heard(about_head("check_run", action, of={**shown, **FOREIGN[case]}, **more))
    for ordering_key in (
        LANE,
        f"head:{REPOSITORY}:{sha('a')}",
        f"head:{REPOSITORY + 1}:{sha('a')}",
    ):
        assert outbox_tasks(store, ordering_key, OutboxTaskKind.RERUN) == []
        assert outbox_tasks(store, ordering_key, OutboxTaskKind.BUTTON) == []
    assert len(unit(lambda it: it.runs.of_pull(REPOSITORY, NUMBER))) == 1
    assert unit(lambda it: it.installations.repository(REPOSITORY + 1)) is None


def test_a_merge_group_is_checked_on_its_own_head_once(heard, unit):
    event = about_head("merge_group", "checks_requested", "f")
    heard(event, event)
    (run,) = unit(lambda it: it.runs.of_head(REPOSITORY, sha("f")))
    assert run.job.pull is None
    assert run.job.base == "380387fbc80638b734a49e1be1c4dfec1c01b33c"
    assert run.job.key == f"{REPOSITORY}:{sha('f')}:main"
    assert run.state is RunState.PREPARING


def test_a_merge_group_that_is_taken_apart_cancels_its_check(heard, unit):
    heard(about_head("merge_group", "checks_requested", "f"))
    destroyed = about_head("merge_group", "checks_requested", "f", reason="dequeued")
    heard(replace(destroyed, action="destroyed"))
    (run,) = unit(lambda it: it.runs.of_head(REPOSITORY, sha("f")))
    assert run.state is RunState.CANCELLED
