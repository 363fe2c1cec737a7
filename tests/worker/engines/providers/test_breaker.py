import threading

import pytest

from tests.worker.engines.providers.standin import Reply
from worker.engines.engine import Outage
from worker.engines.providers.http_client import Http
from worker.engines.providers.provider_failures import (
    FAILURES,
    LONGEST,
    MOST_SERVERS,
    Breaker,
    Breakers,
    OpenCircuit,
)


class BreakerClock:
    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return BreakerClock()


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


# ------------------------------------------------------------ of a process


def test_next_run_knows_what_the_last_has_learnt(stand_in):
    """Another client of the same service at the same place does not ask again."""
    server = stand_in(Reply({}, 503))
    for _ in range(2):
        http = Http("the provider", lambda _: None, tries=FAILURES)
        with pytest.raises(Outage):
            http.get(f"{server.url}/", {}, {})
    assert len(server.asked) == FAILURES


def test_other_service_at_the_same_place_is_asked(stand_in):
    server = stand_in(Reply({}, 503))
    for name in ("one provider", "another"):
        with pytest.raises(Outage):
            Http(name, lambda _: None, tries=FAILURES).get(f"{server.url}/", {}, {})
    assert len(server.asked) == 2 * FAILURES


def test_threads_share_one_breaker():
    breakers, found = Breakers(), []
    threads = [
        threading.Thread(target=lambda: found.append(breakers.of("a", "b"))) for _ in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(map(id, found))) == 1


def test_many_servers_do_not_fill_the_memory():
    breakers = Breakers()
    down = breakers.of("pictures", "down")
    fail(down, FAILURES)
    for number in range(3 * MOST_SERVERS):
        breakers.of("pictures", str(number))
    assert breakers.of("pictures", "down") is down
    assert len(breakers._known) <= MOST_SERVERS
