"""The publisher hears, works and ends; what breaks inside does not end it."""

import hashlib
import logging
import threading

import pytest
from sqlalchemy.exc import OperationalError

from worker.github_app.client.limits import utc_now
from worker.github_app.context import PublisherContext
from worker.github_app.outbox import publisher
from worker.github_app.outbox.delivery_dispatch import dispatch_waiting
from worker.github_app.outbox.outbox_worker import LeaseRenewer
from worker.github_app.outbox.publisher import PollingLoop, publish, run_threads
from worker.settings.operator_settings import Settings
from worker.store.queue_names import PUBLISH
from worker.store.records import Delivery, OutboxTask, OutboxTaskKind
from worker.store.store import Store

PATIENCE = 600


@pytest.fixture
def store(tmp_path):
    with Store(f"sqlite:///{tmp_path / 'store.db'}") as store:
        yield store


@pytest.fixture
def publisher_context(store):
    return PublisherContext(
        settings=Settings(),
        store=store,
        app=None,
        blobs=None,
        notify=None,
        links=None,
        stop=threading.Event(),
    )


def keep(store, name, event, action=None):
    body = b"{}"
    digest = hashlib.sha256(body).hexdigest()
    with store.write() as unit:
        assert unit.deliveries.keep(Delivery(name, event, action, digest, None, body))


def counts(store):
    with store.read() as unit:
        return unit.deliveries.count()


def test_what_nobody_can_understand_keeps_nothing_else_waiting(publisher_context, store):
    keep(store, "a", "pull_request", "opened")
    keep(store, "b", "ping")
    assert dispatch_waiting(publisher_context) == 2
    assert counts(store) == {"waiting": 0, "heard": 1, "dead": 1}


def test_a_delivery_on_which_we_break_is_heard_again_later(publisher_context, store, monkeypatch):
    def breaks(delivery, unit):
        raise ZeroDivisionError

    keep(store, "a", "ping")
    monkeypatch.setattr("worker.github_app.outbox.delivery_dispatch.dispatch", breaks)
    assert dispatch_waiting(publisher_context) == 1
    assert counts(store) == {"waiting": 1, "heard": 0, "dead": 0}
    assert dispatch_waiting(publisher_context) == 0


def test_what_a_delivery_changed_is_undone_when_it_breaks(publisher_context, store, monkeypatch):
    def breaks(delivery, unit):
        unit.outbox_tasks.add(OutboxTask(OutboxTaskKind.PUBLISH, 1, "pull:1:1", "a"))
        raise ZeroDivisionError

    keep(store, "a", "ping")
    monkeypatch.setattr("worker.github_app.outbox.delivery_dispatch.dispatch", breaks)
    dispatch_waiting(publisher_context)
    with store.read() as unit:
        assert unit.outbox_tasks.count()["waiting"] == 0


def test_a_round_goes_on_after_whatever_breaks(publisher_context, monkeypatch):
    monkeypatch.setattr(publisher, "OUTAGE_SECONDS", 0.01)
    monkeypatch.setattr(publisher, "IDLE_SECONDS", 0.01)
    raised = [OperationalError("select", {}, Exception("away")), ZeroDivisionError(), None]

    def step():
        error = raised.pop(0)
        if error is not None:
            raise error
        publisher_context.stop.set()
        return False

    PollingLoop("test", publisher_context, step)()
    assert raised == []


def test_it_works_until_it_is_stopped(publisher_context, store):
    keep(store, "a", "ping")
    thread = threading.Thread(target=run_threads, args=(publisher_context, 2))
    thread.start()
    for _ in range(PATIENCE * 10):
        if counts(store)["heard"] and publishers(store):
            break
        threading.Event().wait(0.1)
    assert counts(store)["heard"] == 1
    assert publishers(store) == [(PUBLISH,)]
    publisher_context.stop.set()
    thread.join(PATIENCE)
    assert not thread.is_alive()
    assert publishers(store) == []


def publishers(store):
    with store.read() as unit:
        return [worker.queues for worker in unit.workers_present.present()]


def test_leases_in_use_are_renewed(store):
    with store.write() as unit:
        lease = unit.leases.take("pull:1:1", 3)
    lease_renewer, stop = LeaseRenewer(store, 3), threading.Event()
    thread = threading.Thread(target=lease_renewer.run, args=(stop,))
    with lease_renewer.renewing(lease):
        thread.start()
        assert any(is_held_past_its_end(store, lease) for _ in range(PATIENCE * 10))
        stop.set()
    thread.join(PATIENCE)
    assert not thread.is_alive()


def is_held_past_its_end(store, lease):
    threading.Event().wait(0.1)
    with store.read() as unit:
        return unit.leases.holds(lease) and utc_now() > lease.until


def test_without_an_app_it_says_so_and_waits(tmp_path, caplog):
    settings = Settings()
    store = settings.store.model_copy(update={"url": f"sqlite:///{tmp_path / 'store.db'}"})
    settings = settings.model_copy(update={"store": store})
    stop = threading.Event()
    thread = threading.Thread(target=publish, args=(settings, stop))
    with caplog.at_level(logging.WARNING):
        thread.start()
        for _ in range(PATIENCE * 10):
            if caplog.records:
                break
            threading.Event().wait(0.1)
        stop.set()
        thread.join(PATIENCE)
    assert not thread.is_alive()
    assert [r.message for r in caplog.records if "github.app_id" in r.message] != []
