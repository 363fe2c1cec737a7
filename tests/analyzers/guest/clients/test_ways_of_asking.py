"""Each way of asking an ML API gets what the API says, with the SDK or its stand-in."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from analyzers.catalogue import load_catalogue
from tests.analyzers.guest.guests import GuestAtHand, literal, probe
from tests.analyzers.ways_of_asking import WAYS, Way

APP = """
import asyncio, importlib, inspect
for name in (
    "anthropic", "boto3", "botocore.endpoint", "google.genai", "huggingface_hub.inference._client",
    "openai", "openai.resources.chat.completions", "openai.resources.responses.responses",
):
    try:
        importlib.import_module(name)
    except ImportError:
        pass
def ask(name, text):
    found = importlib.import_module(name).f(text)
    return asyncio.run(found) if inspect.isawaitable(found) else found
"""
SCRIPT = list(load_catalogue().ordinary.items())


class AskedGuest:
    """A guest on a project with a file for each way."""

    def __init__(self, folder: Path, python: str) -> None:
        root = folder / "project"
        root.mkdir()
        (root / "app.py").write_text(APP)
        for number, way in enumerate(WAYS):
            (root / f"way_{number}.py").write_text(way.code)
        self._guest = GuestAtHand(folder, root, python)
        self._guest.prepare("app.py", "ask", *(f"way_{n}.py" for n in range(len(WAYS))))

    def run(self, way: Way) -> dict[str, Any]:
        asked = probe(SCRIPT, name=literal(f"way_{WAYS.index(way)}"), text=literal("some words"))
        return self._guest.run(asked, seconds=60.0)[0]

    def close(self) -> None:
        self._guest.close()


@pytest.fixture(scope="module")
def guests(
    tmp_path_factory: pytest.TempPathFactory, bare_python: str
) -> Iterator[dict[bool, AskedGuest]]:
    """Guests by whether they have the SDKs."""
    pythons = {True: sys.executable, False: bare_python}
    made = {has: AskedGuest(tmp_path_factory.mktemp("ways"), each) for has, each in pythons.items()}
    yield made
    for guest in made.values():
        guest.close()


def has_sdk(way: Way) -> bool:
    try:
        return not way.sdk or find_spec(way.sdk) is not None
    except ModuleNotFoundError:
        return False


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
def test_way_of_asking_is_answered(guests, way) -> None:
    result = guests[has_sdk(way)].run(way)
    assert result["ending"]["kind"] == "returned", result["ending"]
    assert result["ending"]["value"] == repr(way.gives)
    assert [exchange["api"] for exchange in result["exchanges"]] == [way.api]
