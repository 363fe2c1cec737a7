import pytest

from tests.worker.engines.providers.standin import Reply
from worker.engines.engine import ApiRequest, NotAsked, Outage, Rejected
from worker.engines.providers.azure import Azure
from worker.engines.providers.http_client import Http

ANALYZE, MOOD = "azure.vision.analyze", "azure.language.analyze_sentiment"
PICTURE, TEXT = ApiRequest(b"pixels"), ApiRequest(text="I love this.")
TAGS = {"tagsResult": {"values": [{"name": "fire", "confidence": 0.9}]}}


def azure(server, provider="azure.vision", key="k3y-of-azure", **http):
    waits = []
    return Azure(provider, server.url, lambda: key, Http("Azure", waits.append, **http)), waits


def error(status, code="…", message="…", **headers):
    return Reply({"error": {"code": code, "message": message}}, status, headers)


def failed(code, inner=None):
    known = {"code": code, "message": "…", **({"innererror": {"code": inner}} if inner else {})}
    return Reply({"results": {"documents": [], "errors": [{"id": "0", "error": known}]}})


def test_key_goes_into_its_header_and_nowhere_else(stand_in):
    server = stand_in(
        error(401, "401", "Access denied due to invalid subscription key k3y-of-azure")
    )
    engine, _ = azure(server)
    with pytest.raises(Outage, match="HTTP 401: Access denied") as outage:
        engine.ask(ANALYZE, PICTURE)
    (asked,) = server.asked
    assert asked.headers["ocp-apim-subscription-key"] == "k3y-of-azure"
    assert "k3y-of-azure" not in str(outage.value) + repr(engine) + str(asked.query)


def test_throttled_question_is_asked_again(stand_in):
    server = stand_in(error(429, "429", **{"retry-after": "4"}), Reply(TAGS))
    engine, waits = azure(server)
    assert engine.ask(ANALYZE, PICTURE)["tags"]["list"][0]["name"] == "fire"
    assert waits == [4.0]


def test_unreadable_picture_is_the_questions_fault(stand_in):
    server = stand_in(error(400, "InvalidRequest", "The image is corrupted"))
    with pytest.raises(Rejected, match="The image is corrupted"):
        azure(server)[0].ask(ANALYZE, PICTURE)


def test_unreadable_text_is_answered_with_its_error(stand_in):
    server = stand_in(failed("InvalidArgument", "InvalidDocument"))
    answer = azure(server, "azure.language")[0].ask(MOOD, TEXT)
    assert answer["Error"]["innererror"] == {"code": "InvalidDocument"}


@pytest.mark.parametrize(
    "reply",
    [failed("InternalServerError"), failed("…", "Timeout"), Reply({}), Reply({"results": []})],
)
def test_failed_document_is_an_outage(stand_in, reply):
    with pytest.raises(Outage):
        azure(stand_in(reply), "azure.language")[0].ask(MOOD, TEXT)


def test_tags_are_asked_where_nothing_is_named(stand_in):
    server = stand_in(Reply(TAGS))
    azure(server)[0].ask(ANALYZE, PICTURE)
    assert server.asked[0].query["features"] == ["tags"]


def test_features_that_only_older_versions_had_are_not_asked(stand_in):
    server = stand_in(Reply(TAGS))
    older = ApiRequest(b"x", parameters={"features": ["adult", "brands", "tags"]})
    with pytest.raises(NotAsked, match="has no adult, brands"):
        azure(server)[0].ask(ANALYZE, older)
    assert server.asked == []


OBJECT = {"object": "cat", "parent": {"object": "animal"}, "rectangle": {"x": 1}}
OLDER = [
    ("tag_image", "tag", {"tags": [{"name": "fire"}]}, {"tags": [{"name": "fire"}]}),
    (
        "describe_image",
        "describe",
        {"description": {"tags": ["x"], "captions": [{"text": "a fire", "confidence": 0.5}]}},
        {"tags": ["x"], "captions": [{"text": "a fire", "confidence": 0.5}]},
    ),
    (
        "detect_objects",
        "detect",
        {"objects": [OBJECT]},
        {
            "objects": [
                {
                    "object_property": "cat",
                    "parent": {"object_property": "animal"},
                    "rectangle": {"x": 1},
                }
            ]
        },
    ),
]


@pytest.mark.parametrize(("task", "path", "wire", "answer"), OLDER)
def test_version_3_answers_as_its_sdk(stand_in, task, path, wire, answer):
    server = stand_in(Reply(wire))
    said = azure(server)[0].ask(f"azure.vision.{task}", PICTURE)
    assert {name: said[name] for name in answer} == answer
    assert server.asked[0].path == f"/vision/v3.2/{path}"
    assert server.asked[0].body == b"pixels"


def test_reading_needs_no_job(stand_in):
    word = {"text": "EXIT", "confidence": 0.5, "boundingPolygon": [{"x": 1, "y": 2}]}
    line = {"text": "EXIT", "boundingPolygon": [{"x": 1, "y": 2}], "words": [word]}
    server = stand_in(Reply({"readResult": {"blocks": [{"lines": [line]}]}}))
    answer = azure(server)[0].ask("azure.vision.read", PICTURE)
    (page,) = answer["analyze_result"]["read_results"]
    (read,) = page["lines"]
    assert (read["text"], read["bounding_box"]) == ("EXIT", [1, 2])
    assert read["words"] == [{"text": "EXIT", "confidence": 0.5, "bounding_box": [1, 2]}]
    assert server.asked[0].query["features"] == ["read"]


def test_addresses_are_nobodys_to_fetch(stand_in):
    server = stand_in(Reply(TAGS))
    engine, _ = azure(server)
    with pytest.raises(NotAsked, match=r'\[engines."azure.vision"\] uris = true'):
        engine.ask(ANALYZE, ApiRequest(uri="https://thief.example/?say=this"))
    engine.uris = True
    engine.ask(ANALYZE, ApiRequest(uri="https://example.org/cat.png"))
    (asked,) = server.asked
    assert asked.json == {"url": "https://example.org/cat.png"}


def test_faces_are_left_alone(stand_in):
    with pytest.raises(NotAsked, match="permission of the operator's own"):
        azure(stand_in(Reply({})))[0].ask("azure.vision.detect_faces", PICTURE)
