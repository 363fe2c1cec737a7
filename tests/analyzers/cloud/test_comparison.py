"""What another provider says, as the one that the code asks would have said it."""

import pytest

from analyzers import catalogue
from analyzers.catalogue.canonical_answers import values_at
from analyzers.cloud.cloud_analyzer import CloudAnalyzer
from analyzers.cloud.stages.other_providers import in_terms_of
from tests.analyzers.cloud.bench import FakeBench, answer_of
from tests.analyzers.cloud.test_cases import CASES, findings, read

GOOGLE, AMAZON = "google.vision.label_detection", "aws.rekognition.detect_labels"
AZURE = "azure.vision.analyze"
TRANSCRIPT = "results[].alternatives[0].transcript"


def said_by(ours, theirs, said, own):
    apis = catalogue.load_catalogue().apis
    answer = answer_of(theirs, said) if theirs != "openai.transcriptions" else {"text": said}
    return in_terms_of(apis[ours], apis[theirs], own, answer)


@pytest.mark.parametrize(
    ("ours", "theirs", "said", "path", "found"),
    [
        (GOOGLE, AMAZON, ["Fire", "Hot air"], "label_annotations[].description", "Fire, Hot air"),
        (GOOGLE, AMAZON, ["Fire"], "label_annotations[].score", "0.91"),
        (AMAZON, GOOGLE, ["Fire"], "Labels[].Confidence", "90.0"),
        (AMAZON, AZURE, [["fire"], "", ""], "Labels[].Name", "Fire"),
        (AZURE, AMAZON, ["Fire"], "tags.list[].name", "fire"),
        (GOOGLE, AMAZON, [], "label_annotations[].description", ""),
        ("google.speech.recognize", "openai.transcriptions", "lights on", TRANSCRIPT, "lights on"),
    ],
)
def test_answer_keeps_its_meaning(ours, theirs, said, path, found):
    assert ", ".join(map(str, values_at(said_by(ours, theirs, said, {}), path))) == found


def test_what_ours_says_besides_stays():
    own = answer_of(AZURE, [["sky"], "a dog", "TOTAL 3"])
    answer = said_by(AZURE, AMAZON, ["Fire"], own)
    assert answer == {**own, "tags": {"list": [{"name": "fire", "confidence": 0.91}]}}


@pytest.mark.parametrize(
    ("ours", "theirs", "said"),
    [
        ("aws.rekognition.detect_text", "google.vision.text_detection", "TOTAL"),
        ("google.vision.face_detection", "aws.rekognition.detect_faces", ["HAPPY"]),
    ],
    ids=["a text in many places", "classes"],
)
def test_what_cannot_be_said_is_not_guessed(ours, theirs, said):
    assert said_by(ours, theirs, said, {}) is None


def test_too_few_answers_say_nothing():
    (file,) = [file for file in CASES if file.stem == "other_providers_silent"]
    case, _ = read(file)
    (finding,) = findings(CloudAnalyzer().examine(case.target, FakeBench(case)))
    assert "other_providers" not in finding.evidence
    assert "With the answers of" not in finding.message
