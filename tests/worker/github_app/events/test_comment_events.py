"""Which comments become errands."""

import pytest

from tests.worker.github_app.events.saying import delivery, delivery_named, names, recorded


def commands(store):
    with store.write() as unit:
        (ordering_key,) = unit.outbox_tasks.ordering_keys(9) or (None,)
        record = None if ordering_key is None else unit.outbox_tasks.next(ordering_key)
        return None if record is None else record.task


def test_a_command_in_the_conversation_is_an_errand(heard, store):
    heard(delivery_named("command.issue_comment.created"))
    task = commands(store)
    assert task.order["review_comment"] is False
    assert (
        task.order["author"]
        == recorded("command.issue_comment.created")["comment"]["user"]["login"]
    )
    assert "/assayer" in task.order["body"]
    assert task.ordering_key == f"pull:{task.order['repository_id']}:{task.order['pull']}"


def test_a_command_beside_an_outdated_line_is_an_errand(heard, store):
    payload = recorded("outdated.pull_request_review_comment.created")
    payload["comment"] |= {"body": "/assayer help"}
    payload["comment"]["user"]["type"] = "User"
    heard(delivery("pull_request_review_comment", payload | {"installation": {"id": 1}}))
    assert commands(store).order["review_comment"] is True


def test_a_comment_that_comes_twice_is_one_errand(heard, store):
    first = delivery_named("command.issue_comment.created")
    heard(first, delivery_named("command.issue_comment.created"), first)
    assert commands(store) is not None
    with store.read() as unit:
        assert unit.outbox_tasks.count()["waiting"] == 1


@pytest.mark.parametrize(
    "name",
    [
        "own.issue_comment.created",
        "edited.issue_comment.edited",
        "plain-issue.issue_comment.created",
    ],
)
def test_our_own_an_edited_and_a_plain_issue_s_comment_are_left_alone(heard, store, name):
    heard(delivery_named(name))
    assert commands(store) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"user": None},
        {"user": {"login": "dependabot[bot]", "type": "Bot"}},
        {"user": {"login": "old", "type": "Mannequin"}},
        {"performed_via_github_app": {"id": 1}},
        {"body": None},
        {"body": "about assayer"},
        {"body": "/assayer stop" + "x" * 65_536},
    ],
)
def test_what_no_person_wrote_to_us_is_left_alone(heard, store, changes):
    payload = recorded("command.issue_comment.created")
    payload["comment"] |= changes
    heard(delivery("issue_comment", payload))
    assert commands(store) is None


def test_every_recorded_delivery_is_understood_twice_over(heard, store):
    for name in names() * 2:
        heard(delivery_named(name, installation=recorded(name).get("installation") or {"id": 1}))
    with store.read() as unit:
        assert unit.outbox_tasks.count()["waiting"] > 3
