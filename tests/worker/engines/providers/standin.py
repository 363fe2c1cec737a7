"""A server on the loopback that plays prepared replies and notes what it was asked."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit


@dataclass
class Asked:
    method: str
    path: str
    query: dict
    headers: dict
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)


@dataclass
class Reply:
    body: object
    status: int = 200
    headers: dict = field(default_factory=dict)
    delay: float = 0.0

    def content(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


class StandIn:
    """``replies`` are played in order, the last one again and again.

    ``pages`` answer a path whatever was asked before.
    """

    def __init__(self, *replies: Reply) -> None:
        self.replies = list(replies)
        self.pages: dict[str, Reply] = {}
        self.asked: list[Asked] = []
        self._hurry = threading.Event()
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def _answer(self) -> None:
                size = int(self.headers.get("content-length") or 0)
                address = urlsplit(self.path)
                owner.asked.append(
                    Asked(
                        self.command,
                        address.path,
                        parse_qs(address.query),
                        {name.lower(): value for name, value in self.headers.items()},
                        self.rfile.read(size),
                    )
                )
                self._send(owner.reply(address.path))

            def _send(self, reply: Reply) -> None:
                owner._hurry.wait(reply.delay)
                content = reply.content()
                try:
                    self.send_response(reply.status)
                    for name, value in reply.headers.items():
                        self.send_header(name, value)
                    self.send_header("content-length", str(len(content)))
                    self.end_headers()
                    self.wfile.write(content)
                except OSError:
                    self.close_connection = True

            do_GET = do_POST = _answer  # noqa: N815

            def log_message(self, *_: object) -> None:
                """Quiet."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self._thread.start()

    def reply(self, path: str) -> Reply:
        if path in self.pages:
            return self.pages[path]
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]

    def close(self) -> None:
        self._hurry.set()
        self._server.shutdown()
        self._server.server_close()
