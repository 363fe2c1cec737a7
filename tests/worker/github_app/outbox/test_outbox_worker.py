"""What becomes of an errand, whatever its handler raises."""

import threading
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy.exc import OperationalError

from worker.github_app.client.errors import (
    ForbiddenError,
    GithubError,
    GoneError,
    NotFoundError,
    RateLimitedError,
    SuspendedError,
    UncertainError,
)
from worker.github_app.context import PublisherContext
from worker.github_app.outbox.outbox_worker import InstallationLimiter, LeaseRenewer, OutboxWorker
from worker.github_app.rate_limited_writer import LostLeaseError, NotNowError
from worker.settings.operator_settings import Settings
from worker.store.records import InstallationRecord, OutboxTask, OutboxTaskKind
from worker.store.store import Store

LANE = "pull:1:1"


class ManualTime:
    def __init__(self):
        self.at = datetime(2026, 1, 1, tzinfo=UTC)

    def now(self):
        return self.at

    def pass_by(self, seconds):
        self.at += timedelta(seconds=seconds)


class RecordingHandler:
    """Raises what it is told to, one after the other, and records what it was asked."""

    def __init__(self):
        self.raises = []
        self.seen = []

    def __call__(self, task, context):
        self.seen.append(task.task.key)
        if self.raises:
            error = self.raises.pop(0)
            if error is not None:
                raise error


@pytest.fixture
def clock():
    return ManualTime()


@pytest.fixture
def store(tmp_path, clock):
    with Store(f"sqlite:///{tmp_path / 'store.db'}", clock=clock.now) as store:
        yield store


@pytest.fixture
def handler():
    return RecordingHandler()


@pytest.fixture
def buried():
    return []


@pytest.fixture
def clerk(store, clock, handler, buried):
    return a_clerk(store, clock, handler, buried)


def a_clerk(store, clock, handler, buried, *, quick=False, limiter=None, settings=None):
    publisher_context = PublisherContext(
        settings=settings or Settings(),
        store=store,
        app=None,
        blobs=None,
        notify=None,
        links=None,
        stop=threading.Event(),
        now=clock.now,
    )
    words = {OutboxTaskKind.PUBLISH: lambda task, context, incident: buried.append(incident)}
    handlers = dict.fromkeys(OutboxTaskKind, handler)
    return OutboxWorker(
        publisher_context,
        LeaseRenewer(store, 60),
        limiter or InstallationLimiter(2),
        quick,
        handlers,
        words,
    )


def add(store, key="a", kind=OutboxTaskKind.PUBLISH, ordering_key=LANE, installation=7):
    with store.write() as unit:
        assert unit.outbox_tasks.add(OutboxTask(kind, installation, ordering_key, key))


def counts(store):
    with store.read() as unit:
        return unit.outbox_tasks.count()


def due_again(store, clock):
    """Seconds until the one errand that waits is due."""
    with store.read() as unit:
        record = unit.outbox_tasks.get(1)
    return (record.due_at - clock.now()).total_seconds(), record.attempts


def test_there_is_nothing_to_do_without_errands(clerk):
    assert not clerk.serve()


def test_errands_of_a_lane_are_done_in_order_of_their_urgency(clerk, store, handler):
    add(store, "publish", OutboxTaskKind.PUBLISH)
    add(store, "command", OutboxTaskKind.COMMAND)
    add(store, "announce", OutboxTaskKind.ANNOUNCE)
    assert clerk.serve()
    assert handler.seen == ["announce", "command", "publish"]
    assert counts(store) == {"waiting": 0, "dead": 0}
    assert not clerk.serve()


def test_a_lane_that_somebody_has_is_left_alone(clerk, store, handler):
    add(store)
    with store.write() as unit:
        unit.leases.take(LANE, 60)
    assert not clerk.serve()
    assert handler.seen == []


def test_not_now_is_no_failure(clerk, store, clock, handler):
    add(store)
    handler.raises = [NotNowError(clock.now() + timedelta(seconds=77))]
    clerk.serve()
    assert due_again(store, clock) == (77, 0)
    clock.pass_by(77)
    clerk.serve()
    assert handler.seen == ["a", "a"]
    assert counts(store)["waiting"] == 0


def test_a_rate_limit_holds_the_installation_and_is_no_failure(clerk, store, clock, handler):
    add(store)
    until = clock.now() + timedelta(minutes=3)
    handler.raises = [RateLimitedError("slowly", until=until)]
    clerk.serve()
    assert due_again(store, clock) == (180, 0)
    with store.read() as unit:
        assert unit.slots.next_at(7) == until


def test_failures_wait_longer_each_time_and_a_quarter_of_an_hour_at_most(
    clerk, store, clock, handler
):
    add(store)
    handler.raises = [GithubError("no") for _ in range(7)]
    waits = []
    for _ in range(7):
        assert clerk.serve()
        waits.append(due_again(store, clock)[0])
        clock.pass_by(900)
    assert waits == [30, 60, 120, 240, 480, 900, 900]


@pytest.mark.parametrize("error", [GithubError("no"), ZeroDivisionError()])
def test_after_many_failures_it_is_buried_with_an_incident(
    error, clerk, store, clock, handler, buried
):
    add(store)
    handler.raises = [error] * 12
    for _ in range(12):
        assert clerk.serve()
        clock.pass_by(900)
    assert counts(store) == {"waiting": 0, "dead": 1}
    assert len(buried) == 1
    assert not clerk.serve()


@pytest.mark.parametrize("kind", [ForbiddenError, NotFoundError, GoneError])
def test_what_is_hopeless_is_buried_at_once(kind, clerk, store, handler, buried):
    add(store)
    handler.raises = [kind("no")]
    clerk.serve()
    assert counts(store) == {"waiting": 0, "dead": 1}
    assert len(buried) == 1


def test_an_outage_of_github_is_borne_much_longer(store, clock, handler, buried):
    add(store)
    few = Settings(github={"attempts": 2})
    clerk = a_clerk(store, clock, handler, buried, settings=few)
    handler.raises = [UncertainError("502")] * 15
    for _ in range(15):
        assert clerk.serve()
        clock.pass_by(901)
    assert clerk.serve()
    assert counts(store) == {"waiting": 0, "dead": 0}


def test_a_lane_rests_until_an_uncertain_write_is_settled(clerk, store, clock, handler):
    add(store, "first")
    add(store, "second")
    handler.raises = [UncertainError("timeout")]
    clerk.serve()
    assert handler.seen == ["first"]
    clock.pass_by(29)
    assert not clerk.serve()
    clock.pass_by(2)
    assert clerk.serve()
    assert handler.seen[1:] == ["first", "second"]


def test_a_suspended_installation_waits_without_counting(clerk, store, clock, handler):
    with store.write() as unit:
        unit.installations.see(InstallationRecord(7, "them", suspended=True))
    add(store)
    clerk.serve()
    assert handler.seen == []
    assert due_again(store, clock) == (600, 0)


def test_a_suspension_that_we_did_not_hear_of_is_no_refusal(clerk, store, clock, handler):
    add(store)
    handler.raises = [SuspendedError("suspended", status=403)]
    clerk.serve()
    assert due_again(store, clock) == (600, 0)


def test_who_lost_the_lane_leaves_no_trace(clerk, store, clock, handler):
    add(store)
    handler.raises = [LostLeaseError(LANE)]
    clerk.serve()
    assert due_again(store, clock) == (0, 0)
    assert counts(store) == {"waiting": 1, "dead": 0}


def test_who_lost_the_lane_while_working_does_not_settle_it(store, clock, buried):
    def slow(task, context):
        clock.pass_by(61)
        with store.write() as unit:
            assert unit.leases.take(LANE, 60)

    add(store)
    a_clerk(store, clock, slow, buried).serve()
    assert counts(store) == {"waiting": 1, "dead": 0}


def test_a_store_that_is_away_is_not_the_errands_failure(clerk, store, clock, handler):
    add(store)
    handler.raises = [OperationalError("select", {}, Exception("gone"))]
    with pytest.raises(OperationalError):
        clerk.serve()
    assert due_again(store, clock) == (0, 0)
    clock.pass_by(61)
    assert clerk.serve()
    assert counts(store)["waiting"] == 0


def test_last_words_that_fail_do_not_keep_an_errand_alive(store, clock, handler):
    def failing(task, context, incident):
        raise GithubError("no")

    add(store)
    handler.raises = [ForbiddenError("no")]
    clerk = a_clerk(store, clock, handler, [])
    clerk.give_up_handlers[OutboxTaskKind.PUBLISH] = failing
    clerk.serve()
    assert counts(store) == {"waiting": 0, "dead": 1}


def test_quick_threads_leave_what_takes_long_to_others(store, clock, handler):
    add(store, "clone", OutboxTaskKind.PREPARE, "clone:1")
    add(store, "told", OutboxTaskKind.ANNOUNCE)
    quick = a_clerk(store, clock, handler, [], quick=True)
    assert quick.serve()
    assert not quick.serve()
    assert handler.seen == ["told"]
    assert a_clerk(store, clock, handler, []).serve()
    assert handler.seen == ["told", "clone"]


def test_a_busy_installation_leaves_threads_for_the_others(store, clock, handler):
    add(store, "busy", ordering_key="pull:1:1", installation=7)
    add(store, "other", ordering_key="pull:2:1", installation=8)
    limiter = InstallationLimiter(1)
    clerk = a_clerk(store, clock, handler, [], limiter=limiter)
    with limiter.one(7) as free:
        assert free
        assert clerk.serve()
        assert not clerk.serve()
    assert handler.seen == ["other"]
    assert clerk.serve()
    assert handler.seen == ["other", "busy"]
