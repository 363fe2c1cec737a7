"""Objects that HTTP and discovery clients hand out."""

from __future__ import annotations

import functools
import json
import re
from typing import Any, Callable, Dict

from ..spelling import snake, snaked
from ..standins import Inert

ANALYZE = re.compile(r"/documents:(analyze\w+|classifyText|moderateText|annotateText)")
VERBS = ("get", "post", "put", "patch", "delete", "head", "options")


class Response:
    """A response as ``requests``, ``httpx`` and ``urllib`` all read it."""

    status_code = status = code = 200
    ok = True
    is_success = True
    reason = "OK"
    encoding = "utf-8"

    def __init__(self, body: Dict[str, Any], url: str) -> None:
        self._body = body
        self.url = url
        self.headers = {"Content-Type": "application/json; charset=UTF-8"}

    def json(self, **_: Any) -> Any:
        """The body as a dictionary."""
        return self._body

    @property
    def text(self) -> str:
        """The body as text."""
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


class Resource:
    """A discovery service or a resource of it: its parts are called by name."""

    def __init__(self, **parts: Any) -> None:
        self._parts = parts

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__") or name not in self._parts:
            raise AttributeError(f"'Resource' object has no attribute '{name}'")
        return functools.partial(_called, self._parts[name])


class Documents:
    """The documents of the language service, with all its methods."""

    def __init__(self, ask: Callable[[str, Any], Any]) -> None:
        self._ask = ask

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if not ANALYZE.match(f"/documents:{name}"):
            raise AttributeError(f"'Resource' object has no attribute '{name}'")
        return functools.partial(_called, functools.partial(self._ask, snake(name)))


def _called(part: Any, body: Any = None, **_: Any) -> Any:
    if isinstance(part, (Resource, Documents)):
        return part
    return _Execution(part, body)


class _Execution:
    def __init__(self, answer: Callable[[Any], Any], body: Any) -> None:
        self._answer = answer
        self._body = snaked(body)

    def execute(self, **_: Any) -> Any:
        """The answer."""
        return self._answer(self._body)


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
