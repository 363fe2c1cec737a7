"""What the guest asks of other providers is admitted, paid, checked, recorded and replayed."""

import pytest

from tests.worker.engines.providers.standin import Reply
from worker.broker.api_broker import Broker
from worker.broker.request_admission import ApiBudget
from worker.engines.engine import ApiRequest, NoAnswer, NotAsked, Outage
from worker.engines.engine_selection import Engines
from worker.engines.recordings import Recordings
from worker.settings.operator_settings import EngineSettings

LABELS, MOOD = "aws.rekognition.detect_labels", "azure.language.analyze_sentiment"
TAGS, CHAT = "azure.vision.analyze", "openai.chat_completions"
FOUND = {"Labels": [{"Name": "Fire", "Confidence": 98.5}]}
USER = [{"role": "user", "content": "?"}]
DOCUMENT = {"results": {"documents": [{"id": "0", "sentiment": "positive"}], "errors": []}}
ASKED = [
    (
        LABELS,
        ApiRequest(b"x", parameters={"MaxLabels": 5, "MinConfidence": 70.5}),
        FOUND,
        FOUND,
        0.001,
    ),
    (
        MOOD,
        ApiRequest(text="Nice.", parameters={"language": "en"}),
        DOCUMENT,
        {"sentiment": "positive"},
        0.001,
    ),
    (
        TAGS,
        ApiRequest(b"x", parameters={"features": ["tags"]}),
        {"tagsResult": {"values": []}},
        {"tags": {"list": []}},
        0.0015,
    ),
    (
        "google.speech.recognize",
        ApiRequest(b"x", parameters={"encoding": "LINEAR16", "language_code": "en-US"}),
        {"totalBilledTime": "15s"},
        {"total_billed_time": "15s"},
        0.024,
    ),
    (
        CHAT,
        ApiRequest(text="?\n?", parameters={"model": "m", "messages": [*USER, *USER]}),
        {"choices": []},
        {"choices": []},
        0.01,
    ),
]


def broker(settings, recordings, dollars=1.0):
    return Broker(
        Engines.from_settings(settings, offline=False), recordings, ApiBudget(dollars=dollars)
    )


def setting(api, url):
    price = 0.01 if api.startswith("openai.") else None
    return {api.rpartition(".")[0]: EngineSettings(endpoint=url, price=price)}


@pytest.mark.parametrize(("api", "request_", "wire", "answer", "dollars"), ASKED)
def test_answer_is_paid_once_and_replayed(stand_in, tmp_path, api, request_, wire, answer, dollars):
    server = stand_in(Reply(wire))
    first = broker(setting(api, server.url), Recordings(tmp_path))
    assert first.answer(api, request_) == answer
    assert first.dollars == pytest.approx(dollars)
    server.close()
    again = broker(setting(api, server.url), Recordings(tmp_path))
    assert again.answer(api, request_) == answer
    assert (again.calls, again.cached) == (0, 1)
    replay = EngineSettings(kind="replay", endpoint=str(tmp_path))
    engine = Engines.from_settings({api.rpartition(".")[0]: replay}, offline=True).engine(api)
    assert engine.ask(api, request_) == answer


@pytest.mark.parametrize(
    ("api", "parameters"),
    [
        (LABELS, {"CollectionId": "mine"}),
        ("aws.comprehend.detect_sentiment", {"EndpointArn": "arn:aws:x"}),
        (MOOD, {"loggingOptOut": False}),
        (TAGS, {"model-name": "mine"}),
        ("google.speech.recognize", {"recognizer": "projects/p/locations/l/recognizers/mine"}),
        (CHAT, {"tools": [{"type": "web_search"}]}),
        (CHAT, {"messages": [{"role": "tool", "content": "x"}]}),
        ("openai.responses", {"previous_response_id": "resp_1"}),
        ("openai.responses", {"input": [{"type": "input_file", "file_id": "f"}]}),
    ],
)
def test_what_is_the_operators_is_not_admitted(stand_in, api, parameters):
    server = stand_in(Reply({}))
    seen = "vision" in api or "rekognition" in api or "speech" in api
    text = {"content": b"x"} if seen else {"text": "x"}
    with pytest.raises(NoAnswer, match="was asked with"):
        broker(setting(api, server.url), Recordings()).answer(
            api, ApiRequest(**text, parameters=parameters)
        )
    assert server.asked == []


def test_question_that_does_not_leave_costs_nothing(stand_in):
    server = stand_in(Reply({}))
    asking = broker(setting(LABELS, server.url), Recordings())
    with pytest.raises(NotAsked, match="uris = true"):
        asking.answer(LABELS, ApiRequest(uri="s3://bucket/cat.png"))
    assert (asking.calls, asking.dollars) == (0, 0)


def test_answer_against_the_schema_is_an_outage(stand_in, tmp_path):
    server = stand_in(Reply({"Labels": [{"Name": "Fire", "Confidence": "high"}]}))
    with pytest.raises(Outage, match=r"Labels\.Confidence is no float"):
        broker(setting(LABELS, server.url), Recordings(tmp_path)).answer(LABELS, ApiRequest(b"x"))


def test_unknown_price_is_not_spent(stand_in):
    server = stand_in(Reply({}))
    settings = {"openai": EngineSettings(endpoint=server.url)}
    with pytest.raises(NoAnswer, match=r'nobody knows what .* \[engines."openai"\] price'):
        broker(settings, Recordings()).answer(CHAT, ApiRequest(text="?", parameters={"model": "m"}))
    assert server.asked == []
