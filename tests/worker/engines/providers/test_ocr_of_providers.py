"""Writing on pictures, read on this machine, in the shapes of AWS and Azure."""

import io

import pytest
from PIL import Image

from analyzers import catalogue
from analyzers.cloud.api_answers import meaning_of, whole
from worker.engines.api_answers import validated_answer
from worker.engines.engine import ApiRequest, NotAsked, Rejected
from worker.engines.local.text_answers import ANALYSIS, ANALYZE, DOCUMENT_TEXT, READ, REKOGNITION
from worker.engines.local.text_recognition import SHAPES, LocalText
from worker.sources import text_pictures

WORDS = "STAFF\nName: John"
ASKED = {ANALYSIS: {"FeatureTypes": ["FORMS"]}, ANALYZE: {"features": ["read"]}}
OTHERS = [api for api in SHAPES if not api.startswith("google.")]


@pytest.fixture(scope="module")
def engine():
    return LocalText()


@pytest.fixture(scope="module")
def picture():
    return text_pictures.write(WORDS, 1, 0).inputs[0].content


def blank():
    file = io.BytesIO()
    Image.new("RGB", (200, 100), "white").save(file, "PNG")
    return file.getvalue()


def answer(engine, api, content):
    return validated_answer(
        api, engine.ask(api, ApiRequest(content, parameters=ASKED.get(api, {})))
    )


def fields(value, place=""):
    """All places in an answer, of whatever value."""
    if isinstance(value, list):
        return {found for item in value for found in fields(item, f"{place}[]")}
    if isinstance(value, dict):
        return {found for key, item in value.items() for found in fields(item, f"{place}.{key}")}
    return {place}


def said(api, answer):
    return whole(
        meaning_of(catalogue.load_catalogue()[api], "text" if api == ANALYZE else None), answer
    )


@pytest.mark.parametrize("api", OTHERS)
def test_words_are_where_the_catalogue_looks(engine, picture, api):
    assert said(api, answer(engine, api, picture)) == WORDS


@pytest.mark.parametrize("api", OTHERS)
def test_blank_picture_says_nothing(engine, api):
    assert said(api, answer(engine, api, blank())) is None


@pytest.mark.parametrize("api", [REKOGNITION, DOCUMENT_TEXT, READ])
def test_answer_has_every_field_of_the_ordinary_one(engine, picture, api):
    ordinary = catalogue.load_catalogue().ordinary[api]
    assert fields(answer(engine, api, picture)) == fields(ordinary)


def test_image_analysis_has_what_was_asked_for(engine, picture):
    found = answer(engine, ANALYZE, picture)
    ordinary = catalogue.load_catalogue().ordinary[ANALYZE]
    assert fields(found) == fields({name: ordinary[name] for name in found})
    assert {*found} == {"read", "metadata", "model_version"}


def test_words_of_rekognition_belong_to_their_lines(engine, picture):
    found = answer(engine, REKOGNITION, picture)["TextDetections"]
    lines = [each for each in found if each["Type"] == "LINE"]
    assert [each["Id"] for each in found] == [*range(len(found))]
    for line in lines:
        words = [each["DetectedText"] for each in found if each.get("ParentId") == line["Id"]]
        assert " ".join(words) == line["DetectedText"]
    for each in found:
        assert 0 <= each["Confidence"] <= 100
        assert all(0 <= share <= 1 for share in each["Geometry"]["BoundingBox"].values())


def test_form_has_its_key_and_value(engine, picture):
    blocks = {block["Id"]: block for block in answer(engine, ANALYSIS, picture)["Blocks"]}
    (key,) = (b for b in blocks.values() if b.get("EntityTypes") == ["KEY"])
    related = {each["Type"]: each["Ids"] for each in key["Relationships"]}
    (value,) = (blocks[name] for name in related["VALUE"])

    def words(names):
        return [blocks[name]["Text"] for name in names]

    assert words(related["CHILD"]) == ["Name:"]
    assert words(value["Relationships"][0]["Ids"]) == ["John"]


@pytest.mark.parametrize(
    ("api", "parameters", "reason"),
    [
        (ANALYZE, {"features": ["read", "tags"]}, "asked for tags"),
        (ANALYZE, {}, "asked for nothing"),
        (ANALYSIS, {"FeatureTypes": ["FORMS", "TABLES"]}, "asked for TABLES"),
        (REKOGNITION, {"Filters": {"WordFilter": {"MinConfidence": 90}}}, "without filters"),
    ],
)
def test_what_it_does_not_see_is_left_to_the_provider(engine, picture, api, parameters, reason):
    with pytest.raises(NotAsked, match=reason):
        engine.ask(api, ApiRequest(picture, parameters=parameters))


@pytest.mark.parametrize(
    ("api", "code"),
    [
        (REKOGNITION, "InvalidImageFormatException"),
        (DOCUMENT_TEXT, "UnsupportedDocumentException"),
    ],
)
def test_no_picture_gets_the_services_error(engine, api, code):
    assert answer(engine, api, b"no picture")["Error"]["Code"] == code


def test_no_picture_is_rejected_as_by_azure(engine):
    with pytest.raises(Rejected, match="it is none"):
        answer(engine, READ, b"no picture")
