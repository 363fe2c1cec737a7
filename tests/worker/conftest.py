"""What the tests of the worker's core share."""

import pytest

import worker.laboratory.repairs
import worker.laboratory.warm
from tests.worker.sessions import FakeSession
from worker.engines.breaker import BREAKERS


@pytest.fixture
def sessions(monkeypatch):
    """No guest is started: programs run here."""
    kind = type("Session", (FakeSession,), {"trouble": {}, "opened": [], "closed": []})
    monkeypatch.setattr(worker.laboratory.repairs, "Session", kind)
    monkeypatch.setattr(worker.laboratory.warm, "Session", kind)
    return kind


@pytest.fixture(autouse=True)
def _no_server_is_known():
    """What a test has learnt of a server is forgotten: the next may have its port."""
    BREAKERS.reset()
    yield
    BREAKERS.reset()
