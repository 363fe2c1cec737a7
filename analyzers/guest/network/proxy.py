"""The server on loopback that stands in for described ML APIs.

A thread of the process that runs the tested code, started when something
connects: threads do not outlive a fork, and it answers from the same session
as every other client, so that a recorded script is played exactly alike.
"""

from __future__ import annotations

import os
import socket
import threading
from typing import Any, Callable, Optional

from .. import calls
from .routes import Call, Routes

MOST_CONNECTIONS = 32
Reply = Optional[Any]
Respond = Callable[[Call], Reply]


class Proxy:
    """One listening socket, made before the project is loaded.

    It listens from the first ``wake`` of a process on; until then a connection
    is refused.  ``respond`` answers a request, or returns ``None`` where it asks
    no described API.
    """

    def __init__(self, routes: Routes, certificate: str) -> None:
        self.routes = routes
        self.respond: Optional[Respond] = None
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._socket.bind(("127.0.0.1", 0))
        self.address = self._socket.getsockname()
        self._certificate = certificate
        self._made: Any = None
        self._process = os.getpid()
        self._serving: Optional[int] = None
        self._lock = threading.Lock()
        self._slots = threading.BoundedSemaphore(MOST_CONNECTIONS)

    def wake(self) -> None:
        """Serve from now on, where this is a process that runs inputs.

        The process that made the proxy forks those, and has no threads; what the
        tested code forks may not ask.
        """
        runs_inputs = os.getpid() == calls.session().process != self._process
        if runs_inputs and self._serving != os.getpid():
            self._serving = os.getpid()
            self._socket.listen(MOST_CONNECTIONS)
            threading.Thread(target=self._accept, name="assayer-proxy", daemon=True).start()

    def context(self) -> Any:
        """The TLS context, made on first use."""
        with self._lock:
            if self._made is None:
                from .connection import context

                self._made = context(self._certificate)
            return self._made

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            if not self._slots.acquire(blocking=False):
                connection.close()
                continue
            serve = threading.Thread(target=self._serve, args=(connection,), daemon=True)
            serve.start()

    def _serve(self, connection: socket.socket) -> None:
        from .connection import serve

        try:
            serve(self, connection)
        finally:
            self._slots.release()
