"""The table of ways in which code asks ML APIs, as data in ``ways_of_asking.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analyzers.catalogue import load_catalogue
from tests.analyzers.guest.guests import GuestAtHand, literal, probe


@dataclass(frozen=True, slots=True)
class Way:
    """A way of asking: ``code`` defines ``f``, which returns what the API says.

    ``mode`` is sync, async, stream or async stream; ``sdk`` is the package that is needed, if any;
    ``gives`` is what ``f`` returns.
    """

    name: str
    api: str
    mode: str
    sdk: str
    code: str
    gives: str = "The service was great."


TABLE = Path(__file__).with_suffix(".toml")
WAYS = [Way(**entry) for entry in tomllib.loads(TABLE.read_text("utf-8"))["way"]]

APP = """
import asyncio, importlib, inspect
for name in {modules}:
    try:
        importlib.import_module(name)
    except ImportError:
        pass
def ask(name, text):
    found = importlib.import_module(name).f(text)
    return asyncio.run(found) if inspect.isawaitable(found) else found
"""
OURS = (
    *("anthropic", "boto3", "botocore.endpoint", "google.genai", "openai"),
    *("huggingface_hub.inference._client", "openai.resources.chat.completions"),
    "openai.resources.responses.responses",
)
"""Modules of the SDKs that are here for tests."""
SHAPED = (
    *("openai.chat_completions", "openai.responses", "anthropic.messages"),
    *("gemini.generate_content", "aws.bedrock-runtime.converse"),
)
"""APIs whose answer fits the request's schema or tool, if it has one."""


def script() -> list[tuple[str, Any]]:
    """Return an everyday answer of each API."""
    usual = load_catalogue().ordinary.items()
    return [(n, {"shape": "plain", "of": each} if n in SHAPED else each) for n, each in usual]


class AskedGuest:
    """A guest on a project with a file for each way; ``modules`` are imported once for all."""

    def __init__(self, folder: Path, python: str, modules: Sequence[str] = OURS) -> None:
        root = folder / "project"
        root.mkdir()
        (root / "app.py").write_text(APP.replace("{modules}", repr(tuple(modules))))
        for number, way in enumerate(WAYS):
            (root / f"way_{number}.py").write_text(way.code)
        self._guest = GuestAtHand(folder, root, python)
        self._guest.prepare("app.py", "ask", *(f"way_{n}.py" for n in range(len(WAYS))))
        self._script = script()

    def run(self, way: Way, seconds: float = 60.0) -> dict[str, Any]:
        name = literal(f"way_{WAYS.index(way)}")
        asked = probe(self._script, name=name, text=literal("some words"))
        return self._guest.run(asked, seconds=seconds)[0]

    def close(self) -> None:
        self._guest.close()


def assert_answered(way: Way, result: dict[str, Any]) -> None:
    """Assert that a way was answered by the API that it asks, once."""
    assert result["ending"]["kind"] == "returned", result["ending"]
    assert result["ending"]["value"] == repr(way.gives)
    assert [exchange["api"] for exchange in result["exchanges"]] == [way.api]
