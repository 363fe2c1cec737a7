"""The table that says which labels a class of ImageNet is known by."""

import pytest

from analyzers.catalogue import vocabulary
from scripts.build_label_table import HEAD, TABLE, WORDNET, made
from worker.engines.local.label_detection import class_names, is_kind, labels_of, meanings


def test_every_class_has_a_name_and_most_have_labels():
    assert len(class_names()) == 1000
    assert (class_names()[207], class_names()[281]) == ("golden retriever", "tabby, tabby cat")
    assert labels_of("google").classes.any(axis=0).sum() > 970
    assert labels_of("aws").classes.any(axis=0).sum() > 900


@pytest.mark.parametrize(("provider", "name"), [("google", "openimages"), ("aws", "rekognition")])
def test_labels_are_the_vocabularys_own(provider, name):
    labels = {label for each in meanings().values() for label in each.labels[provider]}
    assert labels <= vocabulary(name).labels


@pytest.mark.parametrize(
    ("label", "number"), [("Dog", 207), ("Food", 954), ("Fire", 470), ("Car", 817), ("Bird", 145)]
)
def test_what_applications_look_for_is_there(label, number):
    for labels in (labels_of("google"), labels_of("aws")):
        assert labels.classes[labels.names.index(label), number]


@pytest.mark.parametrize(
    ("label", "reading", "expected"),
    [
        ("Golden retriever", "dog", True),
        ("tabby cat", "Cat", True),
        ("Dog", "Animal", True),
        ("Animal", "Dog", False),
        ("Banana", "Food", True),
        ("Candle", "Fire", True),
        ("Dog", "Pet", True),
        ("Pet", "Dog", False),
        ("Zebra", "Food", False),
        ("Dog", "Zeppelin", False),
    ],
)
def test_label_names_what_it_is_a_kind_of(label, reading, expected):
    assert is_kind(label, reading) is expected


@pytest.mark.skipif(not WORDNET.is_dir(), reason="wordnet-base is absent")
def test_table_is_what_the_script_writes():
    classes = {
        int(synset): str(each.number)
        for synset, each in meanings().items()
        if each.number is not None
    }
    rows = "".join("\t".join(row) + "\n" for row in (HEAD, *made(classes)))
    assert TABLE.read_text("utf-8") == rows
