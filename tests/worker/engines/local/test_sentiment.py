import time

import pytest
from google.cloud import language_v1
from google.protobuf import json_format

from analyzers.vocabulary import InputRequest
from worker.engines.engine import ApiRequest, NoAnswer
from worker.engines.local.sentiment_analysis import API, LocalSentiment
from worker.sources import rated_texts


@pytest.fixture(scope="module")
def engine():
    return LocalSentiment()


def score(engine, text):
    return engine.ask(API, ApiRequest(text=text))["document_sentiment"]["score"]


@pytest.mark.parametrize(("reading", "sign"), [("positive", 1), ("negative", -1)])
def test_agrees_with_human_ratings(engine, reading, sign):
    items = rated_texts.find(InputRequest(API, reading), 300, 7).inputs
    good = [item for item in items if score(engine, item.content.decode()) * sign > 0.1]
    assert len(good) >= 0.9 * len(items)


def test_neutral_texts_have_no_score(engine):
    items = rated_texts.find(InputRequest(API, "neutral"), 100, 7).inputs
    assert all(abs(score(engine, item.content.decode())) < 0.1 for item in items)


def test_answer_fits_the_sdk(engine):
    answer = engine.ask(API, ApiRequest(text="I love it. The room was dirty!"))
    message = language_v1.AnalyzeSentimentResponse.pb(language_v1.AnalyzeSentimentResponse())
    parsed = json_format.ParseDict(answer, message)
    assert [sentence.text.content for sentence in parsed.sentences] == [
        "I love it.",
        "The room was dirty!",
    ]
    assert parsed.sentences[0].sentiment.score > 0 > parsed.sentences[1].sentiment.score
    assert parsed.document_sentiment.magnitude > abs(parsed.document_sentiment.score)


@pytest.mark.parametrize(
    ("encoding", "offset"), [("UTF8", 8), ("UTF16", 6), ("UTF32", 5), (None, -1)]
)
def test_offsets_follow_the_encoding(engine, encoding, offset):
    parameters = {"encoding_type": encoding} if encoding else {}
    answer = engine.ask(API, ApiRequest(text="😀 a. Good day.", parameters=parameters))
    assert answer["sentences"][1]["text"]["begin_offset"] == offset


@pytest.mark.parametrize("text", ["", "  \n\t", "..."])
def test_nothing_said_is_neutral(engine, text):
    answer = engine.ask(API, ApiRequest(text=text))
    assert answer["document_sentiment"] == {"score": 0.0, "magnitude": 0.0}


def test_figures_have_one_decimal(engine):
    answer = engine.ask(API, ApiRequest(text="What a great, lovely and awful day."))
    for figure in answer["document_sentiment"].values():
        assert figure == round(figure, 1)


def test_tags_are_not_rated(engine):
    request = ApiRequest(
        text='<b class="great love">The train left.</b>', parameters={"type": "HTML"}
    )
    assert engine.ask(API, request)["document_sentiment"]["score"] == 0


@pytest.mark.parametrize("text", ["!" * 19_999 + "x", "so good " * 2_400, "a.b" * 6_000])
def test_hostile_texts_take_seconds_at_most(engine, text):
    began = time.monotonic()
    engine.ask(API, ApiRequest(text=text))
    assert time.monotonic() - began < 30


def test_books_are_refused(engine):
    with pytest.raises(NoAnswer, match="20000 characters"):
        engine.ask(API, ApiRequest(text="a" * 20_001))


def test_texts_by_address_are_refused(engine):
    with pytest.raises(NoAnswer, match="not addresses"):
        engine.ask(API, ApiRequest(uri="gs://bucket/a.txt"))
