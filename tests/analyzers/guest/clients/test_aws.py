import pytest

from tests.analyzers.guest.clients.conftest import request_of
from tests.analyzers.guest.guests import content, literal

APP = "amazon.py"
PICTURE, FILE, WORDS = content("bytes"), content("path"), literal("some words")


def vision(operation, **answer):
    return (f"aws.rekognition.{operation}", answer)


def words(operation, **answer):
    return (f"aws.comprehend.{operation}", answer)


CATS = vision("detect_labels", Labels=[{"Name": "Cat", "Confidence": 98.5}])
LINES = [{"DetectedText": "EXIT", "Type": "LINE"}, {"DetectedText": "EXIT", "Type": "WORD"}]
GOOD = {"Sentiment": "POSITIVE", "SentimentScore": {"Positive": 0.9}}
BAD = {"Sentiment": "NEGATIVE", "SentimentScore": {"Positive": 0.1}}
BLOCKS = [{"BlockType": "PAGE"}, {"BlockType": "LINE", "Text": "Total"}]
EMOTIONS = [{"Type": "SAD", "Confidence": 1.5}, {"Type": "HAPPY", "Confidence": 98.0}]
JOB = {
    "TranscriptionJobStatus": "COMPLETED",
    "Transcript": {"TranscriptFileUri": "https://x/y.json"},
}


@pytest.mark.parametrize(
    ("function", "argument", "script", "value"),
    [
        ("labels", PICTURE, [CATS], "['cat']"),
        ("labels_in_bucket", literal("cat.png"), [CATS], "('Cat', 200)"),
        ("lines", FILE, [vision("detect_text", TextDetections=LINES)], "['EXIT']"),
        (
            "mood",
            PICTURE,
            [vision("detect_faces", FaceDetails=[{"Emotions": EMOTIONS}])],
            "'HAPPY'",
        ),
        (
            "unsafe",
            PICTURE,
            [vision("detect_moderation_labels", ModerationLabels=[{"ParentName": "Violence"}])],
            "True",
        ),
        (
            "celebrity",
            PICTURE,
            [vision("recognize_celebrities", CelebrityFaces=[{"Name": "Ada"}])],
            "'Ada'",
        ),
        (
            "same_person",
            PICTURE,
            [vision("compare_faces", FaceMatches=[{"Similarity": 99.0}])],
            "(True, [])",
        ),
        ("feeling", WORDS, [words("detect_sentiment", **GOOD)], "('POSITIVE', True)"),
        (
            "feelings",
            WORDS,
            [words("batch_detect_sentiment", **GOOD), words("batch_detect_sentiment", **BAD)],
            "[(0, 'POSITIVE'), (1, 'NEGATIVE')]",
        ),
        (
            "entities",
            WORDS,
            [words("detect_entities", Entities=[{"Type": "PERSON", "Text": "Ada"}])],
            "[('PERSON', 'Ada')]",
        ),
        ("phrases", WORDS, [words("detect_key_phrases", KeyPhrases=[{"Text": "a"}])], "['a']"),
        ("language", WORDS, [words("detect_dominant_language")], "None"),
        ("kind", WORDS, [words("classify_document", Classes=[{"Name": "bill"}])], "'bill'"),
        (
            "document",
            PICTURE,
            [("aws.textract.detect_document_text", {"Blocks": BLOCKS})],
            "['Total']",
        ),
        ("form", PICTURE, [("aws.textract.analyze_document", {"Blocks": BLOCKS})], "2"),
        (
            "transcript",
            literal("s3://sound/a.wav"),
            [
                ("aws.transcribe.start_transcription_job", {}),
                ("aws.transcribe.get_transcription_job", {"TranscriptionJob": JOB}),
            ],
            "('COMPLETED', 'https://x/y.json')",
        ),
        (
            "handled",
            PICTURE,
            [vision("detect_labels", Error={"Code": "InvalidImageFormatException"})],
            "'no picture'",
        ),
        (
            "handled",
            PICTURE,
            [vision("detect_labels", Error={"Code": "ThrottlingException"})],
            "'ThrottlingException'",
        ),
        ("stored_with_care", literal("cat.png"), [], "'not there'"),
    ],
)
def test_operations_are_answered(warm, python, function, argument, script, value) -> None:
    assert warm.value((APP, function), argument, script, python) == value


@pytest.mark.parametrize(
    ("function", "argument", "request_"),
    [
        (
            "labels",
            PICTURE,
            request_of(content=b"picture", MaxLabels=5, MinConfidence=70),
        ),
        (
            "labels_in_bucket",
            literal("cat.png"),
            request_of(uri="s3://photos/cat.png"),
        ),
        (
            "feeling",
            WORDS,
            request_of(text="some words", LanguageCode="en"),
        ),
    ],
)
def test_host_is_asked_what_the_call_means(warm, python, function, argument, request_) -> None:
    answer = {"Labels": [{"Name": "Cat", "Confidence": 90}], **GOOD}
    assert warm.requests((APP, function), argument, answer, python) == [request_]


def test_refused_question_is_not_run(warm, python) -> None:
    ending = warm.run((APP, "labels"), PICTURE, None, python)["ending"]
    assert ending["kind"] == "not-run"
    assert "no engine" in ending["reason"]


def test_misfit_answer_is_not_run(warm, python) -> None:
    script = [vision("detect_labels", Labels=[{"Name": "Cat", "Confidence": "high"}])]
    ending = warm.run((APP, "labels"), PICTURE, script, python)["ending"]
    assert ending["kind"] == "not-run"
    assert "Labels[0].Confidence" in ending["reason"]


def test_other_service_is_refused_by_name(warm, python) -> None:
    ending = warm.run((APP, "stored"), literal("cat.png"), [], python)["ending"]
    assert ending["exception"] == "botocore.exceptions.EndpointConnectionError"
    assert "s3.get_object" in ending["message"]
    assert (ending["function"], ending["standin"]) == ("stored", True)


def test_misuse_of_an_answer_raises(warm, python) -> None:
    ending = warm.run((APP, "wrong"), PICTURE, [CATS], python)["ending"]
    assert (ending["exception"], ending["function"], ending["standin"]) == (
        "KeyError",
        "wrong",
        False,
    )


def test_sdk_refuses_wrong_parameters(warm) -> None:
    ending = warm.run((APP, "misused"), PICTURE, [CATS], "installed")["ending"]
    assert ending["exception"] == "botocore.exceptions.ParamValidationError"


def test_real_sdk_serves_where_it_is(warm, python) -> None:
    assert ("boto3" in warm.standins(APP, python)) is (python == "missing")
