"""The end of a run's time, as those meet it who talk with a guest."""

import time

import pytest

from worker.broker.api_broker import Broker
from worker.engines.engine_selection import Engines
from worker.engines.recordings import Recordings
from worker.executor.guest_conversation import BudgetSpent, GuestConversation, GuestEnded
from worker.sandbox.protocol.channel import ChannelTimeout


class SilentGuest:
    """A guest that takes everything and never answers; its clock runs only while one waits."""

    stopped = None

    def __init__(self, monkeypatch):
        self.now = 1000.0
        self.waited = []
        self.sent = []
        self.channel = self
        monkeypatch.setattr(time, "monotonic", lambda: self.now)

    def send(self, message, seconds):
        self.sent.append(message)

    def receive(self, timeout):
        self.waited.append(timeout)
        self.now += timeout
        raise ChannelTimeout("said no whole frame in time")

    def why_stopped(self):
        return None

    def stderr_tail(self):
        return ""


@pytest.fixture
def guest(monkeypatch):
    return SilentGuest(monkeypatch)


def conversation(guest, **limits):
    return GuestConversation(guest, Broker(Engines(()), Recordings(None), None), **limits)


def test_guest_has_the_time_that_it_was_given(guest):
    with pytest.raises(GuestEnded):
        next(conversation(guest).replies(220.0))
    assert guest.waited == [220.0]


def test_run_waits_for_no_guest_beyond_its_own_end(guest):
    talk = conversation(guest, until=1030.0)
    with pytest.raises(BudgetSpent):
        next(talk.replies(220.0))
    assert sum(guest.waited) == 30.0


def test_nothing_is_asked_after_the_end(guest):
    talk = conversation(guest, until=1030.0)
    guest.now = 1030.0
    with pytest.raises(BudgetSpent):
        talk.send({"type": "explore"})
    assert guest.sent == []
