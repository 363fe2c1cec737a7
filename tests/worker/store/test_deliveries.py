"""Deliveries are kept once, heard once and never lost."""

from datetime import timedelta

from tests.worker.store.nouns import delivery


def test_delivery_is_kept_once_with_its_body(store):
    with store.write() as unit:
        assert unit.deliveries.keep(delivery(body=b"\x00\xff{}"))
        assert not unit.deliveries.keep(delivery(body=b"other"))
    with store.read() as unit:
        assert unit.deliveries.get("d-1") == delivery(body=b"\x00\xff{}")
        assert unit.deliveries.get("d-2") is None


def test_oldest_waiting_delivery_comes_first(store, clock):
    for name in ("z", "a", "m"):
        with store.write() as unit:
            unit.deliveries.keep(delivery(name))
        clock.pass_by(1)
    with store.read() as unit:
        assert unit.deliveries.waiting() == ("z", "a", "m")
        assert unit.deliveries.waiting(limit=2) == ("z", "a")
        assert unit.deliveries.oldest() == clock() - timedelta(seconds=3)


def test_heard_delivery_waits_no_more(store):
    with store.write() as unit:
        unit.deliveries.keep(delivery())
        assert unit.deliveries.claim("d-1") == delivery()
        assert unit.deliveries.heard("d-1")
        assert not unit.deliveries.heard("d-1")
        assert unit.deliveries.claim("d-1") is None
        assert unit.deliveries.waiting() == ()
        assert unit.deliveries.oldest() is None
        assert not unit.deliveries.keep(delivery())


def test_failure_is_tried_later_and_later(store, clock):
    with store.write() as unit:
        unit.deliveries.keep(delivery())
    waits = []
    for _ in range(3):
        with store.write() as unit:
            unit.deliveries.failed("d-1", "broken", limit=10)
        waited = 0
        while True:
            with store.read() as unit:
                if unit.deliveries.waiting():
                    break
            clock.pass_by(1)
            waited += 1
        waits.append(waited)
    assert waits == [5, 10, 20]


def test_delivery_that_always_fails_is_dead_and_not_lost(store, clock):
    with store.write() as unit:
        unit.deliveries.keep(delivery())
        for _ in range(3):
            unit.deliveries.failed("d-1", "broken \x00" * 1000, limit=3)
        assert unit.deliveries.count() == {"waiting": 0, "heard": 0, "dead": 1}
        clock.pass_by(86_400 * 365)
        assert unit.deliveries.waiting() == ()
        assert unit.deliveries.purge(clock()) == 0
        assert unit.deliveries.get("d-1").body == delivery().body


def test_failure_after_it_was_heard_changes_nothing(store):
    with store.write() as unit:
        unit.deliveries.keep(delivery())
        unit.deliveries.heard("d-1")
        unit.deliveries.failed("d-1", "late", limit=1)
        assert unit.deliveries.count() == {"waiting": 0, "heard": 1, "dead": 0}


def test_known_ids_are_told_from_others(store):
    with store.write() as unit:
        for number in range(5):
            unit.deliveries.keep(delivery(f"d-{number}"))
        asked = [f"d-{number}" for number in range(3, 1500)]
        assert unit.deliveries.known(asked) == {"d-3", "d-4"}
        assert unit.deliveries.known([]) == set()


def test_purge_empties_bodies_then_deletes_rows(store, clock):
    with store.write() as unit:
        unit.deliveries.keep(delivery("heard"))
        unit.deliveries.keep(delivery("waits"))
        unit.deliveries.heard("heard")
    clock.pass_by(86_400)
    with store.write() as unit:
        assert unit.deliveries.purge(clock() - timedelta(days=2)) == 0
        assert unit.deliveries.purge(clock()) == 1
        assert unit.deliveries.purge(clock()) == 0
        assert unit.deliveries.get("heard").body == b""
        assert unit.deliveries.get("waits").body != b""
        assert not unit.deliveries.keep(delivery("heard"))
    clock.pass_by(86_400 * 31)
    with store.write() as unit:
        assert unit.deliveries.purge(clock()) == 1
        assert unit.deliveries.known(["heard", "waits"]) == {"waits"}
