import pytest

from analyzers import catalogue
from worker.engines.api_answers import MOST_BYTES, validated_answer
from worker.engines.engine import Outage

LABELS = "google.vision.label_detection"
FACES = "google.vision.face_detection"
ENTITIES = "google.language.analyze_entities"
BATCH = "aws.comprehend.batch_detect_sentiment"
MOOD = "azure.language.analyze_sentiment"
PIPELINE = "huggingface.text_classification"
DEEP: dict = {}
for _ in range(200):
    DEEP = {"a": DEEP}


@pytest.mark.parametrize(
    ("api", "answer"),
    [
        (LABELS, {}),
        (LABELS, {"label_annotations": [{"description": "Cat", "score": 1, "mid": "/m/1"}]}),
        (LABELS, {"label_annotations": [], "of_next_year": [1, {"x": None}]}),
        (FACES, {"face_annotations": [{"joy_likelihood": "LIKELY", "roll_angle": "NaN"}]}),
        (FACES, {"face_annotations": [{"joy_likelihood": 4}]}),
        (FACES, {"face_annotations": [{"landmarks": [{"type_": "LEFT_EYE"}]}]}),
        (ENTITIES, {"entities": [{"metadata": {"wikipedia_url": "https://x"}, "salience": 0.1}]}),
        (ENTITIES, {"entities": [{"mentions": [{"text": {"begin_offset": -1}}]}]}),
        ("aws.rekognition.detect_labels", {"Labels": [{"Name": "Cat"}]}),
        ("aws.comprehend.batch_detect_sentiment", {"Sentiment": "MIXED"}),
        ("google.speech.recognize", {"total_billed_time": "15s", "request_id": "123"}),
        ("huggingface.text_classification", {"elements": [{"label": "joy", "score": 0.5}]}),
        ("nobody.knows", {"anything": 1}),
    ],
)
def test_what_the_api_can_say_passes(api, answer):
    assert validated_answer(api, answer) is answer


@pytest.mark.parametrize(
    ("api", "answer", "problem"),
    [
        (LABELS, {"label_annotations": {}}, "label_annotations is no list"),
        (LABELS, {"label_annotations": ["Cat"]}, "label_annotations is no object"),
        (LABELS, {"label_annotations": [{"score": "0.9"}]}, "label_annotations.score is no float"),
        (LABELS, {"label_annotations": [{"score": True}]}, "score is no float"),
        (LABELS, {"label_annotations": [{"description": 7}]}, "description is no string"),
        (LABELS, {"label_annotations": [{"score": []}]}, "score is no float"),
        (FACES, {"face_annotations": [{"joy_likelihood": {}}]}, "joy_likelihood is no enum"),
        (FACES, {"face_annotations": [{"landmarks": [{"type": []}]}]}, "type is no enum"),
        (ENTITIES, {"entities": [{"metadata": "x"}]}, "metadata is no object"),
        (ENTITIES, {"entities": [{"mentions": [{"text": {"begin_offset": "x"}}]}]}, "no int32"),
        (BATCH, {"SentimentScore": {"Positive": "0.9"}}, "SentimentScore.Positive is no float"),
        (MOOD, {"confidence_scores": []}, "confidence_scores is no object"),
        (PIPELINE, {"elements": [{"label": 7}]}, "elements.label is no string"),
        (PIPELINE, {"elements": {}}, "elements is no list"),
        (LABELS, {"x": float("nan")}, "not JSON"),
        (LABELS, {"x": b"bytes"}, "not JSON"),
        (LABELS, DEEP, "nested deeper than 64"),
        (LABELS, {"x": "a" * MOST_BYTES}, f"more than {MOST_BYTES} bytes"),
    ],
)
def test_what_it_cannot_say_is_an_outage(api, answer, problem):
    with pytest.raises(Outage, match=problem):
        validated_answer(api, answer)


def test_schemas_are_found_for_googles_apis():
    described = [
        api for api in catalogue.load_catalogue().apis.values() if api.provider == "google.vision"
    ]
    assert all(api.schema for api in described)
