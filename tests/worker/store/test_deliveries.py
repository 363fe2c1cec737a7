"""Deliveries are kept once, heard once and never lost."""

from datetime import timedelta

from tests.worker.store.nouns import delivery


def test_delivery_is_kept_once_with_its_body(store):
    with store.begin() as books:
        assert books.deliveries.keep(delivery(body=b"\x00\xff{}"))
        assert not books.deliveries.keep(delivery(body=b"other"))
    with store.look() as books:
        assert books.deliveries.get("d-1") == delivery(body=b"\x00\xff{}")
        assert books.deliveries.get("d-2") is None


def test_oldest_waiting_delivery_comes_first(store, clock):
    for name in ("z", "a", "m"):
        with store.begin() as books:
            books.deliveries.keep(delivery(name))
        clock.pass_by(1)
    with store.look() as books:
        assert books.deliveries.waiting() == ("z", "a", "m")
        assert books.deliveries.waiting(limit=2) == ("z", "a")
        assert books.deliveries.oldest() == clock() - timedelta(seconds=3)


def test_heard_delivery_waits_no_more(store):
    with store.begin() as books:
        books.deliveries.keep(delivery())
        assert books.deliveries.claim("d-1") == delivery()
        assert books.deliveries.heard("d-1")
        assert not books.deliveries.heard("d-1")
        assert books.deliveries.claim("d-1") is None
        assert books.deliveries.waiting() == ()
        assert books.deliveries.oldest() is None
        assert not books.deliveries.keep(delivery())


def test_failure_is_tried_later_and_later(store, clock):
    with store.begin() as books:
        books.deliveries.keep(delivery())
    waits = []
    for _ in range(3):
        with store.begin() as books:
            books.deliveries.failed("d-1", "broken", limit=10)
        waited = 0
        while True:
            with store.look() as books:
                if books.deliveries.waiting():
                    break
            clock.pass_by(1)
            waited += 1
        waits.append(waited)
    assert waits == [5, 10, 20]


def test_delivery_that_always_fails_is_dead_and_not_lost(store, clock):
    with store.begin() as books:
        books.deliveries.keep(delivery())
        for _ in range(3):
            books.deliveries.failed("d-1", "broken \x00" * 1000, limit=3)
        assert books.deliveries.count() == {"waiting": 0, "heard": 0, "dead": 1}
        clock.pass_by(86_400 * 365)
        assert books.deliveries.waiting() == ()
        assert books.deliveries.purge(clock()) == 0
        assert books.deliveries.get("d-1").body == delivery().body


def test_failure_after_it_was_heard_changes_nothing(store):
    with store.begin() as books:
        books.deliveries.keep(delivery())
        books.deliveries.heard("d-1")
        books.deliveries.failed("d-1", "late", limit=1)
        assert books.deliveries.count() == {"waiting": 0, "heard": 1, "dead": 0}


def test_known_ids_are_told_from_others(store):
    with store.begin() as books:
        for number in range(5):
            books.deliveries.keep(delivery(f"d-{number}"))
        asked = [f"d-{number}" for number in range(3, 1500)]
        assert books.deliveries.known(asked) == {"d-3", "d-4"}
        assert books.deliveries.known([]) == set()


def test_purge_empties_bodies_then_deletes_rows(store, clock):
    with store.begin() as books:
        books.deliveries.keep(delivery("heard"))
        books.deliveries.keep(delivery("waits"))
        books.deliveries.heard("heard")
    clock.pass_by(86_400)
    with store.begin() as books:
        assert books.deliveries.purge(clock() - timedelta(days=2)) == 0
        assert books.deliveries.purge(clock()) == 1
        assert books.deliveries.purge(clock()) == 0
        assert books.deliveries.get("heard").body == b""
        assert books.deliveries.get("waits").body != b""
        assert not books.deliveries.keep(delivery("heard"))
    clock.pass_by(86_400 * 31)
    with store.begin() as books:
        assert books.deliveries.purge(clock()) == 1
        assert books.deliveries.known(["heard", "waits"]) == {"waits"}
