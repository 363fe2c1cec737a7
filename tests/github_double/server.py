"""The HTTP server: reads requests, lets faults happen, keeps the log."""

from __future__ import annotations

import contextlib
import json
import socket
import sys
import threading
import time
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.github_double.injected_faults import Fault, Kind
from tests.github_double.oauth import PATHS as PATHS_OF_OAUTH
from tests.github_double.oauth import OAuth
from tests.github_double.responses import Answer, RefusalError
from tests.github_double.service import Request, Service, secondary
from tests.github_double.shared_services import Hub
from tests.github_double.smart_http import PATH, SmartHttp
from tests.github_double.state import Installation, Logged
from tests.github_double.tokens import credentials

LARGEST = 64 * 1024 * 1024


class Parts:
    """What the server passes requests on to."""

    def __init__(
        self, hub: Hub, rest: Service, git: SmartHttp, graphql: Any, control: Any, oauth: OAuth
    ) -> None:
        self.hub = hub
        self.rest = rest
        self.oauth = oauth
        self.git = git
        self.graphql = graphql
        self.control = control
        self._under_way = 0
        self._lock = threading.Lock()

    def answer(self, request: Request) -> tuple[Answer | None, Fault | None]:
        """The answer (``None``: hang up) and the fault that it met."""
        if request.path.startswith("/_double/"):
            return self.control.answer(request), None
        fault = self.hub.faults.pick(request.method, request.path)
        logged = Logged(time.time(), request.method, request.path, None)
        logged.fault = fault.kind.value if fault else None
        with self._lock:
            self.hub.requests.append(logged)
            self._under_way += 1
            crowded = self._under_way > self.hub.limits.concurrent
        try:
            answer = self._answered(request, logged, fault, crowded=crowded)
        except Exception as error:  # noqa: BLE001 - whatever breaks here is the double's own fault
            answer = self._broken(request, error)
        finally:
            with self._lock:
                self._under_way -= 1
            logged.ended = time.time()
        logged.status = answer.status if answer else None
        return answer, fault

    def _broken(self, request: Request, error: Exception) -> Answer:
        text = "".join(traceback.format_exception(error))
        self.hub.violated("the double itself", f"{request.method} {request.target}: {text}")
        return Answer(500, {"message": text})

    def _answered(
        self, request: Request, logged: Logged, fault: Fault | None, *, crowded: bool
    ) -> Answer | None:
        if crowded:
            return _told(secondary(1))
        if fault and not fault.kind.works:
            return self._instead(request, logged, fault)
        answer = self._worked(request, logged)
        if fault is None:
            return answer
        if fault.kind is Kind.LATE:
            time.sleep(fault.seconds)
            return answer
        return _bad_gateway(502) if fault.kind is Kind.BAD_GATEWAY_AFTER else None

    def _worked(self, request: Request, logged: Logged) -> Answer:
        if PATH.fullmatch(request.path):
            logged.operation = "git"
            return self.git.answer(request)
        if request.path in PATHS_OF_OAUTH:
            logged.operation = "oauth"
            return self.oauth.answer(request)
        if request.path == "/graphql":
            logged.operation = "graphql"
            answer: Answer = self.graphql.answer(request, logged)
            return answer
        return self.rest.answer(request, logged)

    def _instead(self, request: Request, logged: Logged, fault: Fault) -> Answer | None:
        """What is answered where nothing was done."""
        installation = self._installation(request)
        logged.installation = installation.id if installation else None
        if fault.kind in {Kind.BAD_GATEWAY, Kind.UNAVAILABLE}:
            return _bad_gateway(int(fault.kind.value))
        if fault.kind is Kind.SUSPENDED:
            return _told(RefusalError(403, "This installation has been suspended"))
        if fault.kind is Kind.EXPIRED:
            self._expire(request)
            return _told(RefusalError(401, "Bad credentials"))
        if fault.kind.limits:
            return _told(_limit(fault, installation))
        if fault.kind is Kind.TIMEOUT:
            time.sleep(fault.seconds)
        return None

    def _installation(self, request: Request) -> Installation | None:
        token = self.hub.state.tokens.get(credentials(request.headers.get("Authorization")))
        return token.installation if token else None

    def _expire(self, request: Request) -> None:
        self.hub.state.tokens.pop(credentials(request.headers.get("Authorization")), None)


def _limit(fault: Fault, installation: Installation | None) -> RefusalError:
    """A rate limit; while it lasts, the installation's other requests meet it too."""
    status = 429 if fault.kind.value.endswith("429") else 403
    until = time.time() + fault.seconds
    if installation and fault.kind is not Kind.SECONDARY_BARE:
        installation.blocked_until = until
    if fault.kind is Kind.SECONDARY_BARE:
        return secondary(None, status)
    if fault.kind.value.startswith("secondary"):
        return secondary(fault.seconds, status)
    return RefusalError(
        status,
        "API rate limit exceeded for installation.",
        x_ratelimit_limit="5000",
        x_ratelimit_remaining="0",
        x_ratelimit_used="5000",
        x_ratelimit_resource="core",
        x_ratelimit_reset=str(int(until) + 1),
    )


def _told(refusal: RefusalError) -> Answer:
    return Answer(refusal.status, refusal.body, refusal.headers)


def _bad_gateway(status: int) -> Answer:
    page = "<html><head><title>Unicorn!</title></head><body>Server Error</body></html>"
    return Answer(status, page, kind="text/html; charset=utf-8")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    timeout = 300
    parts: Parts

    def _serve(self) -> None:
        body = self._body()
        answer, _fault = self.parts.answer(Request(self.command, self.path, self.headers, body))
        if answer is None:
            self._hang_up()
            return
        content = _encoded(answer)
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if answer.status != 204:
            self.send_header("Content-Type", answer.kind)
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if answer.status != 204:
            self.wfile.write(content)

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _serve  # noqa: N815

    def _hang_up(self) -> None:
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            return b"".join(iter(self._chunk, b""))
        return self.rfile.read(min(int(self.headers.get("Content-Length") or 0), LARGEST))

    def _chunk(self) -> bytes:
        size = int(self.rfile.readline().split(b";")[0], 16)
        chunk = self.rfile.read(size)
        self.rfile.readline()
        return chunk

    def log_message(self, *_arguments: Any) -> None:
        """Say nothing: the double keeps its own log."""


def _encoded(answer: Answer) -> bytes:
    if isinstance(answer.body, bytes):
        return answer.body
    if answer.kind.startswith("application/json"):
        return json.dumps(answer.body, separators=(",", ":")).encode()
    return str(answer.body).encode()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512
    allow_reuse_address = True

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        self._open: set[Any] = set()
        super().__init__(address, handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        """End connections that are kept open: their threads know an old double."""
        for connection in tuple(self._open):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hung up is none of ours; anything else is a fault of the double."""
        error = sys.exc_info()[1]
        if not isinstance(error, ConnectionError | TimeoutError | ValueError):
            super().handle_error(request, client_address)


class DoubleServer:
    """A running server; ``port`` 0 takes any."""

    def __init__(self, port: int) -> None:
        self._handler = type("Handler", (_Handler,), {})
        self._server = _Server(("127.0.0.1", port), self._handler)
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, name="github-double"
        )

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def start(self, parts: Parts) -> None:
        self._handler.parts = parts  # type: ignore[attr-defined]
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.hang_up()
        self._server.server_close()
        self._thread.join(timeout=120)
