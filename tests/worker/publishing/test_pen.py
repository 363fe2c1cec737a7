"""What is written at GitHub is written once, in turn, and only by who may."""

import threading
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from worker.github.errors import RateLimitedError, RefusedError, UncertainError
from worker.publishing.pen import LostLeaseError, NotNowError, Patience, Pen
from worker.store import Store, WritingState

LANE = "pull:1:1"


class Time:
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
    return Time()


@pytest.fixture
def store(tmp_path, clock):
    with Store(f"sqlite:///{tmp_path / 'store.db'}", clock=clock.now) as store:
        yield store


@pytest.fixture
def there():
    return There()


def lease(store, lane=LANE, seconds=60.0):
    with store.begin() as books:
        return books.leases.take(lane, seconds)


def a_pen(store, clock, right, installation=7, pause=1.0):
    return Pen(store, right, installation, Patience(20.0, pause), clock.now, clock.sleep)


def writing(store, key="a"):
    with store.look() as books:
        return books.writings.get(key)


def test_what_was_made_is_not_made_again(store, clock, there):
    pen = a_pen(store, clock, lease(store))
    assert [pen.create("a", there.send, there.look) for _ in range(3)] == ["1", "1", "1"]
    assert there.made == ["1"]


def test_after_an_answer_that_got_lost_we_look_and_adopt(store, clock, there):
    there.after = [UncertainError("502", status=502)]
    pen = a_pen(store, clock, lease(store))
    with pytest.raises(UncertainError):
        pen.create("a", there.send, there.look)
    assert writing(store).state is WritingState.INTENDED
    assert pen.create("a", there.send, there.look) == "1"
    assert there.made == ["1"]


def test_after_a_failure_before_the_work_it_is_made(store, clock, there):
    there.before = [UncertainError("timeout")]
    pen = a_pen(store, clock, lease(store))
    with pytest.raises(UncertainError):
        pen.create("a", there.send, there.look)
    assert pen.create("a", there.send, there.look) == "1"


def test_a_death_between_work_and_record_makes_nothing_twice(store, clock, there):
    there.after = [KeyboardInterrupt()]
    with pytest.raises(KeyboardInterrupt):
        a_pen(store, clock, lease(store)).create("a", there.send, there.look)
    clock.sleep(61)
    assert a_pen(store, clock, lease(store)).create("a", there.send, there.look) == "1"
    assert there.made == ["1"]


def test_what_github_refused_was_certainly_not_made(store, clock, there):
    there.before = [RefusedError("no")]
    pen = a_pen(store, clock, lease(store))
    with pytest.raises(RefusedError):
        pen.create("a", there.send, there.look)
    assert writing(store) is None


def test_nobody_is_looked_for_before_the_first_try(store, clock, there):
    def look():
        raise AssertionError("nothing can be there")

    assert a_pen(store, clock, lease(store)).create("a", there.send, look) == "1"


def test_who_lost_the_lane_writes_nothing(store, clock, there):
    old = lease(store, seconds=5)
    clock.sleep(6)
    assert lease(store) is not None
    pen = a_pen(store, clock, old)
    with pytest.raises(LostLeaseError):
        pen.create("a", there.send, there.look)
    with pytest.raises(LostLeaseError):
        pen.edit(there.send)
    assert there.made == []
    assert writing(store) is None


def test_the_lane_is_ours_for_longer_than_a_request_may_take(store, clock):
    right = lease(store, seconds=1)
    a_pen(store, clock, right).edit(lambda: clock.sleep(40))
    assert lease(store) is None


def test_writes_are_a_pause_apart(store, clock, there):
    pen = a_pen(store, clock, lease(store))
    for key in "abc":
        pen.create(key, there.send, there.look)
    assert sum(clock.slept) == pytest.approx(2.0)


def test_other_installations_do_not_wait(store, clock, there):
    a_pen(store, clock, lease(store)).edit(there.send)
    a_pen(store, clock, lease(store, "pull:2:1"), installation=8).edit(there.send)
    assert clock.slept == []


def test_a_rate_limit_holds_the_installation(store, clock, there):
    until = clock.now() + timedelta(minutes=5)
    there.before = [RateLimitedError("slow down", until=until)]
    pen = a_pen(store, clock, lease(store))
    with pytest.raises(RateLimitedError):
        pen.create("a", there.send, there.look)
    with pytest.raises(NotNowError) as caught:
        pen.edit(there.send)
    assert caught.value.at == until
    clock.at = until
    assert pen.create("a", there.send, there.look) == "1"


def test_a_slot_whose_owner_died_is_free_again(store, clock, there):
    with store.begin() as books:
        assert books.slots.take(7, Patience(5.0, 1.0).slot) is not None
    a_pen(store, clock, lease(store)).edit(there.send)
    assert sum(clock.slept) == pytest.approx(10.0)


def test_threads_take_turns(tmp_path):
    with Store(f"sqlite:///{tmp_path / 'store.db'}") as store:
        inside, most = [], []

        def write(lane):
            pen = Pen(store, lease(store, lane), 7, Patience(20.0, 0.01), now, time.sleep)
            for _ in range(3):
                pen.edit(step)

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
            thread.join(30)
        assert most == [1] * 12


def test_patience_is_ordered():
    patience = replace(Patience(20.0, 1.0), request=10.0)
    assert patience.request < patience.settled < patience.slot < patience.lease
