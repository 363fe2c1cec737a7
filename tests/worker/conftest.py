"""What the tests of the worker's core share."""

import pytest

from tests.worker.engines.providers.standin import StandIn
from worker.engines.providers.provider_failures import BREAKERS


@pytest.fixture
def sessions(monkeypatch):
    """No guest is started: programs run here."""
    from tests.worker.sessions import FakeSession

    kind = type("Session", (FakeSession,), {"trouble": {}, "opened": [], "closed": []})
    monkeypatch.setattr("worker.executor.repair_verification.Session", kind)
    monkeypatch.setattr("worker.executor.warm_guest.Session", kind)
    return kind


@pytest.fixture
def stand_in():
    """Makes stand-in servers that end with the test."""
    servers = []

    def make(*replies):
        servers.append(StandIn(*replies))
        return servers[-1]

    yield make
    for server in servers:
        server.close()


@pytest.fixture(autouse=True)
def _no_server_is_known():
    """What a test has learnt of a server is forgotten: the next may have its port."""
    BREAKERS.reset()
    yield
    BREAKERS.reset()
