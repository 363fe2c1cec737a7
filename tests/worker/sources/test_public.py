"""Pictures are fetched from public servers alone: their addresses are other people's words."""

import ipaddress
import socket

import httpx
import pytest

from analyzers.vocabulary import InputRequest
from tests.worker.engines.providers.standin import Reply
from tests.worker.sources.test_openverse import LABELS, jpeg, openverse, result
from worker.engines.engine import Outage
from worker.engines.providers.http_client import MOST_BYTES, MOST_REDIRECTS, Forbidden, Http
from worker.sources.picture_search import PublicOnly, is_public

INTERNAL = [
    "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
    "0.0.0.0", "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fd00::1", "ff02::1",
    "::ffff:127.0.0.1", "::127.0.0.1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::", "fd00:ec2::254",
]  # fmt: skip


def fetch(url, endpoint="https://api.openverse.org", **more):
    http = Http("pictures", lambda _: None, transport=PublicOnly(endpoint), redirects=True, **more)
    return http.get(url, {}, {})


@pytest.mark.parametrize("text", INTERNAL)
def test_internal_addresses_are_not_public(text):
    assert not is_public(ipaddress.ip_address(text))


@pytest.mark.parametrize("text", ["8.8.8.8", "2606:4700:4700::1111"])
def test_addresses_of_the_internet_are_public(text):
    assert is_public(ipaddress.ip_address(text))


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "0", "2130706433", "127.1"])
def test_services_of_this_machine_are_not_asked(host, stand_in):
    """However their address is spelt; and one refusal is enough."""
    server = stand_in(Reply(b"secret"))
    port = httpx.URL(server.url).port
    for scheme in ("http", "https"):
        with pytest.raises(Outage, match="not public"):
            fetch(f"{scheme}://{host}:{port}/")
    assert server.asked == []


def test_name_of_an_internal_server_is_not_asked(stand_in, monkeypatch):
    """One of its addresses is enough: the name may be an attacker's."""
    server = stand_in(Reply(b"secret"))
    answers = [(socket.AF_INET, 1, 6, "", (text, 0)) for text in ("8.8.8.8", "127.0.0.1")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: answers)
    with pytest.raises(Outage, match="not public"):
        fetch(f"https://pictures.example:{httpx.URL(server.url).port}/")
    assert server.asked == []


def test_connection_goes_to_the_address_that_was_looked_at(monkeypatch):
    """A name that changes its meaning leads nowhere else; its certificate is asked for."""
    answers = [(socket.AF_INET, 1, 6, "", ("8.8.8.8", 0))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: answers)
    asked = []

    def answer(self, request):
        asked.append(request)
        return httpx.Response(200, content=b"picture")

    monkeypatch.setattr(httpx.HTTPTransport, "handle_request", answer)
    assert fetch("https://pictures.example/cat.jpg") == b"picture"
    (request,) = asked
    assert request.url == "https://8.8.8.8/cat.jpg"
    assert request.headers["host"] == request.extensions["sni_hostname"] == "pictures.example"


def test_pictures_come_over_https(monkeypatch):
    answers = [(socket.AF_INET, 1, 6, "", ("8.8.8.8", 0))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: answers)
    with pytest.raises(Forbidden, match="https"):
        PublicOnly("https://x.example").handle_request(httpx.Request("GET", "http://a.example/"))


def test_operators_own_server_may_be_internal(stand_in):
    server = stand_in(Reply(b"picture"))
    assert fetch(f"{server.url}/cat.jpg", endpoint=server.url) == b"picture"


def test_redirects_to_internal_servers_are_not_followed(stand_in):
    """Even where the operator's server is on this machine: its neighbour is not it."""
    internal = stand_in(Reply(b"secret"))
    elsewhere = internal.url.replace("127.0.0.1", "127.0.0.2")
    server = stand_in(Reply(b"", 302, {"location": f"{elsewhere}/admin"}))
    with pytest.raises(Outage, match="not public"):
        fetch(f"{server.url}/cat.jpg", endpoint=server.url)
    assert internal.asked == []


def test_few_redirects_are_followed(stand_in):
    server = stand_in(Reply(b"", 302, {"location": "/again"}))
    with pytest.raises(Outage, match="TooManyRedirects"):
        fetch(f"{server.url}/cat.jpg", endpoint=server.url, tries=1)
    assert len(server.asked) == MOST_REDIRECTS + 1 == 4


def test_pictures_end_at_a_size(stand_in):
    server = stand_in(Reply(b"x" * (MOST_BYTES + 1)))
    with pytest.raises(Outage, match="more than"):
        fetch(f"{server.url}/cat.jpg", endpoint=server.url, tries=1)


def test_search_results_lead_to_no_other_server(stand_in, tmp_path):
    """The whole source: the picture that a result names lies on an internal server."""
    internal = stand_in(Reply(jpeg((1, 2, 3))))
    elsewhere = internal.url.replace("127.0.0.1", "127.0.0.2")
    server = stand_in(Reply({"results": [result(1, elsewhere)]}))
    supply = openverse(server, tmp_path).find(InputRequest(LABELS, "cat"), 1, 0)
    assert supply.inputs == ()
    assert internal.asked == []


def test_operators_proxy_is_used(stand_in, monkeypatch):
    """It finds names that this machine does not know; numbers it is not asked for."""
    proxy = stand_in(Reply(b"", 403))
    monkeypatch.setenv("https_proxy", proxy.url)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    with pytest.raises(Outage, match="not public"):
        fetch("https://169.254.169.254/latest/meta-data/", tries=1)
    with pytest.raises(Outage, match="ProxyError"):
        fetch("https://pictures.invalid/cat.jpg", tries=1)
