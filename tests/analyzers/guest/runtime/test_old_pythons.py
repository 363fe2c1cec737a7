"""The guest runs under the oldest Python that it promises."""

import ast
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.analyzers.guest.guests import SENTIMENT, GuestAtHand, literal, probe, sentiment
from tests.analyzers.guest.zygotes import PACKAGE

OLDEST = (3, 9)


def test_sources_are_of_the_oldest_python() -> None:
    for path in PACKAGE.rglob("*.py"):
        ast.parse(path.read_text(encoding="utf-8"), str(path), feature_version=OLDEST)


def oldest() -> str:
    """An interpreter of that version, or a skipped test."""
    name = "python{}.{}".format(*OLDEST)
    of_pyenv = sorted(Path.home().glob(f".pyenv/versions/3.{OLDEST[1]}.*/bin/{name}"))
    found = next((str(path) for path in of_pyenv), None) or shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def test_guest_runs_under_the_oldest_python(start: Callable[..., GuestAtHand]) -> None:
    guest = start("rough", python=oldest())
    assert guest.prepare("rest.py", "by_urllib")["type"] == "prepared"
    script = [(SENTIMENT, sentiment(0.9))]
    (result,) = guest.run(probe(script, text=literal("x")), seconds=60)
    assert result["ending"] == {"kind": "returned", "value": "0.9"}
