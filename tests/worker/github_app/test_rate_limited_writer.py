"""What is written at GitHub is written once, in turn, and only by who may."""

import threading
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from worker.github_app.client.errors import RateLimitedError, RefusedError, UncertainError
from worker.github_app.rate_limited_writer import (
    LostLeaseError,
    NotNowError,
    RateLimitedWriter,
    WriteTimeouts,
)
from worker.store.records import IdempotencyState
from worker.store.store import Store

LANE = "pull:1:1"


class SleepingTime:
    """A clock that moves when somebody sleeps."""

    def __init__(self):
        self.at = datetime(2026, 1, 1, tzinfo=UTC)
        self.slept = []

    def now(self):
        return self.at

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.at += timedelta(seconds=seconds)


class There:
    """What stands at GitHub; ``send`` fails as it is told to."""

    def __init__(self):
        self.made = []
        self.before = []
        self.after = []

    def send(self):
        if self.before:
            raise self.before.pop(0)
        self.made.append(str(len(self.made) + 1))
        if self.after:
            raise self.after.pop(0)
        return self.made[-1]

    def look(self):
        return self.made[-1] if self.made else None


@pytest.fixture
def clock():
    return SleepingTime()


@pytest.fixture
def store(tmp_path, clock):
    with Store(f"sqlite:///{tmp_path / 'store.db'}", clock=clock.now) as store:
        yield store


@pytest.fixture
def there():
    return There()


def lease(store, ordering_key=LANE, seconds=60.0):
    with store.write() as unit:
        return unit.leases.take(ordering_key, seconds)


def a_pen(store, clock, right, installation=7, pause=1.0):
    return RateLimitedWriter(
        store, right, installation, WriteTimeouts(20.0, pause), clock.now, clock.sleep
    )


def idempotency_record(store, key="a"):
    with store.read() as unit:
        return unit.idempotency.get(key)


def test_what_was_made_is_not_made_again(store, clock, there):
    writer = a_pen(store, clock, lease(store))
    assert [writer.create("a", there.send, there.look) for _ in range(3)] == ["1", "1", "1"]
    assert there.made == ["1"]


def test_after_an_answer_that_got_lost_we_look_and_adopt(store, clock, there):
    there.after = [UncertainError("502", status=502)]
    writer = a_pen(store, clock, lease(store))
    with pytest.raises(UncertainError):
        writer.create("a", there.send, there.look)
    assert idempotency_record(store).state is IdempotencyState.INTENDED
    assert writer.create("a", there.send, there.look) == "1"
    assert there.made == ["1"]


def test_after_a_failure_before_the_work_it_is_made(store, clock, there):
    there.before = [UncertainError("timeout")]
    writer = a_pen(store, clock, lease(store))
    with pytest.raises(UncertainError):
        writer.create("a", there.send, there.look)
    assert writer.create("a", there.send, there.look) == "1"


def test_a_death_between_work_and_record_makes_nothing_twice(store, clock, there):
    there.after = [KeyboardInterrupt()]
    with pytest.raises(KeyboardInterrupt):
        a_pen(store, clock, lease(store)).create("a", there.send, there.look)
    clock.sleep(61)
    assert a_pen(store, clock, lease(store)).create("a", there.send, there.look) == "1"
    assert there.made == ["1"]


def test_what_github_refused_was_certainly_not_made(store, clock, there):
    there.before = [RefusedError("no")]
    writer = a_pen(store, clock, lease(store))
    with pytest.raises(RefusedError):
        writer.create("a", there.send, there.look)
    assert idempotency_record(store) is None


def test_nobody_is_looked_for_before_the_first_try(store, clock, there):
    def look():
        raise AssertionError("nothing can be there")

    assert a_pen(store, clock, lease(store)).create("a", there.send, look) == "1"


def test_who_lost_the_lane_writes_nothing(store, clock, there):
    old = lease(store, seconds=5)
    clock.sleep(6)
    assert lease(store) is not None
    writer = a_pen(store, clock, old)
    with pytest.raises(LostLeaseError):
        writer.create("a", there.send, there.look)
    with pytest.raises(LostLeaseError):
        writer.edit(there.send)
    assert there.made == []
    assert idempotency_record(store) is None


def test_the_lane_is_ours_for_longer_than_a_request_may_take(store, clock):
    right = lease(store, seconds=1)
    a_pen(store, clock, right).edit(lambda: clock.sleep(40))
    assert lease(store) is None


def test_writes_are_a_pause_apart(store, clock, there):
    writer = a_pen(store, clock, lease(store))
    for key in "abc":
        writer.create(key, there.send, there.look)
    assert sum(clock.slept) == pytest.approx(2.0)


def test_other_installations_do_not_wait(store, clock, there):
    a_pen(store, clock, lease(store)).edit(there.send)
    a_pen(store, clock, lease(store, "pull:2:1"), installation=8).edit(there.send)
    assert clock.slept == []


def test_a_rate_limit_holds_the_installation(store, clock, there):
    until = clock.now() + timedelta(minutes=5)
    there.before = [RateLimitedError("slow down", until=until)]
    writer = a_pen(store, clock, lease(store))
    with pytest.raises(RateLimitedError):
        writer.create("a", there.send, there.look)
    with pytest.raises(NotNowError) as caught:
        writer.edit(there.send)
    assert caught.value.at == until
    clock.at = until
    assert writer.create("a", there.send, there.look) == "1"


def test_a_slot_whose_owner_died_is_free_again(store, clock, there):
    with store.write() as unit:
        assert unit.slots.take(7, WriteTimeouts(5.0, 1.0).slot) is not None
    a_pen(store, clock, lease(store)).edit(there.send)
    assert sum(clock.slept) == pytest.approx(10.0)


def test_threads_take_turns(tmp_path):
    with Store(f"sqlite:///{tmp_path / 'store.db'}") as store:
        inside, most = [], []

        def write(ordering_key):
            writer = RateLimitedWriter(
                store, lease(store, ordering_key), 7, WriteTimeouts(20.0, 0.01), now, time.sleep
            )
            for _ in range(3):
                writer.edit(step)

        def now():
            return datetime.now(UTC)

        def step():
            inside.append(1)
            most.append(len(inside))
            time.sleep(0.01)
            inside.pop()

        threads = [threading.Thread(target=write, args=(f"pull:1:{n}",)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
        assert most == [1] * 12


def test_patience_is_ordered():
    timeouts = replace(WriteTimeouts(20.0, 1.0), request=10.0)
    assert timeouts.request < timeouts.settled < timeouts.slot < timeouts.lease
