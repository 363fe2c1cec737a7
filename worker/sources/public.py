"""A way out of the machine that leads to public servers alone.

Addresses of pictures are other people's words: none may make this machine ask
its own services, its neighbours or a metadata service (CWE-918).
"""

from __future__ import annotations

import ipaddress
import socket
from functools import cached_property
from typing import TypeAlias
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx

from worker.engines.http import Forbidden

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

_NETWORKS = ("::/96", "::ffff:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "2001::/32", "2002::/16")
_TRANSLATED = tuple(map(ipaddress.ip_network, _NETWORKS))
"""IPv6 addresses that stand for IPv4 ones (RFC 4291, 6052, 8215, 4380, 3056)."""


class PublicOnly(httpx.BaseTransport):
    """Asks over https what public addresses serve, redirected or not.

    A name is resolved here once, each of its addresses is looked at, and the
    connection goes to one that was.  Where ``endpoint``, which the operator
    chose, is itself no public address, its own is allowed, over http too.  A
    proxy of the operator's (``HTTPS_PROXY``) is asked by name.
    """

    def __init__(self, endpoint: str) -> None:
        self._endpoint = urlsplit(endpoint).hostname or ""
        self._proxy = getproxies().get("https")

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Answer a request.  Raises ``Forbidden`` where it must not be asked."""
        host = request.url.host
        if self._proxy is not None and not proxy_bypass(host):
            self._expect_public(request, _known(host))
            return self._proxied.handle_request(request)
        address = self._expect_public(request, _resolved(host))
        return self._direct.handle_request(_at(request, address))

    @cached_property
    def _direct(self) -> httpx.HTTPTransport:
        return httpx.HTTPTransport(limits=httpx.Limits(max_keepalive_connections=0))

    @cached_property
    def _proxied(self) -> httpx.HTTPTransport:
        return httpx.HTTPTransport(proxy=self._proxy)

    def _expect_public(self, request: httpx.Request, found: list[Address]) -> Address | None:
        """Return the address to ask; ``None`` where the proxy is to find it."""
        if not all(map(is_public, found)):
            own = {address for address in _known(self._endpoint) if not is_public(address)}
            if not own.issuperset(found):
                raise Forbidden("its address is not public")
        elif request.url.scheme != "https":
            raise Forbidden("it is not asked over https")
        return found[0] if found else None


def is_public(address: Address) -> bool:
    """Whether an address belongs to a server of the public internet."""
    translated = address.version == 6 and any(address in network for network in _TRANSLATED)
    return address.is_global and not address.is_multicast and not translated


def _at(request: httpx.Request, address: Address | None) -> httpx.Request:
    """The same request, sent to an address; its certificate is still that of the name."""
    url = request.url.copy_with(host=str(address))
    extensions = {**request.extensions, "sni_hostname": request.url.host}
    return httpx.Request(
        request.method, url, headers=request.headers, stream=request.stream, extensions=extensions
    )


def _known(host: str) -> list[Address]:
    """What a host means here; nothing for a name that only the proxy knows."""
    try:
        return _resolved(host)
    except httpx.ConnectError:
        return []


def _resolved(host: str) -> list[Address]:
    """What a host means, as the system's resolver has it."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise httpx.ConnectError("its name leads nowhere") from error
    return [ipaddress.ip_address(str(place[4][0]).partition("%")[0]) for place in found]
