import pytest

from analyzers import catalogue
from analyzers.cloud.api_answers import sure
from analyzers.cloud.objectives import decided_by_words, is_field


@pytest.mark.parametrize(
    ("api", "text", "field"),
    [
        ("google.vision.label_detection", "error", True),
        ("google.vision.label_detection", "labelAnnotations", True),
        ("google.vision.label_detection", "text_annotations", True),
        ("google.vision.label_detection", "webDetection", True),
        ("aws.rekognition.detect_labels", "Width", True),
        ("aws.rekognition.detect_labels", "Person", False),
        ("google.vision.label_detection", "Dog", False),
        ("google.vision.text_detection", "TOTAL", False),
    ],
)
def test_fields_are_told_from_what_they_hold(api, text, field):
    assert is_field(catalogue.load_catalogue()[api], text) is field


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ('"Dog" in names', True),
        ('"Dog" in names or "Cat" in names', True),
        ('"Dog" in names and size > 5', False),
        ("score < 0.4", False),
        ("for label in labels", False),
    ],
)
def test_conditions_on_words_alone_are_known(condition, words):
    assert decided_by_words(condition) is words


def test_sure_answer_is_sure_of_the_feeling_too():
    felt = [{"Type": "CALM", "Confidence": 30.0}, {"Type": "SAD", "Confidence": 20.0}]
    unsure = {"FaceDetails": [{"Confidence": 99.0, "Emotions": felt}]}
    found = sure(catalogue.load_catalogue()["aws.rekognition.detect_faces"], unsure)
    assert found["FaceDetails"][0]["Emotions"][0]["Confidence"] > 50
    assert found["FaceDetails"][0]["Emotions"][1] == felt[1]
