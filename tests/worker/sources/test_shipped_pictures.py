"""Pictures that come with Assayer: licensed, and found by what they show."""

import json
from importlib.resources import as_file, files

import pytest

from analyzers.vocabulary import InputRequest
from worker.settings.operator_settings import SourceSettings
from worker.sources.source_selection import configured_sources

LABELS = "google.vision.label_detection"
LICENCES = {
    *("CC0", "Public domain", "MIT", "Apache-2.0"),
    *(f"CC BY {version}" for version in ("2.0", "2.5", "3.0", "4.0")),
    *(f"CC BY-SA {version}" for version in ("2.0", "2.5", "3.0", "4.0")),
}


@pytest.fixture(scope="module")
def folder():
    with as_file(files("worker.data").joinpath("pictures")) as path:
        yield path


def find(reading, other_than=(), count=5, **settings):
    wanted = InputRequest(LABELS, reading, other_than)
    return configured_sources(settings, offline=True).find(wanted, count, 7)


def test_every_picture_has_a_source_and_a_licence(folder):
    entries = json.loads((folder / "index.json").read_text("utf-8"))
    assert {entry["file"] for entry in entries} == {file.name for file in folder.glob("*.jpg")}
    for entry in entries:
        assert entry["licence"] in LICENCES, entry
        assert entry["url"].startswith("https://")
        assert entry["author"]
    assert sum(file.stat().st_size for file in folder.iterdir()) < 5_000_000


@pytest.mark.parametrize("reading", ["Dog", "Cat", "Fire", "Food", "Bird", "animal"])
def test_pictures_are_found_by_what_they_show(reading):
    supply = find(reading)
    assert len({item.digest for item in supply.inputs}) == 5
    assert all(item.origin.licence for item in supply.inputs)


def test_pictures_of_something_else_show_nothing_of_it():
    shown = {item.digest for item in find("Animal", count=400).inputs}
    others = {item.digest for item in find(None, ("Animal",), 400).inputs}
    assert others
    assert not shown & others


def test_what_nobody_has_falls_short():
    supply = find("Zeppelin")
    assert supply.inputs == ()
    assert "0 pictures of 'Zeppelin'; set [sources.images]" in supply.shortfall


def test_operator_may_want_none():
    assert find("Dog", images=SourceSettings(kind="drawn")).inputs == ()
