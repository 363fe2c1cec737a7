import pytest

from worker.cli import interruption
from worker.cli.interruption import Once


def test_second_signal_is_not_heard():
    handler = Once()
    with pytest.raises(KeyboardInterrupt):
        handler(2, None)
    handler(2, None)


def test_stuck_process_can_be_stopped(monkeypatch):
    monkeypatch.setattr(interruption, "PATIENCE", 0.0)
    handler = Once()
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            handler(2, None)
