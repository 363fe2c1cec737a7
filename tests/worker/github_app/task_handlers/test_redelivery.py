"""What GitHub could not deliver is asked for again, if we have not got it."""

from __future__ import annotations

from datetime import timedelta

from tests.worker.github_app.client.scripted import START, path_of, reply
from tests.worker.github_app.task_handlers.publisher_contexts import task
from worker.github_app.outbox import task_handlers
from worker.github_app.outbox.task_handlers import redeliver
from worker.store.records import Delivery, OutboxTaskKind


def tried(number, guid, status, hours=1.0, event="pull_request"):
    return {
        "id": number,
        "guid": guid,
        "delivered_at": (START - timedelta(hours=hours)).isoformat(),
        "redelivery": False,
        "duration": 0.1,
        "status": "OK" if status == 202 else "failed to connect",
        "status_code": status,
        "event": event,
        "action": "opened",
        "installation_id": 7,
        "repository_id": 42,
        "throttled_at": None,
    }


def asked_again(publisher_context):
    return [
        int(path_of(request).split("/")[-2])
        for request in publisher_context.github.asked
        if request.method == "POST"
    ]


def test_failed_deliveries_of_all_events_are_asked_for_oldest_first(publisher_context):
    publisher_context.github.replies = [
        reply(200, [tried(4, "d", 202), tried(3, "c", 0, 2, "ping"), tried(1, "a", 502, 60)]),
        reply(202),
        reply(202),
    ]
    redeliver(task(OutboxTaskKind.REDELIVER, order={"deep": True}), publisher_context.context)
    assert asked_again(publisher_context) == [1, 3]
    assert publisher_context.clock.slept == [1.0, 1.0]


def test_what_we_have_is_not_asked_for(publisher_context):
    """GitHub gave up waiting for an answer to what had been kept."""
    with publisher_context.store.write() as unit:
        unit.deliveries.keep(Delivery("a", "pull_request", "opened", "0" * 64, 7, b"{}"))
    publisher_context.github.replies = [reply(200, [tried(1, "a", 504)])]
    redeliver(task(OutboxTaskKind.REDELIVER), publisher_context.context)
    assert asked_again(publisher_context) == []


def test_what_came_at_the_second_try_is_not_asked_for(publisher_context):
    publisher_context.github.replies = [reply(200, [tried(2, "a", 202), tried(1, "a", 502, 2)])]
    redeliver(task(OutboxTaskKind.REDELIVER), publisher_context.context)
    assert asked_again(publisher_context) == []


def test_what_github_has_no_more_is_left(publisher_context):
    publisher_context.github.replies = [
        reply(200, [tried(2, "b", 500), tried(1, "a", 500, 2), tried(0, "z", 500, 73)]),
        reply(422, {"message": "too old"}),
        reply(202),
    ]
    redeliver(task(OutboxTaskKind.REDELIVER, order={"deep": True}), publisher_context.context)
    assert asked_again(publisher_context) == [1, 2]


def test_mostly_the_last_hours_are_looked_through(publisher_context):
    publisher_context.github.replies = [
        reply(200, [tried(2, "b", 500, 1.5), tried(1, "a", 500, 2.5)]),
        reply(202),
    ]
    redeliver(task(OutboxTaskKind.REDELIVER), publisher_context.context)
    assert asked_again(publisher_context) == [2]


def test_one_errand_asks_for_so_many(publisher_context, monkeypatch):
    monkeypatch.setattr(task_handlers, "MOST", 3)
    publisher_context.github.replies = [
        reply(200, [tried(number, f"g{number}", 500, 10 - number) for number in range(9, 0, -1)]),
        *(reply(202) for _ in range(3)),
    ]
    redeliver(task(OutboxTaskKind.REDELIVER, order={"deep": True}), publisher_context.context)
    assert asked_again(publisher_context) == [1, 2, 3]
