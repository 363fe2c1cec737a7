"""Many processes at one database: of everything that is there once, one gets it."""

import itertools
import multiprocessing
import time
from dataclasses import replace
from datetime import timedelta

import pytest

from tests.worker.store.nouns import (
    HEAD,
    JOB,
    NEXT,
    PULL_JOB,
    delivery,
    errand,
    errands_of,
    pull,
    started,
)
from worker.store import Attempt, ErrandKind, RunState, Store
from worker.store.columns import utc_now

_FORK = multiprocessing.get_context("fork")
PATIENCE = 60


def _racer(url, step, number, together, pipe):
    with Store(url) as store:
        together.wait(PATIENCE)
        pipe.send(step(store, number))


def race(url, step, count=4):
    """Do ``step(store, number)`` in so many processes at once; return what each got."""
    together, results = _FORK.Barrier(count), []
    racers = []
    for number in range(count):
        here, there = _FORK.Pipe(duplex=False)
        racer = _FORK.Process(target=_racer, args=(url, step, number, together, there))
        racer.start()
        there.close()
        racers.append((racer, here))
    for racer, here in racers:
        assert here.poll(PATIENCE), "a racer did not come in"
        results.append(here.recv())
        racer.join(PATIENCE)
    return results


def once(results):
    return sum(bool(result) for result in results) == 1


def test_delivery_is_kept_by_one(url):
    def keep(store, _number):
        with store.begin() as books:
            return books.deliveries.keep(delivery())

    assert once(race(url, keep))


def test_delivery_is_claimed_by_one(url):
    def hear(store, _number):
        with store.begin() as books:
            claimed = books.deliveries.claim("d-1")
            if claimed:
                time.sleep(0.2)
                books.deliveries.heard("d-1")
            return claimed

    with Store(url) as store, store.begin() as books:
        books.deliveries.keep(delivery())
    assert once(race(url, hear))


def test_key_is_given_to_one_run_and_its_errands_are_added_once(url):
    def ask(store, _number):
        with store.begin() as books:
            return books.runs.ask(PULL_JOB, supersede=True)

    assert once(race(url, ask))
    with Store(url) as store, store.begin() as books:
        assert len(errands_of(books)) == 2


def test_of_simultaneous_heads_one_run_stays(url):
    def ask(store, number):
        head = f"{number}" * 40
        with store.begin() as books:
            return books.runs.ask(
                replace(PULL_JOB, head=head, key=f"7:12:{head}"), supersede=True
            ).id

    asked = race(url, ask)
    with Store(url) as store, store.look() as books:
        states = [books.runs.get(run).state for run in asked]
    assert sorted(states).count(RunState.PREPARING) == 1
    assert states.count(RunState.CANCELLED) == len(asked) - 1


def test_run_is_started_by_one(url):
    with Store(url) as store, store.begin() as books:
        run = books.runs.ask(JOB).id

    def start(store, _number):
        with store.begin() as books:
            return isinstance(books.runs.start(run, lease=60, limit=3), Attempt)

    assert once(race(url, start))


def test_run_is_ended_and_published_by_one(url):
    with Store(url) as store, store.begin() as books:
        run = books.runs.ask(PULL_JOB).id
        books.runs.prepared(run)
        attempt = started(books, run)

    def end(store, number):
        with store.begin() as books:
            if number % 2:
                return books.runs.cancel(run, "closed")
            return books.runs.finish(attempt, {"verdict": "success"})

    assert once(race(url, end))
    with Store(url) as store, store.begin() as books:
        assert len(errands_of(books, ErrandKind.PUBLISH)) == 1
        report = books.runs.report(run)
        assert (report is not None) == (books.runs.get(run).state is RunState.DONE)


@pytest.mark.slow
def test_expired_run_is_settled_by_one(url):
    with Store(url) as store, store.begin() as books:
        runs = [books.runs.ask(JOB).id for _ in range(20)]
        for run in runs:
            started(books, run, lease=0)

    def settle(store, _number):
        with store.begin() as books:
            return books.runs.expired(3)

    found = [run for settled in race(url, settle) for run in settled]
    assert sorted(found) == sorted(runs)


def test_lane_is_leased_by_one(url):
    def take(store, _number):
        with store.begin() as books:
            return books.leases.take("lane", 60)

    assert once(race(url, take))


@pytest.mark.slow
def test_errands_of_a_lane_are_done_once_and_in_order(url, tmp_path):
    with Store(url) as store, store.begin() as books:
        for number in range(20):
            books.errands.add(errand(f"e-{number:02}", lane=f"pull:7:{number % 3}"))

    def work(store, _number):
        done = []
        while True:
            with store.look() as books:
                lanes = books.errands.lanes(10)
                if not lanes and not books.errands.count()["waiting"]:
                    return done
            for lane in lanes:
                done += _walk(store, lane)

    results = race(url, work)
    keys = sorted(key for done in results for key in done)
    assert keys == [f"e-{number:02}" for number in range(20)]


def _walk(store, lane):
    with store.begin() as books:
        lease = books.leases.take(lane, 60)
    done = []
    while lease:
        with store.begin() as books:
            record = books.errands.next(lane)
            if record is None:
                books.leases.free(lease)
                return done
            assert books.leases.holds(lease)
            assert books.errands.done(record.id)
            done.append(record.errand.key)
    return done


def test_holder_that_was_paused_too_long_is_refused(url):
    """It wakes up when another process has the lane, and its fence is old."""
    with Store(url) as slow, slow.begin() as books:
        lease = books.leases.take("lane", 0)

    def take_over(store, _number):
        with store.begin() as books:
            return books.leases.take("lane", 60)

    (taken,) = race(url, take_over, 1)
    with Store(url) as slow, slow.begin() as books:
        assert not books.leases.holds(lease)
        assert books.leases.renew(lease, 60) is None
        assert books.leases.holds(taken)


@pytest.mark.slow
def test_turns_of_an_installation_are_a_pause_apart(url):
    pause = 0.1

    def write(store, _number):
        times = []
        while len(times) < 3:
            with store.begin() as books:
                fence = books.slots.take(3, 60)
            if fence is None:
                time.sleep(0.01)
                continue
            times.append(utc_now())
            with store.begin() as books:
                books.slots.free(3, fence, pause=pause)
        return times

    times = sorted(at for found in race(url, write, 4) for at in found)
    gaps = [later - earlier for earlier, later in itertools.pairwise(times)]
    assert len(gaps) == 11
    assert min(gaps) >= timedelta(seconds=pause)


def test_cancelled_run_is_seen_by_its_next_renewal(url):
    with Store(url) as store, store.begin() as books:
        run = books.runs.ask(PULL_JOB).id
        books.runs.prepared(run)
        attempt = started(books, run)

    def step(store, number):
        if number == 0:
            with store.begin() as books:
                return books.runs.ask(replace(PULL_JOB, head=NEXT, key="next"), supersede=True)
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            with store.begin() as books:
                if not books.runs.renew(attempt, 60):
                    return "stopped"
            time.sleep(0.01)
        return None

    assert race(url, step, 2)[1] == "stopped"


def test_newest_news_of_a_pull_request_stays(url):
    def see(store, number):
        with store.begin() as books:
            return books.pulls.see(pull(minute=number, head=str(number) * 40))

    race(url, see)
    with Store(url) as store, store.look() as books:
        assert books.pulls.get(7, 12).head == "3" * 40
        assert books.pulls.with_head(7, HEAD) == ()
