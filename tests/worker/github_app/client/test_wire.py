"""Real sockets: answers that drip, break off or never come."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

import pytest

from tests.github_double import GithubDouble
from tests.worker.github_app.client.asking import api_of as api_at
from tests.worker.github_app.client.asking import comment
from tests.worker.github_app.client.scripted import SleepingClock
from worker.github_app.client.api import Api, Surroundings
from worker.github_app.client.credentials import Credentials
from worker.github_app.client.errors import GithubError, UnavailableError, UncertainError
from worker.github_app.client.limits import Brake
from worker.github_app.client.wire import Wire

NAME = "acme/cafe"
HEAD = b"HTTP/1.1 201 Created\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n"


class Hostile(socketserver.ThreadingTCPServer):
    """Answers in a way of its own to every connection, and counts them."""

    daemon_threads = True
    manner = "drip"

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), HostileHandler)
        self.connections = 0
        self.dripped = 0
        self.over = threading.Event()

    def handle_error(self, request: object, client_address: object) -> None:
        """The client went away: that is what is tested."""


class HostileHandler(socketserver.BaseRequestHandler):
    server: Hostile

    def handle(self) -> None:
        self.server.connections += 1
        self.request.recv(65536)
        if self.server.manner == "drip":
            self._drip()
        elif self.server.manner == "break":
            self.request.sendall(HEAD + b"{")
        elif self.server.manner == "hang":
            self.server.over.wait(60)

    def _drip(self) -> None:
        self.request.sendall(HEAD)
        while self.server.dripped < 1000 and not self.server.over.wait(0.05):
            self.request.sendall(b" ")
            self.server.dripped += 1


@pytest.fixture
def hostile() -> Iterator[Hostile]:
    with Hostile() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield server
        server.over.set()
        server.shutdown()
        thread.join(timeout=120)


class Nobody(Credentials):
    """Credentials of a server that asks for none."""

    @property
    def token(self) -> str:
        return "x"

    def renewed(self, refused: str, served_at: datetime | None) -> str | None:
        return None


def api_of(server: Hostile, clock: SleepingClock) -> Api:
    root = f"http://127.0.0.1:{server.server_address[1]}"
    return Api(Surroundings(Wire(root, timeout=1), clock, clock.sleep), Nobody(), Brake(clock))


@pytest.mark.parametrize("manner", ["drip", "break", "hang", "close"])
def test_a_write_without_a_whole_answer_is_uncertain(
    hostile: Hostile, clock: SleepingClock, manner: str
) -> None:
    hostile.manner = manner
    with pytest.raises(UncertainError):
        api_of(hostile, clock).send("POST", "/a", {"body": "x"})
    assert hostile.connections == 1
    assert hostile.dripped < 500


@pytest.mark.parametrize("manner", ["break", "close"])
def test_a_read_without_a_whole_answer_is_tried_again(
    hostile: Hostile, clock: SleepingClock, manner: str
) -> None:
    hostile.manner = manner
    with pytest.raises(UnavailableError):
        api_of(hostile, clock).send("GET", "/a")
    assert hostile.connections == 4


def test_a_server_that_is_not_there_was_sent_nothing(clock: SleepingClock) -> None:
    with Hostile() as server:
        pass
    with pytest.raises(UnavailableError) as raised:
        api_of(server, clock).send("POST", "/a", {})
    assert isinstance(raised.value, GithubError)
    assert "127.0.0.1" not in str(raised.value)


def test_closed_connections_are_opened_again(hostile: Hostile, clock: SleepingClock) -> None:
    hostile.manner = "close"
    wire = Wire(f"http://127.0.0.1:{hostile.server_address[1]}", timeout=1)
    api = Api(Surroundings(wire, clock, clock.sleep), Nobody(), Brake(clock))
    for _ in range(2):
        wire.session.close()
        with pytest.raises(UncertainError):
            api.send("POST", "/a", {})
    assert hostile.connections == 2


def test_requests_of_threads_keep_to_themselves(double: GithubDouble) -> None:
    repository = double.repository("cafe")
    pull = repository.pull(files={"a.py": "1\n"})
    api = api_at(double, repository)
    bodies = [f"comment {number}" for number in range(40)]
    with ThreadPoolExecutor(8) as threads:
        made = list(threads.map(lambda body: comment(api, NAME, pull.number, body).body, bodies))
    assert made == bodies
    assert sorted(comment.body for comment in pull.comments()) == sorted(bodies)
