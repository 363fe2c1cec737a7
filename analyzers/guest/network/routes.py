"""Routes from HTTP requests to ML APIs, as the catalogue has them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Dict, Iterator, List, Mapping, Optional, Pattern, Sequence, Tuple

TARGET = "x-amz-target"
_LABEL = r"[^./:]+"
_PATH = r"[^?#]+"
_END = r"(?![\w/:])"


@dataclass
class HttpRequest:
    """An HTTP request.  Header names are in lower case; ``body`` is as it was given."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Any = None

    @property
    def media(self) -> str:
        """The media type of the body, without its parameters."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


Specificity = Tuple[int, int]
_NOWHERE: Specificity = (-1, -1)


class Route:
    """The way that one API is reached; ``entry`` is its description."""

    def __init__(self, described: Mapping[str, Any]) -> None:
        self.entry = described
        self.api: str = described["name"]
        self.provider: str = described["provider"]
        self.target: Optional[str] = described.get("target")
        patterns: Sequence[str] = described.get("rest") or ()
        self.urls = [(_specificity(each), each[:1] == "/", _url(each)) for each in patterns]
        self.fields: Sequence[str] = described.get("fields") or ()
        self.verbs = [_verb(pattern) for pattern in patterns if ":" in pattern.rpartition("/")[2]]

    def leads(self, call: HttpRequest) -> Specificity:
        """Return how much of a request's address says that it goes to the API, if anything."""
        if self.target is not None:
            return (1, 1) if call.headers.get(TARGET) == self.target else _NOWHERE
        found = [
            specificity
            for specificity, anywhere, url in self.urls
            if url.search(call.url) and not (anywhere and self._lacks_fields(call))
        ]
        return max(found, default=_NOWHERE)

    def _lacks_fields(self, call: HttpRequest) -> bool:
        """Return whether a body has not all the fields by which an API on any host is known."""
        body = call.body.decode("utf-8", "replace") if isinstance(call.body, bytes) else call.body
        if isinstance(body, str):
            return not all(f'"{name}"' in body for name in self.fields)
        return isinstance(body, Mapping) and not set(self.fields) <= body.keys()


class Routes:
    """All routes; ``entries`` are the descriptions of the APIs that they lead to."""

    def __init__(self, described: Sequence[Mapping[str, Any]]) -> None:
        self.entries = described
        self._made: Optional[List[Route]] = None
        names = {host for each in described for host in each.get("hosts") or ()}
        joined = "|".join(re.escape(name).replace(r"\*", _LABEL) for name in sorted(names))
        self._hosts: Pattern[str] = re.compile(joined or r"(?!)", re.IGNORECASE)

    def describes(self, host: str) -> bool:
        """Return whether a host is a server of a described API."""
        return self._hosts.fullmatch(host.rstrip(".")) is not None

    def find(self, call: HttpRequest) -> Optional[Route]:
        """The route of a request; a method in the URL counts at any host."""
        routes = self._routes()
        found = max(routes, key=lambda route: route.leads(call), default=None)
        if found is not None and found.leads(call) != _NOWHERE:
            return found
        return next((r for r in routes if any(verb.search(call.url) for verb in r.verbs)), None)

    def _routes(self) -> List[Route]:
        if self._made is None:
            self._made = list(_distinct(self.entries))
        return self._made


def _distinct(described: Sequence[Mapping[str, Any]]) -> Iterator[Route]:
    """One route for each set of patterns: several APIs may share one."""
    seen: Dict[Any, None] = {}
    for each in described:
        identity = (each.get("target"), tuple(each.get("rest") or ()))
        if identity not in seen:
            seen[identity] = None
            yield Route(each)


def _specificity(pattern: str) -> Specificity:
    return len(pattern.rpartition("/")[2].strip("*")), len(pattern)


def _url(pattern: str) -> Pattern[str]:
    return re.compile(_PATH.join(map(re.escape, pattern.split("*"))) + _END)


def _verb(pattern: str) -> Pattern[str]:
    """The method at the end of a pattern, such as ``/images:annotate``."""
    return re.compile(re.escape("/" + pattern.rpartition("/")[2]) + _END)
