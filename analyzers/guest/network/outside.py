"""Addresses that the tested code asked in vain, as the report names them."""

from __future__ import annotations

from typing import Any, List
from urllib.parse import urlsplit

from .. import calls

MOST = 20
LONGEST = 300


def note_url(url: Any) -> None:
    """Note a URL, without its query and what identifies a person."""
    try:
        parts = urlsplit(str(url))
        host = parts.netloc.rpartition("@")[2]
    except ValueError:
        return
    if host:
        _note(f"{parts.scheme}://{host}{parts.path}")


def note_address(host: Any, port: Any) -> None:
    """Note a host and port, unless a URL at the host is noted already."""
    name = host.decode("ascii", "replace") if isinstance(host, bytes) else str(host)
    marks = (f"//{name}/", f"//{name}:")
    if not any(mark in f"{known}/" for known in _noted() for mark in marks):
        _note(name if port in (None, 0, "") else f"{name}:{port}")


def named(session: calls.Session) -> List[str]:
    """All that a run asked in vain: addresses, and operations of client libraries."""
    return [name[:LONGEST] for name in session.outside[:MOST]]


def refusal(host: Any) -> str:
    """What code that asks an address outside is told."""
    return f"{host} is no described ML API, and nothing else can be reached from here"


def _noted() -> List[str]:
    return calls.session().outside


def _note(address: str) -> None:
    noted = _noted()
    address = "".join(c if c.isprintable() else "?" for c in address)[:LONGEST]
    if address not in noted and len(noted) < MOST:
        noted.append(address)
