"""What the tests of the worker's core share."""

import pytest

import worker.confirm
import worker.laboratory
from tests.worker.sessions import FakeSession


@pytest.fixture
def sessions(monkeypatch):
    """No guest is started: programs run here."""
    kind = type("Session", (FakeSession,), {"trouble": {}, "opened": [], "closed": []})
    monkeypatch.setattr(worker.confirm, "Session", kind)
    monkeypatch.setattr(worker.laboratory, "Session", kind)
    return kind
