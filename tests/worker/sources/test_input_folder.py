import json

import pytest
from PIL import Image

from analyzers.vocabulary import InputRequest
from worker.errors import UsageError
from worker.sources.input_folder import TEXTS, InputFolder

LABELS = "google.vision.label_detection"


@pytest.fixture
def folder(tmp_path):
    for number, name in enumerate(["Fire_Truck/a.png", "Fire_Truck/b.jpg", "cat/c.png"]):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        Image.new("RGB", (100, 100), (number, 0, 0)).save(file)
    (tmp_path / "cat" / "broken.png").write_bytes(b"no picture")
    (tmp_path / "cat" / "notes.txt").write_text("no picture")
    return tmp_path


def names(folder, wanted, count=9):
    return sorted(item.description for item in InputFolder(folder).find(wanted, count, 0).inputs)


def test_folder_names_are_keywords(folder):
    assert names(folder, InputRequest(LABELS, "fire truck")) == ["a.png", "b.jpg"]
    assert names(folder, InputRequest(LABELS, "Cat")) == ["c.png"]


def test_says_what_is_missing(folder):
    supply = InputFolder(folder).find(InputRequest(LABELS, "dog"), 2, 0)
    assert supply.inputs == ()
    assert "0 pictures of 'dog'" in supply.shortfall


def test_other_pictures_show_other_things(folder):
    assert names(folder, InputRequest(LABELS, None, ("cat",))) == ["a.png", "b.jpg"]


def test_index_names_the_keywords(folder):
    index = [
        {"file": "cat/c.png", "keywords": ["cat", "pet"], "author": "Ann", "licence": "CC0"},
        {"file": "Fire_Truck/a.png", "keywords": ["truck"]},
    ]
    (folder / "index.json").write_text(json.dumps(index))
    (item,) = InputFolder(folder).find(InputRequest(LABELS, "pet"), 1, 0).inputs
    assert (item.description, item.origin.author, item.origin.licence) == ("c.png", "Ann", "CC0")
    assert names(folder, InputRequest(LABELS, "pet", ("cat",))) == []


@pytest.mark.parametrize(
    "index",
    [
        "{",
        "[1]",
        '[{"file": "a"}]',
        '[{"file": "a", "keywords": "cat"}]',
        '[{"file": "../../etc/passwd", "keywords": []}]',
        "7",
    ],
)
def test_malformed_index_is_wrong_usage(folder, index):
    (folder / "index.json").write_text(index)
    with pytest.raises(UsageError, match="list of objects"):
        InputFolder(folder).find(InputRequest(LABELS, "cat"), 1, 0)


def test_texts_lie_in_folders_by_category(tmp_path):
    for name, text in [
        ("Movies/a.txt", "A film."),
        ("Movies/b.md", "No."),
        ("Cars/c.txt", "A car."),
    ]:
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    (tmp_path / "Movies" / "odd.txt").write_bytes(b"\xff\xfe")
    (tmp_path / "Movies" / "empty.txt").write_text(" \n")
    wanted = InputRequest("google.language.classify_text", "/Arts & Entertainment/Movies")
    supply = InputFolder(tmp_path, TEXTS).find(wanted, 3, 0)
    assert [item.content for item in supply.inputs] == [b"A film."]
    assert "1 texts of" in supply.shortfall
