"""A way out of the machine that leads to public servers alone.

Addresses of pictures are other people's words: none may make this machine ask
its own services, its neighbours or a metadata service (CWE-918).
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock
from typing import TypeAlias
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx

from analyzers.vocabulary import Input, InputRequest, InputSupply, Origin
from worker.engines.engine import NoAnswer
from worker.engines.providers.http_client import Forbidden, Http
from worker.sources.keyword_search import (
    Entry,
    Search,
    SearchHit,
    SearchQuery,
    SearchService,
    keyword,
    objects,
    text_of,
)
from worker.sources.picture_files import UnusablePicture, picture

BRAVE_ENDPOINT = "https://api.search.brave.com"


@dataclass(frozen=True)
class Brave(SearchService):
    """The service at ``endpoint``; ``key`` reads the subscription's token."""

    key: Callable[[], str] = field(repr=False)
    endpoint: str = BRAVE_ENDPOINT
    name = "Brave"
    size = 100
    pages = 1

    def question(self, words: str, page: int) -> SearchQuery:
        """Return the question for all results at once: the service has no other pages."""
        del page
        return SearchQuery(
            "/res/v1/images/search",
            {"q": words, "count": str(self.size), "safesearch": "strict", "search_lang": "en"},
            {"x-subscription-token": self.key(), "accept": "application/json"},
        )

    def hit(self, entry: Entry) -> SearchHit | None:
        """A picture; its thumbnail, which Brave serves, where the picture is gone."""
        title = text_of(entry, "title") or ""
        addresses = (text_of(entry, "properties", "url"), text_of(entry, "thumbnail", "src"))
        return SearchHit(
            title,
            frozenset({*keyword(title).split(), keyword(title)}),
            Origin("brave", text_of(entry, "url"), text_of(entry, "source")),
            tuple(filter(None, addresses)),
        )


OPENVERSE_ENDPOINT = "https://api.openverse.org"


@dataclass(frozen=True)
class Openverse(SearchService):
    """The service at ``endpoint``; ``key`` reads an access token when it is first asked."""

    endpoint: str = OPENVERSE_ENDPOINT
    key: Callable[[], str] | None = field(default=None, repr=False)
    name = "Openverse"

    def question(self, words: str, page: int) -> SearchQuery:
        """Return the results of a page."""
        parameters = {"q": words, "page_size": str(self.size), "mature": "false"}
        if page > 1:
            parameters["page"] = str(page)
        headers = {"authorization": f"Bearer {self.key()}"} if self.key else {}
        return SearchQuery("/v1/images/", parameters, headers)

    def hit(self, entry: Entry) -> SearchHit | None:
        """A picture with its tags; its thumbnail where the picture is gone."""
        url = text_of(entry, "url")
        title = text_of(entry, "title") or ""
        licence = (text_of(entry, "license"), text_of(entry, "license_version"))
        tags = {keyword(text_of(tag, "name") or "") for tag in objects(entry.get("tags"))}
        return SearchHit(
            title,
            frozenset({*tags, *keyword(title).split(), keyword(title)}),
            Origin(
                "openverse",
                text_of(entry, "foreign_landing_url") or url,
                text_of(entry, "creator"),
                " ".join(filter(None, licence)) or None,
            ),
            tuple(filter(None, (url, text_of(entry, "thumbnail")))),
        )


Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

_NETWORKS = ("::/96", "::ffff:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "2001::/32", "2002::/16")
_TRANSLATED = tuple(map(ipaddress.ip_network, _NETWORKS))
"""IPv6 addresses that stand for IPv4 ones (RFC 4291, 6052, 8215, 4380, 3056)."""


class PublicOnly(httpx.BaseTransport):
    """Asks public addresses over https, redirected or not.

    A name is resolved once and the connection goes to an address that was checked.  A private
    ``endpoint`` of the operator's is allowed over http too; a proxy is asked by name.
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
    """Return whether an address belongs to a server of the public internet."""
    translated = address.version == 6 and any(address in network for network in _TRANSLATED)
    return address.is_global and not address.is_multicast and not translated


def _at(request: httpx.Request, address: Address | None) -> httpx.Request:
    """Return the same request, sent to an address; its certificate is still that of the name."""
    url = request.url.copy_with(host=str(address))
    extensions = {**request.extensions, "sni_hostname": request.url.host}
    return httpx.Request(
        request.method, url, headers=request.headers, stream=request.stream, extensions=extensions
    )


def _known(host: str) -> list[Address]:
    try:
        return _resolved(host)
    except httpx.ConnectError:
        return []


def _resolved(host: str) -> list[Address]:
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise httpx.ConnectError("its name leads nowhere") from error
    return [ipaddress.ip_address(str(place[4][0]).partition("%")[0]) for place in found]


@dataclass
class PictureLibrary:
    """Pictures from public servers and the operator's own; fetched ones are kept on disk."""

    search: Search
    download: Http = field(
        default_factory=lambda: Http("the picture's server", tries=2, redirects=True), repr=False
    )
    _missing: set[str] = field(default_factory=set[str], repr=False)
    _turn: Lock = field(default_factory=Lock, repr=False)

    def __post_init__(self) -> None:
        """Ask no server inside for pictures."""
        if self.download.transport is None:
            self.download.transport = PublicOnly(self.search.service.endpoint)

    def find(self, wanted: InputRequest, count: int, seed: int) -> InputSupply:
        """Pictures found by the wanted keyword, the best matches first, whatever the seed."""
        del seed
        return self.search.supply(wanted, count, lambda hit: self._input(hit, wanted.reading))

    def _input(self, hit: SearchHit, reading: str | None) -> Input | None:
        for address in hit.addresses:
            content = self._content(address)
            if content is None:
                continue
            try:
                return picture(content, hit.title or reading or "a picture", reading, hit.origin)
            except UnusablePicture:
                continue
        return None

    def _content(self, address: str) -> bytes | None:
        if not address.startswith(("http://", "https://")) or address in self._missing:
            return None
        with self._turn:
            content = self.search.kept.find("picture", address)
            if content is not None or self.search.offline:
                return content
            try:
                content = self.download.get(address, {}, {})
            except NoAnswer:
                self._missing.add(address)
                return None
            self.search.kept.keep("picture", address, content)
            return content
