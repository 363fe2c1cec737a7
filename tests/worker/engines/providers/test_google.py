import base64
import json
import logging
import re

import pytest
from google.auth import jwt
from google.cloud import language_v1, vision
from google.protobuf import json_format

from tests.worker.engines.providers.standin import Reply
from worker.engines.engine import ApiRequest, NoAnswer, NotAsked, Outage
from worker.engines.providers.google import Google
from worker.engines.providers.http_client import Http
from worker.engines.providers.provider_failures import FAILURES

LABELS = "google.vision.label_detection"
SENTIMENT = "google.language.analyze_sentiment"
CAT = {
    "responses": [
        {
            "labelAnnotations": [
                {"mid": "/m/01yrx", "description": "Cat", "score": 0.98, "topicality": 0.98}
            ],
            "faceAnnotations": [
                {
                    "landmarks": [{"type": "LEFT_EYE", "position": {"x": 1.5}}],
                    "joyLikelihood": "VERY_LIKELY",
                    "detectionConfidence": 0.9,
                }
            ],
        }
    ]
}
GLAD = {
    "documentSentiment": {"magnitude": 0.9, "score": 0.9},
    "language": "en",
    "sentences": [
        {
            "text": {"content": "Nice.", "beginOffset": 0},
            "sentiment": {"magnitude": 0.9, "score": 0.9},
        }
    ],
}


def google(server, provider="google.vision", credentials=None, path="", **http):
    waits = []
    engine = Google(provider, server.url + path, credentials, Http("Google", waits.append, **http))
    return engine, waits


def test_vision_speaks_the_batch_protocol(stand_in):
    server = stand_in(Reply(CAT))
    engine, _ = google(server, credentials=lambda: "k3y")
    hints = {"language_hints": ["en"], "crop_hints_params": {"aspect_ratios": [1.5]}}
    parameters = {"max_results": 7, "model": "builtin/latest", **hints}
    request = ApiRequest(b"pixels", parameters=parameters)
    engine.ask(LABELS, request)
    (asked,) = server.asked
    assert (asked.method, asked.path, asked.query) == (
        "POST",
        "/v1/images:annotate",
        {"key": ["k3y"]},
    )
    assert asked.json == {
        "requests": [
            {
                "image": {"content": base64.b64encode(b"pixels").decode()},
                "features": [
                    {"type": "LABEL_DETECTION", "maxResults": 7, "model": "builtin/latest"}
                ],
                "imageContext": {
                    "languageHints": ["en"],
                    "cropHintsParams": {"aspectRatios": [1.5]},
                },
            }
        ]
    }


def test_vision_answer_fits_the_sdk(stand_in):
    engine, _ = google(stand_in(Reply(CAT)))
    answer = engine.ask(LABELS, ApiRequest(b"pixels"))
    assert answer["label_annotations"][0]["description"] == "Cat"
    assert answer["face_annotations"][0]["landmarks"][0]["type_"] == "LEFT_EYE"
    message = vision.AnnotateImageResponse.pb(vision.AnnotateImageResponse())
    parsed = json_format.ParseDict(answer, message)
    assert json_format.MessageToDict(parsed, preserving_proto_field_name=True) == answer


@pytest.mark.parametrize("uri", ["gs://operators/letter.png", "https://thief.example/?say=this"])
@pytest.mark.parametrize(
    ("provider", "api"), [("google.vision", LABELS), ("google.language", SENTIMENT)]
)
def test_addresses_are_nobodys_to_fetch(stand_in, provider, api, uri):
    server = stand_in(Reply(CAT))
    with pytest.raises(NotAsked, match=rf'\[engines."{provider}"\] uris = true'):
        google(server, provider)[0].ask(api, ApiRequest(uri=uri))
    assert server.asked == []


def test_address_is_passed_on_where_allowed(stand_in):
    server = stand_in(Reply(CAT))
    engine, _ = google(server)
    engine.uris = True
    engine.ask(LABELS, ApiRequest(uri="gs://bucket/cat.jpg"))
    image = server.asked[0].json["requests"][0]["image"]
    assert image == {"source": {"imageUri": "gs://bucket/cat.jpg"}}


@pytest.mark.parametrize(
    ("path", "asked_at"),
    [("", "/v1/"), ("/v1", "/v1/"), ("/v2/", "/v2/"), ("/proxy", "/proxy/v1/")],
)
def test_language_speaks_each_version(stand_in, path, asked_at):
    server = stand_in(Reply(GLAD))
    engine, _ = google(server, "google.language", path=path)
    engine.ask(SENTIMENT, ApiRequest(text="Nice.", parameters={"language": "en"}))
    (asked,) = server.asked
    assert asked.path == f"{asked_at}documents:analyzeSentiment"
    spelling = "languageCode" if asked_at == "/v2/" else "language"
    assert asked.json["document"] == {"type": "PLAIN_TEXT", "content": "Nice.", spelling: "en"}


def test_language_answer_fits_the_sdk(stand_in):
    engine, _ = google(stand_in(Reply(GLAD)), "google.language")
    answer = engine.ask(SENTIMENT, ApiRequest(text="Nice."))
    message = language_v1.AnalyzeSentimentResponse.pb(language_v1.AnalyzeSentimentResponse())
    parsed = json_format.ParseDict(answer, message)
    assert parsed.document_sentiment.score == pytest.approx(0.9)
    assert parsed.sentences[0].text.content == "Nice."


def test_entity_metadata_keys_stay(stand_in):
    entity = {"name": "Rome", "type": "LOCATION", "metadata": {"wikipediaUrl": "https://x"}}
    engine, _ = google(stand_in(Reply({"entities": [entity]})), "google.language")
    answer = engine.ask("google.language.analyze_entities", ApiRequest(text="Rome"))
    assert answer["entities"][0] == {
        "name": "Rome",
        "type_": "LOCATION",
        "metadata": {"wikipediaUrl": "https://x"},
    }


@pytest.mark.parametrize("status", [429, 500, 503])
def test_asks_again_after_an_outage(stand_in, status):
    server = stand_in(Reply({"error": {"message": "busy"}}, status), Reply(CAT))
    engine, waits = google(server)
    assert engine.ask(LABELS, ApiRequest(b"x"))["label_annotations"]
    assert len(server.asked) == 2
    assert len(waits) == 1
    assert 0 < waits[0] < 2


def test_gives_up_after_some_tries(stand_in):
    server = stand_in(Reply({"error": {"message": "busy"}}, 503))
    engine, waits = google(server, tries=3)
    with pytest.raises(NoAnswer, match="HTTP 503: busy"):
        engine.ask(LABELS, ApiRequest(b"x"))
    assert len(server.asked) == 3
    assert waits == sorted(waits)


def test_failed_service_is_left_alone(stand_in):
    server = stand_in(Reply({"error": {"message": "busy"}}, 503))
    engine, waits = google(server, tries=2)
    for _ in range(5):
        with pytest.raises(Outage, match="HTTP 503: busy") as outage:
            engine.ask(LABELS, ApiRequest(b"x"))
    assert len(server.asked) == FAILURES == 4
    assert len(waits) == 2
    assert re.search(r"left alone until \d\d:\d\d:\d\d UTC", str(outage.value))


def test_waits_as_long_as_asked(stand_in):
    server = stand_in(Reply({}, 429, {"retry-after": "4"}), Reply(CAT))
    engine, waits = google(server)
    engine.ask(LABELS, ApiRequest(b"x"))
    assert waits == [4.0]


def test_does_not_wait_for_an_hour(stand_in):
    server = stand_in(Reply({}, 429, {"retry-after": "3600"}))
    with pytest.raises(NoAnswer, match="429"):
        google(server)[0].ask(LABELS, ApiRequest(b"x"))
    assert len(server.asked) == 1


def test_wrong_key_is_not_tried_again(stand_in):
    server = stand_in(Reply({"error": {"message": "API key not valid"}}, 400))
    with pytest.raises(NoAnswer, match="API key not valid"):
        google(server, credentials=lambda: "wrong")[0].ask(LABELS, ApiRequest(b"x"))
    assert len(server.asked) == 1


def test_slow_server_times_out(stand_in):
    server = stand_in(Reply(CAT, delay=5))
    with pytest.raises(NoAnswer, match="ReadTimeout"):
        google(server, timeout=0.3, tries=2)[0].ask(LABELS, ApiRequest(b"x"))
    assert len(server.asked) == 2


def test_unreachable_server_gives_no_answer(stand_in):
    server = stand_in(Reply(CAT))
    server.close()
    with pytest.raises(NoAnswer, match="ConnectError"):
        google(server, tries=1)[0].ask(LABELS, ApiRequest(b"x"))


@pytest.mark.parametrize(
    "garbage", [b"<html>", b"[1]", b"[" * 100_000, {"responses": []}, {"responses": ["x"]}, {}]
)
def test_garbage_is_no_answer(stand_in, garbage):
    with pytest.raises(NoAnswer):
        google(stand_in(Reply(garbage)))[0].ask(LABELS, ApiRequest(b"x"))


def test_bad_picture_stays_in_the_answer(stand_in):
    error = {"code": 3, "message": "Bad image data."}
    engine, _ = google(stand_in(Reply({"responses": [{"error": error}]})))
    assert engine.ask(LABELS, ApiRequest(b"x")) == {"error": error}


def test_spent_quota_is_no_answer(stand_in):
    error = {"code": 8, "message": "quota exceeded"}
    engine, _ = google(stand_in(Reply({"responses": [{"error": error}]})))
    with pytest.raises(NoAnswer, match="quota exceeded"):
        engine.ask(LABELS, ApiRequest(b"x"))


def test_key_is_never_logged_or_told(stand_in, caplog):
    caplog.set_level(logging.DEBUG)
    server = stand_in(Reply({"error": {"message": "bad ?key=s3cr3t"}}, 403))
    engine, _ = google(server, credentials=lambda: "s3cr3t")
    with pytest.raises(NoAnswer) as refused:
        engine.ask(LABELS, ApiRequest(b"x"))
    assert server.asked[0].query == {"key": ["s3cr3t"]}
    assert "s3cr3t" not in caplog.text + str(refused.value) + repr(engine)


def test_service_account_signs_its_own_token(stand_in):
    private, public = _key_pair()
    account = {
        "type": "service_account",
        "client_email": "bot@project.example",
        "token_uri": "https://oauth2.googleapis.com/token",
        "private_key": private,
        "private_key_id": "1",
    }
    server = stand_in(Reply(CAT))
    google(server, credentials=lambda: json.dumps(account))[0].ask(LABELS, ApiRequest(b"x"))
    kind, token = server.asked[0].headers["authorization"].split()
    claims = jwt.decode(token, certs=public)
    assert kind == "Bearer"
    assert claims["iss"] == "bot@project.example"
    assert claims["aud"] == "https://vision.googleapis.com/"
    assert server.asked[0].query == {}


@pytest.mark.parametrize(
    "broken", ['{"type": "service_account"}', '{"private_key": "CANARY"', '{"private_key": 7}']
)
def test_broken_service_account_is_explained(stand_in, broken):
    engine, _ = google(stand_in(Reply(CAT)), credentials=lambda: broken)
    with pytest.raises(NoAnswer, match="service account") as refused:
        engine.ask(LABELS, ApiRequest(b"x"))
    assert refused.value.__suppress_context__


def test_private_key_and_token_are_never_repeated(stand_in):
    private, _ = _key_pair()
    account = {
        "type": "service_account",
        "client_email": "bot@project.example",
        "token_uri": "https://oauth2.googleapis.com/token",
        "private_key": private,
        "private_key_id": "1",
    }
    server = stand_in(Reply(CAT))
    engine, _ = google(server, credentials=lambda: json.dumps(account))
    engine.ask(LABELS, ApiRequest(b"x"))
    token = server.asked[0].headers["authorization"].split()[1]
    said = f"{token} {private}"
    for part in (token, private.split()[4]):
        assert part not in engine.http.secrets.redacted(said) + repr(engine)


def _key_pair():
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    public = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return private.decode(), public.decode()
