import json

import pytest

from tests.worker.engines.providers.sdks import KEY_ID, REGION, SECRET
from tests.worker.engines.providers.standin import Reply
from worker.engines.engine import ApiRequest, NotAsked, Outage, Rejected
from worker.engines.providers.aws import Aws
from worker.engines.providers.http_client import Http

LABELS = "aws.rekognition.detect_labels"
MOODS = "aws.comprehend.batch_detect_sentiment"
FOUND = {"Labels": [{"Name": "Fire", "Confidence": 98.5}]}
PICTURE = ApiRequest(b"pixels")


def aws(server, provider="aws.rekognition", credentials=f"{KEY_ID}:{SECRET}", **http):
    waits = []
    read = credentials and (lambda: credentials)
    return Aws(provider, server.url, read, Http("AWS", waits.append, **http), region=REGION), waits


def error(name, message="…", status=400, headers=()):
    return Reply({"__type": name, "message": message}, status, dict(headers))


@pytest.mark.parametrize(
    "name", ["ThrottlingException", "com.amazon.coral#ProvisionedThroughputExceededException"]
)
def test_throttled_question_is_asked_again(stand_in, name):
    server = stand_in(error(name, headers={"retry-after": "3"}), Reply(FOUND))
    engine, waits = aws(server)
    assert engine.ask(LABELS, PICTURE) == FOUND
    assert waits == [3.0]


def test_throttling_without_end_is_an_outage(stand_in):
    server = stand_in(error("ThrottlingException", "Rate exceeded"))
    with pytest.raises(Outage, match="HTTP 400: ThrottlingException: Rate exceeded"):
        aws(server, tries=2)[0].ask(LABELS, PICTURE)
    assert len(server.asked) == 2


@pytest.mark.parametrize(
    "name", ["UnrecognizedClientException", "InvalidSignatureException", "AccessDeniedException"]
)
def test_refused_access_is_an_outage_at_once(stand_in, name):
    server = stand_in(error(name))
    with pytest.raises(Outage, match=name):
        aws(server)[0].ask(LABELS, PICTURE)
    assert len(server.asked) == 1


def test_wrong_parameter_is_the_questions_fault(stand_in):
    server = stand_in(error("InvalidParameterException", "MaxLabels"))
    with pytest.raises(Rejected, match="InvalidParameterException: MaxLabels"):
        aws(server)[0].ask(LABELS, PICTURE)


def test_unreadable_picture_is_answered_with_its_error(stand_in):
    server = stand_in(error("com.amazonaws.rekognition#InvalidImageFormatException", "no picture"))
    answer = aws(server)[0].ask(LABELS, PICTURE)
    assert answer["Error"]["Code"] == "InvalidImageFormatException"
    assert "no picture" in answer["Error"]["Message"]


@pytest.mark.parametrize("garbage", [b"<html>", b"[1]", {"ResultList": []}, {"ResultList": [7]}])
def test_garbage_is_an_outage(stand_in, garbage):
    engine, _ = aws(stand_in(Reply(garbage)), "aws.comprehend")
    with pytest.raises(Outage):
        engine.ask(MOODS, ApiRequest(text="x"))


def test_error_of_the_one_text_of_a_batch_is_its_fault(stand_in):
    failed = {"Index": 0, "ErrorCode": "InvalidRequestException", "ErrorMessage": "?"}
    engine, _ = aws(stand_in(Reply({"ResultList": [], "ErrorList": [failed]})), "aws.comprehend")
    with pytest.raises(Rejected, match="InvalidRequestException"):
        engine.ask(MOODS, ApiRequest(text="x"))


def test_temporary_credentials_send_their_token(stand_in):
    server = stand_in(Reply(FOUND))
    aws(server, credentials=f"{KEY_ID}:{SECRET}:to/ken==")[0].ask(LABELS, PICTURE)
    headers = server.asked[0].headers
    assert headers["x-amz-security-token"] == "to/ken=="
    assert f"Credential={KEY_ID}/" in headers["authorization"]
    assert f"/{REGION}/rekognition/aws4_request" in headers["authorization"]


def test_without_credentials_nothing_is_signed(stand_in):
    server = stand_in(Reply(FOUND))
    aws(server, credentials=None)[0].ask(LABELS, PICTURE)
    assert "authorization" not in server.asked[0].headers


@pytest.mark.parametrize("credentials", ["AKIDEXAMPLE", ":secret", "a b:c d", "AKID\n:SECRET"])
def test_malformed_credentials_are_said_and_not_repeated(stand_in, credentials):
    server = stand_in(Reply(FOUND))
    with pytest.raises(Outage, match="not ACCESS_KEY_ID:SECRET") as outage:
        aws(server, credentials=credentials)[0].ask(LABELS, PICTURE)
    assert credentials not in str(outage.value)
    assert server.asked == []


def test_secret_is_never_sent_or_told(stand_in):
    server = stand_in(error("AccessDeniedException", f"{SECRET} of {KEY_ID}"))
    engine, _ = aws(server)
    with pytest.raises(Outage) as outage:
        engine.ask(LABELS, PICTURE)
    assert SECRET not in json.dumps(server.asked[0].headers) + str(outage.value) + repr(engine)
    assert SECRET.encode() not in server.asked[0].body


def test_places_in_s3_are_nobodys_to_read(stand_in):
    server = stand_in(Reply(FOUND))
    with pytest.raises(NotAsked, match=r'\[engines."aws.rekognition"\] uris = true'):
        aws(server)[0].ask(LABELS, ApiRequest(uri="s3://bucket/cat.png"))
    assert server.asked == []


@pytest.mark.parametrize(
    ("uri", "place"),
    [
        ("s3://bucket/a/cat.png", {"Bucket": "bucket", "Name": "a/cat.png"}),
        ("s3://b/x?versionId=7", {"Bucket": "b", "Name": "x", "Version": "7"}),
    ],
)
def test_place_in_s3_is_passed_on_where_allowed(stand_in, uri, place):
    server = stand_in(Reply(FOUND))
    engine, _ = aws(server)
    engine.uris = True
    engine.ask(LABELS, ApiRequest(uri=uri))
    assert server.asked[0].json["Image"] == {"S3Object": place}
    with pytest.raises(NotAsked, match="s3://BUCKET/NAME only"):
        engine.ask(LABELS, ApiRequest(uri="https://example.org/cat.png"))


@pytest.mark.parametrize(
    ("api", "parameters", "reason"),
    [
        ("aws.rekognition.index_faces", {"CollectionId": "mine"}, "of the operator's own"),
        ("aws.rekognition.search_faces_by_image", {"CollectionId": "x"}, "of the operator's own"),
        ("aws.rekognition.detect_labels", {"Other": "sha256:00"}, "second file"),
    ],
)
def test_what_is_the_operators_is_not_touched(stand_in, api, parameters, reason):
    server = stand_in(Reply(FOUND))
    with pytest.raises(NotAsked, match=reason):
        aws(server)[0].ask(api, ApiRequest(b"x", parameters=parameters))
    assert server.asked == []
