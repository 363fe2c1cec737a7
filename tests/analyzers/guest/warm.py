"""Guests that are loaded once for all tests of a file."""

from __future__ import annotations

from typing import Any

import pytest

from tests.analyzers.guest.guests import PROJECTS, GuestAtHand, literal, probe


class WarmGuests:
    """A guest for each file of a project and interpreter, each started on first use."""

    def __init__(self, folders: pytest.TempPathFactory, project: str, pythons: Any) -> None:
        self._folders = folders
        self._project = PROJECTS / project
        self._pythons = pythons
        self._guests: dict[tuple[str, str], GuestAtHand] = {}
        self.prepared: dict[tuple[str, str], dict[str, Any]] = {}

    def guest(self, file: str, python: str) -> GuestAtHand:
        if (file, python) not in self._guests:
            folder = self._folders.mktemp("guest")
            guest = GuestAtHand(folder, self._project, self._pythons[python])
            self.prepared[file, python] = guest.prepare(file, "everything")
            self._guests[file, python] = guest
        found = self._guests[file, python]
        found.answer, found.asked = None, []
        return found

    def run(self, place: tuple[str, str], argument: Any, script: Any, python: str) -> Any:
        file, function = place
        guest = self.guest(file, python)
        given = probe(script, function=literal(function), argument=argument)
        (result,) = guest.run(given, blobs={"b1": b"picture"}, seconds=30.0)
        return result

    def value(self, place: tuple[str, str], argument: Any, script: Any, python: str) -> Any:
        ending = self.run(place, argument, script, python)["ending"]
        assert ending["kind"] == "returned", ending
        return ending["value"]

    def close(self) -> None:
        for guest in self._guests.values():
            guest.close()
