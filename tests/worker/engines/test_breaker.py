import threading

import pytest

from worker.engines.breaker import LONGEST, Breaker, OpenCircuit


class Clock:
    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def breaker(clock):
    return Breaker(failures=3, seconds=30, clock=clock)


def fail(breaker, times, **more):
    for _ in range(times):
        breaker.admit()
        breaker.failed("HTTP 503", **more)


def is_open(breaker):
    try:
        breaker.admit()
    except OpenCircuit:
        return True
    return False


def test_opens_after_failures_in_a_row(breaker):
    fail(breaker, 2)
    breaker.admit()
    breaker.succeeded()
    fail(breaker, 2)
    assert not is_open(breaker)
    breaker.failed("HTTP 503")
    with pytest.raises(OpenCircuit, match=r"left alone until \d\d:\d\d:\d\d UTC after HTTP 503"):
        breaker.admit()


def test_lets_one_try_through_after_a_while(breaker, clock):
    fail(breaker, 3)
    clock.now += 29
    assert is_open(breaker)
    clock.now += 2
    breaker.admit()
    with pytest.raises(OpenCircuit, match="tried again after 3 failures: HTTP 503"):
        breaker.admit()


def test_success_of_the_try_closes(breaker, clock):
    fail(breaker, 3)
    clock.now += 31
    breaker.admit()
    breaker.succeeded()
    fail(breaker, 2)
    assert not is_open(breaker)


def test_failure_of_the_try_opens_for_longer(breaker, clock):
    fail(breaker, 3)
    clock.now += 31
    fail(breaker, 1)
    clock.now += 31
    assert is_open(breaker)
    clock.now += 30
    assert not is_open(breaker)


def test_never_opens_for_more_than_minutes(breaker, clock):
    fail(breaker, 3)
    for _ in range(20):
        clock.now += LONGEST + 1
        fail(breaker, 1)
    clock.now += LONGEST + 1
    assert not is_open(breaker)


def test_opens_as_long_as_the_server_asks(breaker, clock):
    fail(breaker, 1, wait=200)
    clock.now += 199
    assert is_open(breaker)
    clock.now += 2
    assert not is_open(breaker)


def test_one_of_many_threads_tries(breaker, clock):
    fail(breaker, 3)
    clock.now += 31
    admitted = []

    def try_it():
        if not is_open(breaker):
            admitted.append(1)

    threads = [threading.Thread(target=try_it) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert admitted == [1]
