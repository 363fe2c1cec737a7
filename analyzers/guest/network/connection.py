"""One connection to the proxy: HTTP/1.1, in TLS or not, straight or through CONNECT."""

from __future__ import annotations

import socket
import ssl
from http.server import BaseHTTPRequestHandler
from typing import Any, Callable

from ..protocol import api_calls
from .routes import HttpRequest
from .unreachable import note_address, note_url, refusal

LONGEST_BODY = 24 * 1024 * 1024
LONGEST_LINE = 1024
SECONDS = 60.0
_HANDSHAKE = b"\x16"


class RequestTooLong(Exception):  # noqa: N818 - a fact about a request
    """A body is longer than a question may be."""


def serve(proxy: Any, connection: Any) -> None:
    """Answer the requests of one connection; what is broken ends it."""
    try:
        connection.settimeout(SECONDS)
        connection, secure = _secured(proxy, connection)
        if connection is not None:
            Handler(proxy, connection, secure=secure)
    except Exception:
        """Whatever the client did wrong, it is told by the end of the connection."""
    finally:
        if connection is not None:
            connection.close()


def _secured(proxy: Any, connection: Any) -> Any:
    """The connection in TLS where its client begins so, and whether it did."""
    first = connection.recv(1, socket.MSG_PEEK)
    if first != _HANDSHAKE:
        return (connection if first else None), False
    try:
        return proxy.context().wrap_socket(connection, server_side=True), True
    except BaseException:
        connection.close()
        raise


class Handler(BaseHTTPRequestHandler):
    """Reads requests and writes answers; no answer at all where no described API is asked."""

    protocol_version = "HTTP/1.1"
    timeout = SECONDS
    wbufsize = -1  # an answer goes out as one, and at once
    disable_nagle_algorithm = True
    error_message_format = "%(message)s"
    error_content_type = "text/plain"

    def __init__(self, proxy: Any, connection: Any, *, secure: bool) -> None:
        self._proxy = proxy
        self._secure = secure
        self._tunnel = ""
        super().__init__(connection, ("127.0.0.1", 0), None)  # type: ignore[arg-type]

    def __getattr__(self, name: str) -> Callable[[], None]:
        if name.startswith("do_"):
            return self._answer
        raise AttributeError(name)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base's word
        """Say nothing: the streams are the tested code's."""

    def do_CONNECT(self) -> None:
        """Open a tunnel to a described host, which ends here."""
        host, _, port = self.path.rpartition(":")
        if not self._proxy.routes.describes(host):
            note_address(host, port)
            self.close_connection = True
            self.send_response(403, refusal(host))
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(200, "Connection established")
        self.end_headers()
        self.wfile.flush()
        self._tunnel = host
        self.request, self._secure = _secured(self._proxy, self.connection)
        self.close_connection = self.request is None
        if self.request is not None:
            self.setup()

    def _answer(self) -> None:
        headers = {str(name).lower(): str(value) for name, value in self.headers.items()}
        call = HttpRequest(self.command, self._url(), headers)
        try:
            call.body = self._body()
            reply = self._proxy.respond(call) if self._proxy.respond else None
        except RequestTooLong:
            self._refuse(413)
            return
        except ValueError:
            self._refuse(400)
            return
        except (api_calls.NoAnswer, api_calls.EnoughAsked):
            self.close_connection = True
            return
        if reply is None:
            note_url(call.url)
            self.close_connection = True
            return
        self._write(reply)

    def _write(self, reply: Any) -> None:
        body: bytes = reply.content
        self.send_response(reply.status_code)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _refuse(self, status: int) -> None:
        self.close_connection = True
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.send_header("Connection", "close")
        self.end_headers()

    def _url(self) -> str:
        if "://" in self.path:
            return self.path
        host = self.headers.get("Host") or self._tunnel
        return f"{'https' if self._secure else 'http'}://{host}{self.path}"

    # ---------------------------------------------------------------- body

    def _body(self) -> bytes:
        if "chunked" in self.headers.get("Transfer-Encoding", "").lower():
            return self._chunks()
        length = int(self.headers.get("Content-Length") or 0)
        if length < 0:
            raise ValueError("a negative length")
        if length > LONGEST_BODY:
            raise RequestTooLong
        return self._exactly(length)

    def _chunks(self) -> bytes:
        body = bytearray()
        while True:
            size = int(self.rfile.readline(LONGEST_LINE).partition(b";")[0], 16)
            if size < 0:
                raise ValueError("a negative length")
            if len(body) + size > LONGEST_BODY:
                raise RequestTooLong
            body += self._exactly(size)
            if not size:
                while self.rfile.readline(LONGEST_LINE).strip():
                    """A trailer, which says nothing to us."""
                return bytes(body)
            self.rfile.readline(LONGEST_LINE)

    def _exactly(self, length: int) -> bytes:
        body = self.rfile.read(length)
        if len(body) != length:
            raise ValueError("the body ends early")
        return body


def context(certificate: str) -> ssl.SSLContext:
    """The TLS context of a file that holds certificate and key."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(certificate)
    made.set_alpn_protocols(["http/1.1"])
    return made
