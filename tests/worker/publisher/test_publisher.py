"""The publisher hears, works and ends; what breaks inside does not end it."""

import hashlib
import logging
import threading

import pytest
from sqlalchemy.exc import OperationalError

from worker.publisher import publisher
from worker.publisher.hearing import hear_waiting
from worker.publisher.keeping import Keeper
from worker.publisher.office import Office
from worker.publisher.publisher import Round, publish, staff
from worker.publishing.pen import utc_now
from worker.queue import PUBLISH
from worker.settings.server import Settings
from worker.store import Delivery, Errand, ErrandKind, Store

PATIENCE = 30


@pytest.fixture
def store(tmp_path):
    with Store(f"sqlite:///{tmp_path / 'store.db'}") as store:
        yield store


@pytest.fixture
def office(store):
    return Office(
        settings=Settings(),
        store=store,
        app=None,
        blobs=None,
        ring=None,
        links=None,
        stop=threading.Event(),
    )


def keep(store, name, event, action=None):
    body = b"{}"
    digest = hashlib.sha256(body).hexdigest()
    with store.begin() as books:
        assert books.deliveries.keep(Delivery(name, event, action, digest, None, body))


def counts(store):
    with store.look() as books:
        return books.deliveries.count()


def test_what_nobody_can_understand_keeps_nothing_else_waiting(office, store):
    keep(store, "a", "pull_request", "opened")
    keep(store, "b", "ping")
    assert hear_waiting(office) == 2
    assert counts(store) == {"waiting": 0, "heard": 1, "dead": 1}


def test_a_delivery_on_which_we_break_is_heard_again_later(office, store, monkeypatch):
    def breaks(delivery, books):
        raise ZeroDivisionError

    keep(store, "a", "ping")
    monkeypatch.setattr("worker.publisher.hearing.hear", breaks)
    assert hear_waiting(office) == 1
    assert counts(store) == {"waiting": 1, "heard": 0, "dead": 0}
    assert hear_waiting(office) == 0


def test_what_a_delivery_changed_is_undone_when_it_breaks(office, store, monkeypatch):
    def breaks(delivery, books):
        books.errands.add(Errand(ErrandKind.PUBLISH, 1, "pull:1:1", "a"))
        raise ZeroDivisionError

    keep(store, "a", "ping")
    monkeypatch.setattr("worker.publisher.hearing.hear", breaks)
    hear_waiting(office)
    with store.look() as books:
        assert books.errands.count()["waiting"] == 0


def test_a_round_goes_on_after_whatever_breaks(office, monkeypatch):
    monkeypatch.setattr(publisher, "OUTAGE_SECONDS", 0.01)
    monkeypatch.setattr(publisher, "IDLE_SECONDS", 0.01)
    raised = [OperationalError("select", {}, Exception("away")), ZeroDivisionError(), None]

    def step():
        error = raised.pop(0)
        if error is not None:
            raise error
        office.stop.set()
        return False

    Round("test", office, step)()
    assert raised == []


def test_it_works_until_it_is_stopped(office, store):
    keep(store, "a", "ping")
    thread = threading.Thread(target=staff, args=(office, 2))
    thread.start()
    for _ in range(PATIENCE * 10):
        if counts(store)["heard"] and publishers(store):
            break
        threading.Event().wait(0.1)
    assert counts(store)["heard"] == 1
    assert publishers(store) == [(PUBLISH,)]
    office.stop.set()
    thread.join(PATIENCE)
    assert not thread.is_alive()
    assert publishers(store) == []


def publishers(store):
    with store.look() as books:
        return [worker.queues for worker in books.roster.present()]


def test_leases_in_use_are_renewed(store):
    with store.begin() as books:
        lease = books.leases.take("pull:1:1", 0.5)
    keeper, stop = Keeper(store, 0.5), threading.Event()
    thread = threading.Thread(target=keeper.run, args=(stop,))
    with keeper.keeping(lease):
        thread.start()
        assert any(is_held_past_its_end(store, lease) for _ in range(PATIENCE * 10))
        stop.set()
    thread.join(PATIENCE)
    assert not thread.is_alive()


def is_held_past_its_end(store, lease):
    threading.Event().wait(0.1)
    with store.look() as books:
        return books.leases.holds(lease) and utc_now() > lease.until


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
