"""Each way of asking an ML API gets what the API says, with the SDK or its stand-in."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from tests.analyzers.ways_of_asking import WAYS, AskedGuest, Way, assert_answered


@pytest.fixture(scope="module")
def guests(
    tmp_path_factory: pytest.TempPathFactory, bare_python: str
) -> Iterator[dict[bool, AskedGuest]]:
    """Guests by whether they have the SDKs, and pydantic."""
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
    assert_answered(way, guests[has_sdk(way) or "pydantic" in way.code].run(way))
