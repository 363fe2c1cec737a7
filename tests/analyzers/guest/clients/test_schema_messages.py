import pytest

from analyzers.guest.clients.schema_messages import Message, Schema, camel, in_json, read, snake
from tests.analyzers.guest.guests import SCHEMAS

VISION = "google.cloud.vision.v1."
RESPONSE = VISION + "AnnotateImageResponse"
ANSWER = {
    "label_annotations": [{"description": "Cat", "score": 0.75, "mid": "/m/01yrx"}],
    "face_annotations": [{"joy_likelihood": "LIKELY", "bounding_poly": {"vertices": [{"x": 1}]}}],
    "full_text_annotation": {"pages": [{"blocks": [{"block_type": "TEXT"}]}]},
}


@pytest.fixture(scope="module")
def schema() -> Schema:
    return Schema(SCHEMAS)


def test_answer_reads_as_objects(schema: Schema) -> None:
    response = schema.message(RESPONSE)(ANSWER)
    assert response.label_annotations[0].description == "Cat"
    assert response.face_annotations[0].joy_likelihood.name == "LIKELY"
    assert response.face_annotations[0].bounding_poly.vertices[0].x == 1
    assert response.full_text_annotation.pages[0].blocks[0].block_type == 1


def test_absent_fields_have_defaults(schema: Schema) -> None:
    response = schema.message(RESPONSE)({})
    assert response.error.message == ""
    assert list(response.text_annotations) == []
    assert response.safe_search_annotation.adult.name == "UNKNOWN"
    assert not response


def test_unknown_field_raises(schema: Schema) -> None:
    response = schema.message(RESPONSE)({})
    with pytest.raises(AttributeError):
        response.labels  # noqa: B018
    with pytest.raises(AttributeError):
        response.labels = 1
    with pytest.raises(ValueError, match="labels"):
        schema.message(RESPONSE)(labels=1)


def test_leaves_stay_as_they_are(schema: Schema) -> None:
    leaf = object()
    response = schema.message(RESPONSE)({"label_annotations": [{"description": leaf}]})
    assert response.label_annotations[0].description is leaf


def test_nested_messages_can_be_filled(schema: Schema) -> None:
    image = schema.message(VISION + "Image")()
    image.source.image_uri = "gs://x"
    assert image.given()["source"].image_uri == "gs://x"
    assert "source" in image
    assert "content" not in image


def test_first_generation_has_bare_enums() -> None:
    schema = Schema(SCHEMAS, plain=True)
    response = schema.message(RESPONSE)(ANSWER)
    assert type(response.face_annotations[0].joy_likelihood) is int
    assert schema.message(VISION + "Feature").LABEL_DETECTION == 4


def test_dictionary_equals_the_sdks(schema: Schema) -> None:
    from google.cloud import vision

    ours = schema.message(RESPONSE)
    theirs = vision.AnnotateImageResponse
    mine = ours.to_dict(ours(ANSWER))
    real = theirs.to_dict(theirs(ANSWER))
    assert mine["label_annotations"] == real["label_annotations"]
    assert mine["face_annotations"] == real["face_annotations"]


def test_json_leaves_defaults_out(schema: Schema) -> None:
    from google.cloud import vision
    from google.protobuf.json_format import MessageToDict

    real = vision.AnnotateImageResponse.pb(vision.AnnotateImageResponse(ANSWER))
    assert in_json(schema.message(RESPONSE)(ANSWER)) == MessageToDict(real)


def test_rounding_equals_the_sdks(schema: Schema) -> None:
    from google.cloud import vision

    answer = {"label_annotations": [{"score": 0.8}]}
    real = vision.AnnotateImageResponse(answer).label_annotations[0].score
    rounded = schema.rounded(RESPONSE, answer)
    assert rounded["label_annotations"][0]["score"] == real != 0.8


@pytest.mark.parametrize(
    ("name", "spelling"),
    [("label_annotations", "labelAnnotations"), ("type_", "type"), ("score", "score")],
)
def test_spellings_of_a_field(name: str, spelling: str) -> None:
    assert camel(name) == spelling
    assert snake(spelling) == name.rstrip("_")
    assert read({spelling: 7}, name.rstrip("_")) == 7


def test_messages_equal_by_content(schema: Schema) -> None:
    kind = schema.message(VISION + "Image")
    assert kind(content=b"x") == kind({"content": b"x"}) != kind(content=b"y")
    assert issubclass(kind, Message)


def test_fields_beyond_the_schema_are_left_out(schema: Schema) -> None:
    answer = {"label_annotations": [{"description": "Cat", "colour": 1}], "later": 2}
    response = schema.message(RESPONSE).of(answer)
    assert response.label_annotations[0].description == "Cat"
    assert response.to_dict(response)["label_annotations"][0].keys() >= {"mid", "score"}


def test_rest_leaves_out_empty_lists(schema: Schema) -> None:
    found = schema.rest(RESPONSE, {"label_annotations": [], "logo_annotations": [{"score": 0.0}]})
    assert found == {"logoAnnotations": [{"score": 0.0}]}
