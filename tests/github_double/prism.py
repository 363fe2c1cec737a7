"""Prism before the double: a second opinion on whether what is said is what GitHub describes.

Prism reads GitHub's description by itself, passes every request of the API on to the double,
and tells what is wrong with it, and with the answer, in a header.  ``make test-prism`` sets it
up and names its program in ``ASSAYER_PRISM``.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.github_double.description_corrections import mend
from tests.github_double.double import GithubDouble
from tests.github_double.openapi_description import FOLDER
from tests.worker.redis_server import free_port

PROGRAM = os.environ.get("ASSAYER_PRISM")
START_SECONDS = 120
HEADER = "sl-violations"
_UNDESCRIBED = "Unable to match the returned status code"
_UNKNOWN_ROUTE = "Selected route not found"
_SLASHED = re.compile(r"/repos/[^/]+/[^/]+/(contents|git/ref)/.+/.+")
"""Paths whose last part may have slashes, which OpenAPI cannot say."""


class Prism:
    """The program, between ``url`` and a port on which doubles follow one another."""

    def __init__(self, program: str) -> None:
        self.upstream, port = free_port(), free_port()
        self.url = f"http://127.0.0.1:{port}"
        self._folder = Path(tempfile.mkdtemp(prefix="assayer-prism-"))
        described = json.loads((FOLDER / "openapi.json").read_text())
        mend(described)
        document, self._log = self._folder / "github.json", self._folder / "log"
        document.write_text(json.dumps(described))
        upstream = f"http://127.0.0.1:{self.upstream}"
        with self._log.open("w") as log:
            self._process = subprocess.Popen(
                [program, "proxy", str(document), upstream, "--port", str(port)],
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
            )
        atexit.register(self._process.kill)
        self._wait()

    def _wait(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while "listening on" not in self._log.read_text():
            if time.monotonic() > deadline or self._process.poll() is not None:
                raise TimeoutError(f"Prism did not start: {self._log.read_text()[-2000:]}")
            time.sleep(0.2)


@cache
def _running() -> Prism:
    assert PROGRAM is not None
    return Prism(PROGRAM)


@contextmanager
def behind_prism(folder: Path) -> Iterator[GithubDouble]:
    """A double whose API is spoken to through Prism; fails at the end on what Prism held wrong."""
    prism = _running()
    wrong: list[str] = []
    passed_on = httpx.HTTPTransport.handle_request

    def handle_request(self: httpx.HTTPTransport, request: httpx.Request) -> httpx.Response:
        response = passed_on(self, request)
        if str(request.url).startswith(prism.url):
            wrong.extend(violations(request, response))
        return response

    with (
        pytest.MonkeyPatch.context() as spying,
        GithubDouble(folder, port=prism.upstream, api_url=prism.url) as double,
    ):
        spying.setattr(httpx.HTTPTransport, "handle_request", handle_request)
        yield double
    assert not wrong, "\n".join(wrong)


def violations(request: httpx.Request, response: httpx.Response) -> list[str]:
    """What Prism held against an exchange, but for what it cannot know."""
    found: list[dict[str, Any]] = json.loads(response.headers.get(HEADER, "[]"))
    return [
        f"{request.method} {request.url.path} {response.status_code}: {json.dumps(one)}"
        for one in found
        if not _is_beyond(one["message"], request, response)
    ]


def _is_beyond(message: str, request: httpx.Request, response: httpx.Response) -> bool:
    """Whether no description of GitHub's covers it.

    GraphQL has no part in it, outages are pages, diffs come in place of JSON where asked for,
    refusals are listed for few operations, and paths in a path are not understood.
    """
    path, status = request.url.path, response.status_code
    if path == "/graphql" or status >= 500 or "diff" in response.headers["content-type"]:
        return True
    if message == _UNKNOWN_ROUTE:
        return _SLASHED.fullmatch(path) is not None
    return status >= 400 and message.startswith(_UNDESCRIBED)
