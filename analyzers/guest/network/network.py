"""The guest's network as a whole, entered before the project is loaded."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any, List, Mapping, Optional, Sequence

from .. import calls
from . import environment, waiting
from .proxy import Proxy, Respond
from .routes import Routes
from .sockets import Sockets


class Network:
    """What the tested code meets when it asks over a network.

    ``frame`` is the protocol's: ``None`` for trusted code, whose network is left
    as it is; without a certificate there is no proxy.
    """

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
        environment.give_keys(folder)
        if not self.closed:
            return
        waiting.patch_time()
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
        environment.give_trust(authority)
        variables = environment.proxies(self._proxy.address[1])
        environment.lead_programs(variables, self._wake)

    def serve(self, respond: Respond) -> None:
        """Answer what comes to the proxy by ``respond``."""
        if self._proxy is not None:
            self._proxy.respond = respond

    def loaded(self) -> List[str]:
        """Prepare for the children; return notes on what was asked while loading."""
        if self._proxy is not None and "http.client" in sys.modules:
            from . import connection

            del connection
        asked = ", ".join(calls.session().outside)
        return [f"asked addresses that are no described ML API on import: {asked}"] if asked else []

    def _wake(self) -> None:
        if self._proxy is not None:
            self._proxy.wake()


def patch_resolver(module: ModuleType) -> None:
    """Let ``aiohttp.resolver`` look up names by the socket module."""
    vars(module)["DefaultResolver"] = module.ThreadedResolver
