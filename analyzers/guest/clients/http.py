"""Objects that HTTP clients hand out."""

from __future__ import annotations

import functools
import json
from typing import Any, Callable, Dict

from ..standins import Inert

VERBS = ("get", "post", "put", "patch", "delete", "head", "options")


class Response:
    """A response as ``requests``, ``httpx`` and ``urllib`` all read it."""

    status_code = status = code = 200
    ok = True
    is_success = True
    reason = "OK"
    encoding = "utf-8"

    def __init__(self, body: Any, url: str) -> None:
        self._body = body
        self.url = url
        media = (
            "text/event-stream" if isinstance(body, bytes) else "application/json; charset=UTF-8"
        )
        self.headers = {"Content-Type": media}

    def json(self, **_: Any) -> Any:
        """The body as a dictionary."""
        return self._body

    @property
    def text(self) -> str:
        """The body as text."""
        if isinstance(self._body, bytes):
            return self._body.decode()
        return json.dumps(self._body, indent=2)

    @property
    def content(self) -> bytes:
        """The body as bytes."""
        return self.text.encode()

    def read(self, *_: Any) -> bytes:
        """The body as bytes, as from a file."""
        return self.content

    def getcode(self) -> int:
        """The status."""
        return 200

    def raise_for_status(self) -> Response:
        """Nothing: the status is good."""
        return self

    def close(self) -> None:
        """Nothing: there is no connection."""

    def __bool__(self) -> bool:
        return True

    def __enter__(self) -> Response:
        return self

    def __exit__(self, *details: Any) -> None:
        return None


class Session:
    """A stand-in for ``requests.Session``."""

    send: Callable[..., Any]

    def __init__(self, *_: Any, **__: Any) -> None:
        self.headers: Dict[str, Any] = {}

    def request(self, *args: Any, **keywords: Any) -> Any:
        """Send a request."""
        return type(self).send(*args, **keywords)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in VERBS:
            return functools.partial(self.request, name)
        return Inert(f"session.{name}")

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *details: Any) -> None:
        return None
