"""Errands go in lanes, under leases; writes go in turns."""

from datetime import timedelta

import pytest

from tests.worker.store.nouns import task
from worker.store.records import IdempotencyState, OutboxTaskKind


@pytest.fixture
def unit(store):
    with store.write() as opened:
        yield opened


# --------------------------------------------------------------- errands


def test_errand_is_added_once_and_its_key_outlives_it(unit):
    assert unit.outbox_tasks.add(task(order={"comment": 1, "body": "nul \x00"}, run="r"))
    assert not unit.outbox_tasks.add(task())
    record = unit.outbox_tasks.next("pull:7:12")
    assert record.task == task(order={"comment": 1, "body": "nul \x00"}, run="r")
    assert unit.outbox_tasks.done(record.id)
    assert not unit.outbox_tasks.done(record.id)
    assert unit.outbox_tasks.next("pull:7:12") is None
    assert not unit.outbox_tasks.add(task())
    assert unit.outbox_tasks.get(record.id).task.order == {}


def test_most_urgent_kind_comes_first_then_the_oldest(unit, clock):
    for key, kind in (("p", "publish"), ("c1", "command"), ("c2", "command"), ("a", "announce")):
        unit.outbox_tasks.add(task(key, OutboxTaskKind(kind)))
        clock.pass_by(1)
    order = []
    while record := unit.outbox_tasks.next("pull:7:12"):
        order.append(record.task.key)
        unit.outbox_tasks.done(record.id)
    assert order == ["a", "c1", "c2", "p"]


def test_lanes_with_due_errands_are_found_the_most_urgent_first(unit, clock):
    unit.outbox_tasks.add(task("1", OutboxTaskKind.PUBLISH, "pull:7:1"))
    unit.outbox_tasks.add(task("2", OutboxTaskKind.ANNOUNCE, "pull:7:2"))
    unit.outbox_tasks.add(task("3", OutboxTaskKind.COMMAND, "pull:7:1"))
    unit.outbox_tasks.add(
        task("4", OutboxTaskKind.ANNOUNCE, "pull:7:4"), due=clock() + timedelta(hours=1)
    )
    assert unit.outbox_tasks.ordering_keys(10) == ("pull:7:2", "pull:7:1")
    assert unit.outbox_tasks.ordering_keys(1) == ("pull:7:2",)
    lease = unit.leases.take("pull:7:2", 60)
    assert unit.outbox_tasks.ordering_keys(10) == ("pull:7:1",)
    clock.pass_by(60)
    assert unit.outbox_tasks.ordering_keys(10) == ("pull:7:2", "pull:7:1")
    unit.leases.free(lease)
    clock.pass_by(3600)
    assert unit.outbox_tasks.ordering_keys(10) == ("pull:7:2", "pull:7:4", "pull:7:1")


def test_crowded_lane_hides_no_other_for_long(unit):
    for number in range(200):
        unit.outbox_tasks.add(task(f"a{number}", OutboxTaskKind.ANNOUNCE, "pull:7:1"))
    unit.outbox_tasks.add(task("b", OutboxTaskKind.PUBLISH, "pull:7:2"))
    assert unit.outbox_tasks.ordering_keys(4) == ("pull:7:1",)
    unit.leases.take("pull:7:1", 60)
    assert unit.outbox_tasks.ordering_keys(4) == ("pull:7:2",)


def test_failed_errand_comes_again_and_counts(unit, clock):
    unit.outbox_tasks.add(task())
    record = unit.outbox_tasks.next("pull:7:12")
    assert unit.outbox_tasks.again(record.id, "502 \x00", at=clock() + timedelta(seconds=30))
    assert unit.outbox_tasks.next("pull:7:12") is None
    assert unit.outbox_tasks.ordering_keys(10) == ()
    clock.pass_by(30)
    again = unit.outbox_tasks.next("pull:7:12")
    assert (again.attempts, again.created_at) == (1, record.created_at)
    unit.outbox_tasks.again(record.id, "not now", at=clock(), counted=False)
    assert unit.outbox_tasks.next("pull:7:12").attempts == 1


def test_errand_that_is_over_never_comes_again(unit, clock):
    unit.outbox_tasks.add(task())
    record = unit.outbox_tasks.next("pull:7:12")
    unit.outbox_tasks.done(record.id)
    assert not unit.outbox_tasks.again(record.id, "late", at=clock())
    assert not unit.outbox_tasks.give_up(record.id, "late")
    assert unit.outbox_tasks.next("pull:7:12") is None


def test_buried_errand_is_counted_and_kept(unit, clock):
    unit.outbox_tasks.add(task(order={"comment": 1}))
    unit.outbox_tasks.add(task("e-2", ordering_key="other"))
    record = unit.outbox_tasks.next("pull:7:12")
    assert unit.outbox_tasks.oldest() == clock()
    assert unit.outbox_tasks.give_up(record.id, "forbidden")
    assert unit.outbox_tasks.count() == {"waiting": 1, "dead": 1}
    assert unit.outbox_tasks.get(record.id).task.order == {"comment": 1}
    clock.pass_by(10**8)
    unit.outbox_tasks.purge(clock())
    assert unit.outbox_tasks.count() == {"waiting": 1, "dead": 1}


def test_done_errands_are_purged_with_their_keys(unit, clock):
    unit.outbox_tasks.add(task())
    first = unit.outbox_tasks.next("pull:7:12").id
    unit.outbox_tasks.done(first)
    assert unit.outbox_tasks.purge(clock()) == 0
    clock.pass_by(1)
    assert unit.outbox_tasks.purge(clock()) == 1
    assert unit.outbox_tasks.add(task())
    assert unit.outbox_tasks.next("pull:7:12").id > first
    assert unit.outbox_tasks.oldest() == clock()


# ---------------------------------------------------------------- leases


def test_lane_is_leased_once_until_it_ends(unit, clock):
    first = unit.leases.take("lane", 60)
    assert unit.leases.take("lane", 60) is None
    assert unit.leases.take("other", 60)
    assert unit.leases.holds(first)
    clock.pass_by(60)
    assert not unit.leases.holds(first)
    second = unit.leases.take("lane", 60)
    assert second.fence > first.fence
    assert unit.leases.renew(first, 60) is None
    assert not unit.leases.free(first)
    assert not unit.leases.holds(first)
    assert unit.leases.holds(second)


def test_renewed_lease_lasts_longer(unit, clock):
    lease = unit.leases.take("lane", 60)
    clock.pass_by(50)
    renewed = unit.leases.renew(lease, 60)
    assert (renewed.fence, renewed.until) == (lease.fence, clock() + timedelta(seconds=60))
    clock.pass_by(50)
    assert unit.leases.holds(lease)
    assert unit.leases.take("lane", 60) is None


def test_late_renewal_holds_while_nobody_took_the_lane(unit, clock):
    lease = unit.leases.take("lane", 60)
    clock.pass_by(100)
    assert unit.leases.renew(lease, 60)
    assert unit.leases.holds(lease)


def test_freed_lane_is_there_for_the_next_and_lost_to_the_last(unit):
    lease = unit.leases.take("lane", 60)
    assert unit.leases.free(lease)
    assert not unit.leases.holds(lease)
    assert unit.leases.renew(lease, 60) is None
    assert unit.leases.take("lane", 60).fence > lease.fence


def test_forgotten_lanes_are_purged(unit, clock):
    unit.leases.take("lane", 60)
    assert unit.leases.purge(clock()) == 0
    clock.pass_by(61)
    assert unit.leases.purge(clock()) == 1


# ----------------------------------------------------------------- slots


def test_writes_go_one_at_a_time_and_a_pause_apart(unit, clock):
    fence = unit.slots.take(3, 30)
    assert unit.slots.take(3, 30) is None
    assert unit.slots.take(4, 30) is not None
    assert unit.slots.next_at(3) == clock() + timedelta(seconds=30)
    clock.pass_by(5)
    assert unit.slots.free(3, fence, pause=1)
    assert unit.slots.take(3, 30) is None
    assert unit.slots.next_at(3) == clock() + timedelta(seconds=1)
    clock.pass_by(1)
    assert unit.slots.take(3, 30) > fence


def test_slot_of_a_dead_writer_is_taken_over(unit, clock):
    dead = unit.slots.take(3, 30)
    clock.pass_by(30)
    assert unit.slots.take(3, 30) > dead
    assert not unit.slots.free(3, dead, pause=0)
    assert unit.slots.take(3, 30) is None


def test_rate_limit_holds_every_write(unit, clock):
    limit = clock() + timedelta(seconds=60)
    unit.slots.hold(3, limit)
    assert unit.slots.take(3, 30) is None
    unit.slots.hold(3, clock() + timedelta(seconds=10))
    assert unit.slots.next_at(3) == limit
    clock.pass_by(60)
    fence = unit.slots.take(3, 30)
    unit.slots.hold(3, clock() + timedelta(seconds=90))
    unit.slots.free(3, fence, pause=1)
    assert unit.slots.next_at(3) == clock() + timedelta(seconds=90)


def test_unknown_installation_may_write_now(unit, clock):
    assert unit.slots.next_at(3) <= clock()


# -------------------------------------------------------------- writings


def test_writing_is_intended_then_done(unit):
    assert unit.idempotency.get("check:1") is None
    for _ in range(2):
        unit.idempotency.intend("check:1")
        assert unit.idempotency.get("check:1").state is IdempotencyState.INTENDED
    unit.idempotency.done("check:1", "99")
    unit.idempotency.intend("check:1")
    found = unit.idempotency.get("check:1")
    assert (found.state, found.made) == (IdempotencyState.DONE, "99")
    unit.idempotency.forget("check:1")
    assert unit.idempotency.get("check:1") is None


def test_adopted_writing_needs_no_intention(unit):
    unit.idempotency.done("sticky", "5")
    assert unit.idempotency.get("sticky").made == "5"
