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
    errands_of,
    pull,
    started,
    task,
)
from worker.store.column_types import utc_now
from worker.store.records import Attempt, OutboxTaskKind, RunState
from worker.store.store import Store

_FORK = multiprocessing.get_context("fork")
PATIENCE = 600


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
        with store.write() as unit:
            return unit.deliveries.keep(delivery())

    assert once(race(url, keep))


def test_delivery_is_claimed_by_one(url):
    def hear(store, _number):
        with store.write() as unit:
            claimed = unit.deliveries.claim("d-1")
            if claimed:
                time.sleep(0.2)
                unit.deliveries.heard("d-1")
            return claimed

    with Store(url) as store, store.write() as unit:
        unit.deliveries.keep(delivery())
    assert once(race(url, hear))


def test_key_is_given_to_one_run_and_its_errands_are_added_once(url):
    def ask(store, _number):
        with store.write() as unit:
            return unit.runs.ask(PULL_JOB, supersede=True)

    assert once(race(url, ask))
    with Store(url) as store, store.write() as unit:
        assert len(errands_of(unit)) == 2


def test_of_simultaneous_heads_one_run_stays(url):
    def ask(store, number):
        head = f"{number}" * 40
        with store.write() as unit:
            return unit.runs.ask(
                replace(PULL_JOB, head=head, key=f"7:12:{head}"), supersede=True
            ).id

    asked = race(url, ask)
    with Store(url) as store, store.read() as unit:
        states = [unit.runs.get(run).state for run in asked]
    assert sorted(states).count(RunState.PREPARING) == 1
    assert states.count(RunState.CANCELLED) == len(asked) - 1


def test_run_is_started_by_one(url):
    with Store(url) as store, store.write() as unit:
        run = unit.runs.ask(JOB).id

    def start(store, _number):
        with store.write() as unit:
            return isinstance(unit.runs.start(run, lease=60, limit=3), Attempt)

    assert once(race(url, start))


def test_run_is_ended_and_published_by_one(url):
    with Store(url) as store, store.write() as unit:
        run = unit.runs.ask(PULL_JOB).id
        unit.runs.prepared(run)
        attempt = started(unit, run)

    def end(store, number):
        with store.write() as unit:
            if number % 2:
                return unit.runs.cancel(run, "closed")
            return unit.runs.finish(attempt, {"verdict": "success"})

    assert once(race(url, end))
    with Store(url) as store, store.write() as unit:
        assert len(errands_of(unit, OutboxTaskKind.PUBLISH)) == 1
        report = unit.runs.report(run)
        assert (report is not None) == (unit.runs.get(run).state is RunState.DONE)


@pytest.mark.slow
def test_expired_run_is_settled_by_one(url):
    with Store(url) as store, store.write() as unit:
        runs = [unit.runs.ask(JOB).id for _ in range(20)]
        for run in runs:
            started(unit, run, lease=0)

    def settle(store, _number):
        with store.write() as unit:
            return unit.runs.expired(3)

    found = [run for settled in race(url, settle) for run in settled]
    assert sorted(found) == sorted(runs)


def test_lane_is_leased_by_one(url):
    def take(store, _number):
        with store.write() as unit:
            return unit.leases.take("lane", 60)

    assert once(race(url, take))


@pytest.mark.slow
def test_errands_of_a_lane_are_done_once_and_in_order(url, tmp_path):
    with Store(url) as store, store.write() as unit:
        for number in range(20):
            unit.outbox_tasks.add(task(f"e-{number:02}", ordering_key=f"pull:7:{number % 3}"))

    def work(store, _number):
        done = []
        while True:
            with store.read() as unit:
                ordering_keys = unit.outbox_tasks.ordering_keys(10)
                if not ordering_keys and not unit.outbox_tasks.count()["waiting"]:
                    return done
            for ordering_key in ordering_keys:
                done += _walk(store, ordering_key)

    results = race(url, work)
    keys = sorted(key for done in results for key in done)
    assert keys == [f"e-{number:02}" for number in range(20)]


def _walk(store, ordering_key):
    with store.write() as unit:
        lease = unit.leases.take(ordering_key, 60)
    done = []
    while lease:
        with store.write() as unit:
            record = unit.outbox_tasks.next(ordering_key)
            if record is None:
                unit.leases.free(lease)
                return done
            assert unit.leases.holds(lease)
            assert unit.outbox_tasks.done(record.id)
            done.append(record.task.key)
    return done


def test_holder_that_was_paused_too_long_is_refused(url):
    """It wakes up when another process has the lane, and its fence is old."""
    with Store(url) as slow, slow.write() as unit:
        lease = unit.leases.take("lane", 0)

    def take_over(store, _number):
        with store.write() as unit:
            return unit.leases.take("lane", 60)

    (taken,) = race(url, take_over, 1)
    with Store(url) as slow, slow.write() as unit:
        assert not unit.leases.holds(lease)
        assert unit.leases.renew(lease, 60) is None
        assert unit.leases.holds(taken)


@pytest.mark.slow
def test_turns_of_an_installation_are_a_pause_apart(url):
    pause = 0.1

    def write(store, _number):
        times = []
        while len(times) < 3:
            with store.write() as unit:
                fence = unit.slots.take(3, 60)
            if fence is None:
                time.sleep(0.01)
                continue
            times.append(utc_now())
            with store.write() as unit:
                unit.slots.free(3, fence, pause=pause)
        return times

    times = sorted(at for found in race(url, write, 4) for at in found)
    gaps = [later - earlier for earlier, later in itertools.pairwise(times)]
    assert len(gaps) == 11
    assert min(gaps) >= timedelta(seconds=pause)


def test_cancelled_run_is_seen_by_its_next_renewal(url):
    with Store(url) as store, store.write() as unit:
        run = unit.runs.ask(PULL_JOB).id
        unit.runs.prepared(run)
        attempt = started(unit, run)

    def step(store, number):
        if number == 0:
            with store.write() as unit:
                return unit.runs.ask(replace(PULL_JOB, head=NEXT, key="next"), supersede=True)
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            with store.write() as unit:
                if not unit.runs.renew(attempt, 60):
                    return "stopped"
            time.sleep(0.01)
        return None

    assert race(url, step, 2)[1] == "stopped"


def test_newest_news_of_a_pull_request_stays(url):
    def see(store, number):
        with store.write() as unit:
            return unit.pulls.see(pull(minute=number, head=str(number) * 40))

    race(url, see)
    with Store(url) as store, store.read() as unit:
        assert unit.pulls.get(7, 12).head == "3" * 40
        assert unit.pulls.with_head(7, HEAD) == ()
