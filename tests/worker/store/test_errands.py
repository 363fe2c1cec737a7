"""Errands go in lanes, under leases; writes go in turns."""

from datetime import timedelta

import pytest

from tests.worker.store.nouns import errand
from worker.store import ErrandKind, WritingState


@pytest.fixture
def books(store):
    with store.begin() as opened:
        yield opened


# --------------------------------------------------------------- errands


def test_errand_is_added_once_and_its_key_outlives_it(books):
    assert books.errands.add(errand(order={"comment": 1, "body": "nul \x00"}, run="r"))
    assert not books.errands.add(errand())
    record = books.errands.next("pull:7:12")
    assert record.errand == errand(order={"comment": 1, "body": "nul \x00"}, run="r")
    assert books.errands.done(record.id)
    assert not books.errands.done(record.id)
    assert books.errands.next("pull:7:12") is None
    assert not books.errands.add(errand())
    assert books.errands.get(record.id).errand.order == {}


def test_most_urgent_kind_comes_first_then_the_oldest(books, clock):
    for key, kind in (("p", "publish"), ("c1", "command"), ("c2", "command"), ("a", "announce")):
        books.errands.add(errand(key, ErrandKind(kind)))
        clock.pass_by(1)
    order = []
    while record := books.errands.next("pull:7:12"):
        order.append(record.errand.key)
        books.errands.done(record.id)
    assert order == ["a", "c1", "c2", "p"]


def test_lanes_with_due_errands_are_found_the_most_urgent_first(books, clock):
    books.errands.add(errand("1", ErrandKind.PUBLISH, "pull:7:1"))
    books.errands.add(errand("2", ErrandKind.ANNOUNCE, "pull:7:2"))
    books.errands.add(errand("3", ErrandKind.COMMAND, "pull:7:1"))
    books.errands.add(
        errand("4", ErrandKind.ANNOUNCE, "pull:7:4"), due=clock() + timedelta(hours=1)
    )
    assert books.errands.lanes(10) == ("pull:7:2", "pull:7:1")
    assert books.errands.lanes(1) == ("pull:7:2",)
    lease = books.leases.take("pull:7:2", 60)
    assert books.errands.lanes(10) == ("pull:7:1",)
    clock.pass_by(60)
    assert books.errands.lanes(10) == ("pull:7:2", "pull:7:1")
    books.leases.free(lease)
    clock.pass_by(3600)
    assert books.errands.lanes(10) == ("pull:7:2", "pull:7:4", "pull:7:1")


def test_crowded_lane_hides_no_other_for_long(books):
    for number in range(200):
        books.errands.add(errand(f"a{number}", ErrandKind.ANNOUNCE, "pull:7:1"))
    books.errands.add(errand("b", ErrandKind.PUBLISH, "pull:7:2"))
    assert books.errands.lanes(4) == ("pull:7:1",)
    books.leases.take("pull:7:1", 60)
    assert books.errands.lanes(4) == ("pull:7:2",)


def test_failed_errand_comes_again_and_counts(books, clock):
    books.errands.add(errand())
    record = books.errands.next("pull:7:12")
    assert books.errands.again(record.id, "502 \x00", at=clock() + timedelta(seconds=30))
    assert books.errands.next("pull:7:12") is None
    assert books.errands.lanes(10) == ()
    clock.pass_by(30)
    again = books.errands.next("pull:7:12")
    assert (again.attempts, again.created_at) == (1, record.created_at)
    books.errands.again(record.id, "not now", at=clock(), counted=False)
    assert books.errands.next("pull:7:12").attempts == 1


def test_errand_that_is_over_never_comes_again(books, clock):
    books.errands.add(errand())
    record = books.errands.next("pull:7:12")
    books.errands.done(record.id)
    assert not books.errands.again(record.id, "late", at=clock())
    assert not books.errands.bury(record.id, "late")
    assert books.errands.next("pull:7:12") is None


def test_buried_errand_is_counted_and_kept(books, clock):
    books.errands.add(errand(order={"comment": 1}))
    books.errands.add(errand("e-2", lane="other"))
    record = books.errands.next("pull:7:12")
    assert books.errands.oldest() == clock()
    assert books.errands.bury(record.id, "forbidden")
    assert books.errands.count() == {"waiting": 1, "dead": 1}
    assert books.errands.get(record.id).errand.order == {"comment": 1}
    clock.pass_by(10**8)
    books.errands.purge(clock())
    assert books.errands.count() == {"waiting": 1, "dead": 1}


def test_done_errands_are_purged_with_their_keys(books, clock):
    books.errands.add(errand())
    first = books.errands.next("pull:7:12").id
    books.errands.done(first)
    assert books.errands.purge(clock()) == 0
    clock.pass_by(1)
    assert books.errands.purge(clock()) == 1
    assert books.errands.add(errand())
    assert books.errands.next("pull:7:12").id > first
    assert books.errands.oldest() == clock()


# ---------------------------------------------------------------- leases


def test_lane_is_leased_once_until_it_ends(books, clock):
    first = books.leases.take("lane", 60)
    assert books.leases.take("lane", 60) is None
    assert books.leases.take("other", 60)
    assert books.leases.holds(first)
    clock.pass_by(60)
    assert not books.leases.holds(first)
    second = books.leases.take("lane", 60)
    assert second.fence > first.fence
    assert books.leases.renew(first, 60) is None
    assert not books.leases.free(first)
    assert not books.leases.holds(first)
    assert books.leases.holds(second)


def test_renewed_lease_lasts_longer(books, clock):
    lease = books.leases.take("lane", 60)
    clock.pass_by(50)
    renewed = books.leases.renew(lease, 60)
    assert (renewed.fence, renewed.until) == (lease.fence, clock() + timedelta(seconds=60))
    clock.pass_by(50)
    assert books.leases.holds(lease)
    assert books.leases.take("lane", 60) is None


def test_late_renewal_holds_while_nobody_took_the_lane(books, clock):
    lease = books.leases.take("lane", 60)
    clock.pass_by(100)
    assert books.leases.renew(lease, 60)
    assert books.leases.holds(lease)


def test_freed_lane_is_there_for_the_next_and_lost_to_the_last(books):
    lease = books.leases.take("lane", 60)
    assert books.leases.free(lease)
    assert not books.leases.holds(lease)
    assert books.leases.renew(lease, 60) is None
    assert books.leases.take("lane", 60).fence > lease.fence


def test_forgotten_lanes_are_purged(books, clock):
    books.leases.take("lane", 60)
    assert books.leases.purge(clock()) == 0
    clock.pass_by(61)
    assert books.leases.purge(clock()) == 1


# ----------------------------------------------------------------- slots


def test_writes_go_one_at_a_time_and_a_pause_apart(books, clock):
    fence = books.slots.take(3, 30)
    assert books.slots.take(3, 30) is None
    assert books.slots.take(4, 30) is not None
    assert books.slots.next_at(3) == clock() + timedelta(seconds=30)
    clock.pass_by(5)
    assert books.slots.free(3, fence, pause=1)
    assert books.slots.take(3, 30) is None
    assert books.slots.next_at(3) == clock() + timedelta(seconds=1)
    clock.pass_by(1)
    assert books.slots.take(3, 30) > fence


def test_slot_of_a_dead_writer_is_taken_over(books, clock):
    dead = books.slots.take(3, 30)
    clock.pass_by(30)
    assert books.slots.take(3, 30) > dead
    assert not books.slots.free(3, dead, pause=0)
    assert books.slots.take(3, 30) is None


def test_rate_limit_holds_every_write(books, clock):
    limit = clock() + timedelta(seconds=60)
    books.slots.hold(3, limit)
    assert books.slots.take(3, 30) is None
    books.slots.hold(3, clock() + timedelta(seconds=10))
    assert books.slots.next_at(3) == limit
    clock.pass_by(60)
    fence = books.slots.take(3, 30)
    books.slots.hold(3, clock() + timedelta(seconds=90))
    books.slots.free(3, fence, pause=1)
    assert books.slots.next_at(3) == clock() + timedelta(seconds=90)


def test_unknown_installation_may_write_now(books, clock):
    assert books.slots.next_at(3) <= clock()


# -------------------------------------------------------------- writings


def test_writing_is_intended_then_done(books):
    assert books.writings.get("check:1") is None
    assert books.writings.intend("check:1").state is WritingState.INTENDED
    assert books.writings.intend("check:1").state is WritingState.INTENDED
    books.writings.done("check:1", "99")
    assert (books.writings.intend("check:1").state, books.writings.get("check:1").made) == (
        WritingState.DONE,
        "99",
    )
    books.writings.forget("check:1")
    assert books.writings.get("check:1") is None


def test_adopted_writing_needs_no_intention(books):
    books.writings.done("sticky", "5")
    assert books.writings.get("sticky").made == "5"
