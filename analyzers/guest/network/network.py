"""The guest's network as a whole, entered before the project is loaded."""

from __future__ import annotations

import ctypes
import errno
import ipaddress
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from types import ModuleType
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

from ..protocol import api_calls
from . import unreachable
from .routes import HttpRequest, Routes
from .unreachable import note_address, refusal

TRUST = (
    *("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "AWS_CA_BUNDLE"),
    *("GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", "NODE_EXTRA_CA_CERTS"),
)
KEYS: Dict[str, str] = {
    "AWS_ACCESS_KEY_ID": "ASSAYERISNOTAKEY0000",
    "AWS_SECRET_ACCESS_KEY": "assayer-is-not-a-key",
    "AWS_DEFAULT_REGION": "us-east-1",
    "OPENAI_API_KEY": "sk-assayer-is-not-a-key",
    "ANTHROPIC_API_KEY": "sk-assayer-is-not-a-key",
    "GEMINI_API_KEY": "assayer-is-not-a-key",
    "GROQ_API_KEY": "assayer-is-not-a-key",
    "MISTRAL_API_KEY": "assayer-is-not-a-key",
    "CO_API_KEY": "assayer-is-not-a-key",
    "TOGETHER_API_KEY": "assayer-is-not-a-key",
    "HF_TOKEN": "hf_assayer_is_not_a_key",
    "GOOGLE_CLOUD_PROJECT": "assayer",
    # what would look for a machine of the provider, and wait for it
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_MAX_ATTEMPTS": "1",
    "NO_GCE_CHECK": "true",
}
ACCOUNT = {
    "type": "authorized_user",
    "client_id": "assayer",
    "client_secret": "assayer-is-not-a-key",
    "refresh_token": "assayer-is-not-a-key",
}


def give_keys(folder: Path) -> None:
    """Set what clients insist on before they ask anything."""
    for name, value in KEYS.items():
        os.environ.setdefault(name, value)
    account = folder / "account.json"
    account.write_text(json.dumps(ACCOUNT), encoding="utf-8")
    os.environ.setdefault("GOOGLE_APPLICATION_CREDENTIALS", str(account))


def give_trust(authority: Path) -> None:
    """Let every client trust the proxy's authority, and nobody else."""
    for name in TRUST:
        os.environ[name] = str(authority)


def proxies(port: int) -> Dict[str, str]:
    """The variables that lead a program through the proxy."""
    url = f"http://127.0.0.1:{port}"
    names = ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY")
    return {**dict.fromkeys(names, url), "no_proxy": "", "NO_PROXY": ""}


def lead_programs(variables: Dict[str, str], wake: Callable[[], None]) -> None:
    """Lead programs and libraries in C through the proxy; ``os.environ`` does not change."""
    library = ctypes.CDLL(None)
    for name, value in variables.items():
        library.setenv(name.encode(), value.encode(), 1)
    kind: Any = subprocess.Popen
    original: Callable[..., None] = kind.__init__

    def started(self: Any, *args: Any, **options: Any) -> None:
        wake()
        if options.get("env") is not None:
            options["env"] = {**variables, **options["env"]}
        original(self, *args, **options)

    kind.__init__ = started
    _patch_system(wake)


def _patch_system(wake: Callable[[], None]) -> None:
    module: Any = os
    original: Callable[[Any], int] = module.system

    def system(command: Any) -> int:
        wake()
        return original(command)

    module.system = system


def patch_certifi(authority: str) -> Callable[[ModuleType], None]:
    """Return what patches ``certifi``: the certificates that it brings are ours."""

    def patch(module: ModuleType) -> None:
        def contents() -> str:
            return Path(authority).read_text(encoding="ascii")

        vars(module).update(where=lambda: authority, contents=contents)

    return patch


MOST_CONNECTIONS = 32
Reply = Optional[Any]
Respond = Callable[[HttpRequest], Reply]


class Proxy:
    """One listening socket, served from its first ``wake`` on; ``respond`` may return ``None``."""

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
        """Serve from now on, if the process that made the proxy forked this one to run inputs."""
        runs_inputs = os.getpid() == api_calls.session().process != self._process
        if not runs_inputs:
            return
        with self._lock:
            if self._serving != os.getpid():
                self._socket.listen(MOST_CONNECTIONS)
                threading.Thread(target=self._accept, name=unreachable.THREAD, daemon=True).start()
                self._serving = os.getpid()

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
            threading.Thread(
                target=self._serve, args=(connection,), name=unreachable.THREAD, daemon=True
            ).start()

    def _serve(self, connection: socket.socket) -> None:
        from .connection import serve

        try:
            serve(self, connection)
        finally:
            self._slots.release()


STANDIN = "198.18.0.1"
"""Where described hosts are found: an address that is set aside for tests (RFC 2544)."""
_LOCAL = ("", "localhost", "localhost.localdomain", "ip6-localhost", "0.0.0.0")


class Sockets:
    """Leads described hosts to the proxy at ``address`` after ``wake``; refuses all others."""

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
            api_calls.session().refuse(reason)
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


class Network:
    """The network of the tested code, by the protocol's ``frame``; ``None``: the real one."""

    def __init__(
        self, routes: Sequence[Mapping[str, Any]] = (), frame: Optional[Mapping[str, Any]] = None
    ) -> None:
        self.routes = Routes(routes)
        self.closed = frame is not None
        self.authority: Optional[str] = None
        self._frame = frame or {}
        self._proxy: Optional[Proxy] = None

    def enter(self) -> None:
        """Give the process its environment, and its sockets their ends."""
        folder = Path(tempfile.mkdtemp(prefix="network-"))
        give_keys(folder)
        if not self.closed:
            return
        unreachable.patch_time()
        if self._frame.get("certificate"):
            self._open(folder)
        address = None if self._proxy is None else self._proxy.address
        Sockets(self.routes, address, self._wake).install()

    def _open(self, folder: Path) -> None:
        authority, served = folder / "authority.pem", folder / "server.pem"
        authority.write_text(self._frame["authority"], encoding="ascii")
        served.write_text(self._frame["certificate"] + self._frame["key"], encoding="ascii")
        self.authority = str(authority)
        self._proxy = Proxy(self.routes, str(served))
        give_trust(authority)
        variables = proxies(self._proxy.address[1])
        lead_programs(variables, self._wake)

    def serve(self, respond: Respond) -> None:
        """Answer what comes to the proxy by ``respond``."""
        if self._proxy is not None:
            self._proxy.respond = respond

    def loaded(self) -> List[str]:
        """Prepare for the children; return notes on what was asked while loading."""
        if self._proxy is not None and "http.client" in sys.modules:
            from . import connection

            del connection
        asked = ", ".join(api_calls.session().outside)
        return [f"asked addresses that are no described ML API on import: {asked}"] if asked else []

    def _wake(self) -> None:
        if self._proxy is not None:
            self._proxy.wake()


def patch_resolver(module: ModuleType) -> None:
    """Let ``aiohttp.resolver`` look up names by the socket module."""
    vars(module)["DefaultResolver"] = module.ThreadedResolver
