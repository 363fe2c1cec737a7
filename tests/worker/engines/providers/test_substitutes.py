"""Engines on this machine that stand in for providers: what they see, and what they leave open."""

import io

import numpy as np
import pytest
from PIL import Image
from skimage import data

from worker.engines.api_answers import validated_answer
from worker.engines.engine import ApiRequest, NoAnswer, NotAsked
from worker.engines.local.face_detection import API, LANDMARKS, LocalFaces
from worker.engines.local.sentiment_analysis import AZURE, HUGGINGFACE, LocalSentimentLabels

COMPREHEND = "aws.comprehend.detect_sentiment"


def png(pixels):
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return ApiRequest(file.getvalue())


def enlarged(face):
    grey = Image.fromarray((face * 255).astype("uint8")).resize((200, 200))
    paper = Image.new("RGB", (320, 320), (150, 150, 150))
    paper.paste(grey.convert("RGB"), (60, 60))
    return np.asarray(paper)


@pytest.fixture(scope="module")
def faces():
    return LocalFaces()


def seen(faces, request):
    return validated_answer(API, faces.ask(API, request)).get("face_annotations", [])


def test_most_faces_are_seen_where_they_are(faces):
    found = [seen(faces, png(enlarged(face))) for face in data.lfw_subset()[:20]]
    assert sum(map(bool, found)) >= 15
    for face, *_ in filter(None, found):
        corners = face["bounding_poly"]["vertices"]
        assert all(0 <= corner[axis] <= 320 for corner in corners for axis in "xy")
        assert [mark["type_"] for mark in face["landmarks"]] == list(LANDMARKS)


def test_no_feeling_is_made_up(faces):
    (face, *_) = seen(faces, png(data.astronaut()))
    likelihoods = {value for name, value in face.items() if name.endswith("_likelihood")}
    assert likelihoods == {"UNKNOWN"}


@pytest.mark.parametrize("picture", ["coins", "page", "brick", "grass"])
def test_no_face_is_seen_where_none_is(faces, picture):
    assert seen(faces, png(getattr(data, picture)())) == []


def test_bytes_that_are_no_picture_get_the_services_error(faces):
    assert faces.ask(API, ApiRequest(b"no picture"))["error"]["code"] == 3


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("I love this, it is wonderful!", "positive"),
        ("I hate this, it is horrible.", "negative"),
        ("The train leaves at nine.", "neutral"),
        ("", "neutral"),
    ],
)
def test_feeling_has_the_words_of_both_services(text, word):
    moods = LocalSentimentLabels()
    theirs = validated_answer(COMPREHEND, moods.ask(COMPREHEND, ApiRequest(text=text)))
    ours = validated_answer(AZURE, moods.ask(AZURE, ApiRequest(text=text)))
    assert theirs["Sentiment"] == word.upper()
    assert max(theirs["SentimentScore"], key=theirs["SentimentScore"].get) == word.title()
    assert ours["sentiment"] == word
    assert sum(ours["confidence_scores"].values()) == pytest.approx(1, abs=0.02)


def test_other_languages_are_left_open():
    with pytest.raises(NoAnswer, match="reads English, not 'de'"):
        LocalSentimentLabels().ask(
            COMPREHEND, ApiRequest(text="gut", parameters={"LanguageCode": "de"})
        )


def classified(text, **parameters):
    request = ApiRequest(text=text, parameters=parameters)
    answer = validated_answer(HUGGINGFACE, LocalSentimentLabels().ask(HUGGINGFACE, request))
    return [each["label"] for each in answer["elements"]]


@pytest.mark.parametrize(
    ("text", "classes"),
    [
        ("I love this, it is wonderful!", ["POSITIVE", "NEGATIVE"]),
        ("I hate this, it is horrible.", ["NEGATIVE", "POSITIVE"]),
    ],
)
def test_pipeline_has_the_classes_of_its_default_model(text, classes):
    assert classified(text) == classes


def test_model_with_three_classes_has_its_own():
    model = "cardiffnlp/twitter-roberta-base-sentiment-latest"
    assert classified("The train leaves at nine.", model=model)[0] == "neutral"


def test_classes_of_another_model_are_left_open():
    with pytest.raises(NotAsked, match="classes of unitary/toxic-bert"):
        classified("I hate this.", model="unitary/toxic-bert")
