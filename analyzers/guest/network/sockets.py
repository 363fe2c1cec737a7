"""Names and connections, as Python's socket module makes them."""

from __future__ import annotations

import errno
import ipaddress
import socket
from typing import Any, Callable, Optional

from .. import calls
from .outside import note_address, refusal
from .routes import Routes

STANDIN = "198.18.0.1"
"""Where described hosts are found: an address that is set aside for tests (RFC 2544)."""
_LOCAL = ("", "localhost", "localhost.localdomain", "ip6-localhost", "0.0.0.0")


class Sockets:
    """Leads described hosts to the proxy and refuses what lies outside.

    ``address`` is the proxy's, and ``wake`` is called before it is needed.
    Where there is none, a run that asks a described host is cut short.
    """

    def __init__(self, routes: Routes, address: Any, wake: Callable[[], None]) -> None:
        self._routes = routes
        self._address = address
        self._wake = wake
        self._getaddrinfo: Callable[..., Any] = socket.getaddrinfo
        self._connect: Callable[..., Any] = socket.socket.connect
        self._connect_ex: Callable[..., Any] = socket.socket.connect_ex

    def install(self) -> None:
        """Patch the socket module."""
        own = self

        def connect(sock: socket.socket, address: Any) -> None:
            own.connect(sock, address)

        def connect_ex(sock: socket.socket, address: Any) -> int:
            return own.connect_ex(sock, address)

        socket.getaddrinfo = self.getaddrinfo
        socket.gethostbyname = self.gethostbyname
        socket.gethostbyname_ex = self.gethostbyname_ex
        methods: Any = socket.socket
        methods.connect, methods.connect_ex = connect, connect_ex

    # --------------------------------------------------------------- names

    def getaddrinfo(self, host: Any, port: Any, *args: Any, **options: Any) -> Any:
        """As in the socket module; at once for any name."""
        return self._getaddrinfo(self._found(host, port), port, *args, **options)

    def gethostbyname(self, host: Any) -> str:
        """As in the socket module; at once for any name."""
        return str(self._getaddrinfo(self._found(host, None), None, socket.AF_INET)[0][4][0])

    def gethostbyname_ex(self, host: Any) -> Any:
        """As in the socket module; at once for any name."""
        return str(host), [], [self.gethostbyname(host)]

    def _found(self, host: Any, port: Any) -> Any:
        """The host to look up; raises ``gaierror`` where it lies outside."""
        name = _name(host)
        if name is None or name in _LOCAL or _numeric(name) or name == socket.gethostname():
            return host
        if not self._routes.describes(name):
            note_address(name, port)
            raise socket.gaierror(socket.EAI_NONAME, refusal(name))
        if self._address is None:
            reason = f"{name}: bytes are answered only in a network namespace of one's own"
            calls.session().refuse(reason)
            raise socket.gaierror(socket.EAI_NONAME, reason)
        return STANDIN

    # --------------------------------------------------------- connections

    def connect(self, sock: socket.socket, address: Any) -> None:
        """Connect; raises ``OSError`` at once for an address outside."""
        try:
            self._connect(sock, self._led(sock, address))
        except ConnectionError:
            _note_refused(sock, address)
            raise

    def connect_ex(self, sock: socket.socket, address: Any) -> int:
        """Connect; return the error's number."""
        try:
            status = int(self._connect_ex(sock, self._led(sock, address)))
        except socket.gaierror:
            raise
        except OSError as error:
            return error.errno or errno.ENETUNREACH
        if status == errno.ECONNREFUSED:
            _note_refused(sock, address)
        return status

    def _led(self, sock: socket.socket, address: Any) -> Any:
        """Where a connection really goes."""
        if not _is_internet(sock, address):
            return address
        host = str(self._found(address[0], address[1]))
        if host == STANDIN and self._address is not None:
            self._wake()
            return self._address
        if host in _LOCAL or _loopback(host):
            return address
        note_address(host, address[1])
        raise OSError(errno.ENETUNREACH, refusal(host))


def _note_refused(sock: socket.socket, address: Any) -> None:
    if _is_internet(sock, address) and address[0] != STANDIN:
        note_address(address[0], address[1])


def _is_internet(sock: socket.socket, address: Any) -> bool:
    families = (socket.AF_INET, socket.AF_INET6)
    return sock.family in families and isinstance(address, tuple) and len(address) >= 2


def _name(host: Any) -> Optional[str]:
    if isinstance(host, (bytes, bytearray)):
        host = bytes(host).decode("ascii", "replace")
    return host.strip("[]") if isinstance(host, str) else None


def _numeric(name: str) -> bool:
    try:
        socket.inet_aton(name)
    except OSError:
        return ":" in name
    return True


def _loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False
