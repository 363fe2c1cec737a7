import pytest

from tests.worker.engines.providers.standin import StandIn


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
