"""Guests that are loaded once for all tests of a file, with the SDKs and without them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.analyzers.guest.guests import PROJECTS, GuestAtHand, literal, probe

BLOBS = {"b1": b"picture"}


class WarmGuests:
    """A guest for each file of a project and interpreter, each started on first use."""

    def __init__(self, folders: pytest.TempPathFactory, project: str, bare_python: str) -> None:
        self._folders = folders
        self._project = PROJECTS / project
        self._pythons = {"installed": sys.executable, "missing": bare_python}
        self._guests: dict[tuple[str, str], GuestAtHand] = {}
        self._prepared: dict[tuple[str, str], dict[str, Any]] = {}

    def guest(self, file: str, python: str) -> GuestAtHand:
        if (file, python) not in self._guests:
            folder = self._folders.mktemp("guest")
            guest = GuestAtHand(folder, self._project, self._pythons[python])
            self._prepared[file, python] = guest.prepare(file, "everything")
            self._guests[file, python] = guest
        found = self._guests[file, python]
        found.answer, found.asked = None, []
        return found

    def standins(self, file: str, python: str) -> list[str]:
        self.guest(file, python)
        return list(self._prepared[file, python]["standins"])

    def run(self, place: tuple[str, str], argument: Any, script: Any, python: str) -> Any:
        file, function = place
        guest = self.guest(file, python)
        given = probe(script, function=literal(function), argument=argument)
        (result,) = guest.run(given, blobs=BLOBS, seconds=30.0)
        return result

    def value(self, place: tuple[str, str], argument: Any, script: Any, python: str) -> Any:
        ending = self.run(place, argument, script, python)["ending"]
        assert ending["kind"] == "returned", ending
        return ending["value"]

    def requests(self, place: tuple[str, str], argument: Any, answer: Any, python: str) -> Any:
        """Return what the host is asked where it answers with ``answer``."""
        file, function = place
        guest = self.guest(file, python)
        guest.answer = answer
        guest.run(probe(None, function=literal(function), argument=argument), blobs=BLOBS)
        return [asked["request"] for asked in guest.asked]

    def close(self) -> None:
        for guest in self._guests.values():
            guest.close()


@pytest.fixture(scope="module")
def warm(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, bare_python: str
) -> Iterator[WarmGuests]:
    """Guests on the project that the test's module names, by default ``clouds``."""
    project = getattr(request.module, "PROJECT", "clouds")
    guests = WarmGuests(tmp_path_factory, project, bare_python)
    yield guests
    guests.close()


@pytest.fixture(params=["installed", "missing"])
def python(request: pytest.FixtureRequest) -> str:
    """The interpreter with the SDKs, and one without them."""
    return str(request.param)


def request_of(
    content: bytes | None = None,
    text: str | None = None,
    uri: str | None = None,
    **parameters: Any,
) -> dict[str, Any]:
    """Return a request as the host is asked it."""
    return {"content": content, "text": text, "uri": uri, "parameters": parameters}
