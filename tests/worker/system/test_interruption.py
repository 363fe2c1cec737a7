import os
import signal
import time

import pytest

from worker.system import interruption
from worker.system.interruption import DebouncedInterrupt


@pytest.fixture
def handler():
    before = signal.getsignal(signal.SIGINT)
    once = DebouncedInterrupt()
    signal.signal(signal.SIGINT, once)
    yield once
    signal.signal(signal.SIGINT, before)


def test_second_signal_is_not_heard():
    handler = DebouncedInterrupt()
    with pytest.raises(KeyboardInterrupt):
        handler(2, None)
    handler(2, None)


def test_stuck_process_can_be_stopped(monkeypatch):
    monkeypatch.setattr(interruption, "PATIENCE", 0.0)
    handler = DebouncedInterrupt()
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            handler(2, None)


class Deaf:
    """Loses what strikes while it is destroyed, as any Python object does."""

    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_interruption_that_strikes_in_a_destructor_is_not_lost(handler):
    Deaf()
    with pytest.raises(KeyboardInterrupt):
        handler.heed()
    handler.heed()


def test_settled_interruption_is_not_raised_again(handler):
    with pytest.raises(KeyboardInterrupt):
        handler(2, None)
    handler(2, None)
    handler.settle()
    handler.heed()
