import re
from collections import Counter

import pytest

from analyzers.vocabulary import InputKind, InputRequest
from worker.sources import entity_sentences
from worker.sources.entity_sentences import ENDINGS, KINDS, NAMED, kind_of

API = "google.language.analyze_entities"
TYPES = [
    "PERSON", "Person", "LOCATION", "ORGANIZATION", "Organization", "DATE", "DateTime", "PRICE",
    "QUANTITY", "PHONE_NUMBER", "PhoneNumber", "Email", "URL", "ADDRESS", "IPAddress",
]  # fmt: skip


def find(reading, count=24, seed=0):
    return entity_sentences.find(InputRequest(API, reading), count, seed)


def value_in(item, kind):
    """The value in a sentence, by the one template that it fits."""
    patterns = (re.escape(t).replace(r"\{\}", "(.+)") for t in kind.templates)
    return next(m[1] for p in patterns if (m := re.fullmatch(p, item.content.decode())))


@pytest.mark.parametrize("reading", TYPES)
def test_type_is_wished_by_any_of_it(reading):
    supply = find(reading)
    assert supply.shortfall is None
    assert len({item.digest for item in supply.inputs}) == 24
    values = {value_in(item, kind_of(reading)) for item in supply.inputs}
    assert len(values) >= 12
    for item in supply.inputs:
        assert (item.kind, item.reading, item.suffix) == (InputKind.TEXT, reading, ".txt")


def test_templates_take_turns():
    kind = kind_of("PERSON")
    values = {item: value_in(item, kind) for item in find("PERSON", 80).inputs}
    used = Counter(item.content.decode().replace(value, "{}") for item, value in values.items())
    assert used == dict.fromkeys(kind.templates, 10)


@pytest.mark.parametrize("name", ["Kyoto", "Marie Curie", "AT&T", "O'Neill {0} & Sons"])
def test_name_is_wished_by_name(name):
    supply = find(name, 40)
    assert supply.shortfall is None
    assert all(name in item.content.decode() for item in supply.inputs)
    assert len({item.digest for item in supply.inputs}) == 40


def test_templates_name_nothing_else():
    """No capital but the first of a sentence, no digit: neither name, date nor number."""
    for text in (*NAMED, *ENDINGS, *(t for kind in KINDS for t in kind.templates)):
        inside = re.sub(r"^ ?[A-Z]|\bI\b", "", text)
        assert inside == inside.casefold()
        assert not re.search(r"\d", text)


def test_sentences_about_a_name_run_out():
    supply = find("Kyoto", 1000)
    assert len(supply.inputs) == len(NAMED) * len(ENDINGS)
    assert str(len(supply.inputs)) in supply.shortfall


@pytest.mark.parametrize("reading", ["EVENT", "WORK_OF_ART", "CommercialItem", "OTHER", "?", ""])
def test_what_nobody_would_tell_falls_short(reading):
    supply = find(reading)
    assert supply.inputs == ()
    assert supply.shortfall
