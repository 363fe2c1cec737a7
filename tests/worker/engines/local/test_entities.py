"""Entities in English texts, found on this machine, in every provider's words."""

import pytest

from analyzers import catalogue
from analyzers.vocabulary import InputRequest
from worker.engines.api_answers import validated_answer
from worker.engines.engine import ApiRequest, NoAnswer
from worker.engines.local.entity_recognition import (
    AZURE,
    GOOGLE,
    HUGGINGFACE,
    SHAPES,
    LocalEntities,
    mentions,
)
from worker.sources import entity_sentences

COMPREHEND = "aws.comprehend.detect_entities"
KINDS = {
    "PERSON": "person",
    "LOCATION": "location",
    "ORGANIZATION": "organization",
    "DATE": "date",
    "PRICE": "price",
    "QUANTITY": "quantity",
    "PHONE_NUMBER": "phone",
    "EMAIL": "email",
    "URL": "url",
    "ADDRESS": "address",
    "IP": "ip",
}
TEXT = "Ada Lovelace travelled to London on March 3, 2026."


def found(text):
    return [(each.text, each.kind) for each in mentions(text)]


def answer(api, text, **parameters):
    request = ApiRequest(text=text, parameters=parameters)
    return validated_answer(api, LocalEntities().ask(api, request))


@pytest.mark.parametrize(("reading", "kind"), KINDS.items())
def test_kinds_of_our_own_sentences_are_found(reading, kind):
    sentences = entity_sentences.find(InputRequest(GOOGLE, reading), 3, 0).inputs
    assert [{each.kind for each in mentions(s.content.decode())} for s in sentences] == [{kind}] * 3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("It was a pleasant conversation.", []),
        ("Will you come in the spring? May we ask?", []),
        ("I live in Paris.", [("Paris", "location")]),
        ("We asked Jack London.", [("Jack London", "person")]),
        ("She paid $12.50 at 9:30 am.", [("$12.50", "price"), ("9:30 am", "time")]),
        ("Call 212-555-0143 or 31 people.", [("212-555-0143", "phone"), ("31", "number")]),
        ("It opens on 2026-03-14.", [("2026-03-14", "date")]),
    ],
)
def test_what_a_text_mentions(text, expected):
    assert found(text) == expected


def test_google_counts_in_the_units_that_were_asked_for():
    (person,) = answer(GOOGLE, "é Ada Lovelace", encoding_type="UTF8")["entities"]
    assert person["mentions"][0]["text"] == {"content": "Ada Lovelace", "begin_offset": 3}
    (person,) = answer(GOOGLE, "é Ada Lovelace")["entities"]
    assert person["mentions"][0]["text"]["begin_offset"] == -1


def test_google_joins_mentions_and_shares_salience():
    paris, rome = answer(GOOGLE, "He left Paris for Rome. We stayed in Paris.")["entities"]
    assert [paris["name"], len(paris["mentions"]), rome["name"]] == ["Paris", 2, "Rome"]
    assert paris["salience"] > rome["salience"]
    assert paris["salience"] + rome["salience"] == pytest.approx(1, abs=0.001)


def test_comprehend_says_where():
    person, place, date = answer(COMPREHEND, TEXT, LanguageCode="en")["Entities"]
    assert [person["Type"], place["Type"], date["Type"]] == ["PERSON", "LOCATION", "DATE"]
    for each in (person, place, date):
        assert TEXT[each["BeginOffset"] : each["EndOffset"]] == each["Text"]


def test_azure_has_its_own_categories():
    listed = answer(AZURE, TEXT)["entities"]
    assert [each["category"] for each in listed] == ["Person", "Location", "DateTime"]
    assert [TEXT[e["offset"] : e["offset"] + e["length"]] for e in listed] == [
        e["text"] for e in listed
    ]


def test_tokens_are_of_names_alone():
    groups = [each["entity_group"] for each in answer(HUGGINGFACE, TEXT)["elements"]]
    assert groups == ["PER", "LOC"]


@pytest.mark.parametrize("api", SHAPES)
def test_answer_has_every_field_of_the_ordinary_one(api):
    ordinary = catalogue.load_catalogue().ordinary[api]
    ours = answer(api, TEXT)
    assert ours.keys() == ordinary.keys()
    (name,) = (key for key, value in ours.items() if isinstance(value, list) and value)
    assert ours[name][0].keys() == ordinary[name][0].keys()


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (ApiRequest(uri="gs://a/b"), "not addresses"),
        (ApiRequest(text="x" * 20_001), "at most 20000"),
        (ApiRequest(text="Hallo", parameters={"LanguageCode": "de"}), "not 'de'"),
    ],
)
def test_what_it_cannot_read_is_said(request_, reason):
    with pytest.raises(NoAnswer, match=reason):
        LocalEntities().ask(COMPREHEND, request_)


def test_hostile_texts_take_no_time():
    for text in ("1," * 9000, "A" * 19_000, "Ab " * 6000, "a@" * 9000, "1-" * 9000, "a." * 9000):
        mentions(text)
