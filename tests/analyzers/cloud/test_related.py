from __future__ import annotations

import pytest

from analyzers.catalogue import vocabulary
from analyzers.cloud.repairs.related_words import NounGraph, related

needs_wordnet = pytest.mark.skipif(not related.available(), reason="wordnet-base is absent")

INDEX = """\
  1 a licence line
blaze n 1 1 ~ 1 1 00000200
bus n 1 1 @ 1 1 00000300
fire n 2 1 @ 2 1 00000100 00000300
fire_engine n 1 1 @ 1 1 00000300
"""


@needs_wordnet
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("fire", "Flame"),
        ("fire", "Ash"),
        ("fire", "Smoke"),
        ("food", "Cuisine"),
        ("plant", "Flower"),
        ("Fire", "campfire"),
        ("pants", "Trousers"),
        ("building", "House"),
        ("building", "Architecture"),
        ("building", "Window"),
        ("aluminum", "Metal"),
        ("face", "Human face"),
        ("knife", "knives"),
        ("child", "Children"),
        ("dog", "Guide dog"),
    ],
)
def test_near_meanings_are_related(one, other):
    assert related(one, other)
    assert related(other, one)


@needs_wordnet
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("fire", "Tree"),
        ("fire", "Amber"),
        ("dog", "Man"),
        ("flower", "Cuisine"),
        ("food", "Smoke"),
        ("dog", "Banana"),
        ("building", "Sky"),
        ("plastic", "Toy"),
        ("fire", "Xqzzt"),
        ("", "fire"),
        ("fire", "🔥"),
    ],
)
def test_far_meanings_are_not(one, other):
    assert not related(one, other)
    assert not related(other, one)


@needs_wordnet
def test_few_random_pairs_are_related():
    labels = [
        "dog",
        "car",
        "tree",
        "river",
        "laptop",
        "bread",
        "violin",
        "moon",
        "shoe",
        "cloud",
        "beetle",
        "bridge",
    ]
    pairs = [(a, b) for a in labels for b in labels if a < b]
    assert sum(related(*pair) for pair in pairs) <= 2


def test_absent_wordnet_relates_nothing(tmp_path):
    nouns = NounGraph(tmp_path)
    assert not nouns.available()
    assert not nouns("fire", "fire")


@pytest.fixture
def small(tmp_path):
    lines = {
        100: "00000100 22 n 01 fire 0 001 ~ 00000200 n 0000 | burning",
        200: "00000200 22 n 01 blaze 0 002 @ 00000100 n 0000 + 00000900 v 0101 | a big one",
        300: "00000300 06 n 02 bus 0 coach 0 000 | a vehicle",
    }
    data = bytearray(b" " * 400)
    for offset, line in lines.items():
        data[offset : offset + len(line) + 1] = f"{line}\n".encode()
    (tmp_path / "index.noun").write_text(INDEX)
    (tmp_path / "data.noun").write_bytes(bytes(data))
    return NounGraph(tmp_path)


def test_whole_label_goes_before_its_head(small):
    assert small.meanings("Fire engine") == {300}
    assert small.meanings("Red fire (element)") == {100, 300}
    assert small.meanings("Buses") == {300}


def test_neighbours_are_nouns_only(small):
    assert small.neighbours(200) == {100}
    assert small("fires", "blaze")


@needs_wordnet
@pytest.mark.parametrize(
    ("label", "names", "first"),
    [
        ("Pants", {"Panties", "Plant", "Cargo pants", "Trousers"}, "Trousers"),
        ("Sofa", {"Shofar", "Outdoor sofa", "Couch"}, "Couch"),
    ],
)
def test_synonyms_come_before_kinds(label, names, first):
    assert related.synonyms(label, names)[0] == first


def test_misspelled_labels_have_no_synonyms():
    assert related.synonyms("Persn", {"Person", "Persian"}) == []


@needs_wordnet
@pytest.mark.parametrize(
    ("label", "first"),
    [
        ("clothes", "Clothing"),
        ("trash", "Waste"),
        ("garbage", "Waste"),
        ("pants", "Trousers"),
        ("paintings", "Painting"),
        ("foods", "Food"),
        ("cellphone", "Mobile phone"),
    ],
)
def test_stem_then_usual_meaning_is_nearest(label, first):
    assert related.nearest(label, vocabulary("openimages").labels)[0] == first


@needs_wordnet
@pytest.mark.parametrize(
    ("label", "other"), [("clothes", "Material"), ("kids", "Youth"), ("soda", "Element")]
)
def test_other_meanings_are_not_near(label, other):
    assert related.nearest(label, {other}) == []


@needs_wordnet
def test_wider_label_is_near_and_no_synonym():
    names = {"Waste", "Scrap"}
    assert related.nearest("trash", names) == ["Waste", "Scrap"]
    assert related.synonyms("trash", names) == ["Scrap"]


def test_definition_relates_what_it_names(small):
    assert small("vehicle", "bus")
    assert not small("motor", "bus")
