import pytest

from analyzers.guest.protocol import api_calls
from tests.worker.broker.engines import LABELS, CountingEngine, ask_in_threads
from worker.broker.api_broker import Broker
from worker.broker.request_admission import ApiBudget
from worker.engines.engine import OFFLINE, ApiRequest, NoAnswer, WithheldEngine
from worker.engines.engine_selection import Engines
from worker.engines.recordings import Recordings
from worker.errors import UsageError


def broker(engine, recordings=None, budget=None):
    return Broker(Engines([engine]), recordings or Recordings(), ApiBudget(budget))


def counters(broker):
    return broker.calls, broker.cached, broker.refused


def test_same_question_is_asked_once():
    asking = broker(CountingEngine())
    first = asking.answer(LABELS, ApiRequest(b"a"))
    assert asking.answer(LABELS, ApiRequest(b"a")) == first == {"asked": 1}
    assert asking.answer(LABELS, ApiRequest(b"b")) == {"asked": 2}
    assert counters(asking) == (2, 1, 0)


def test_second_run_costs_nothing(tmp_path):
    broker(CountingEngine(), Recordings(tmp_path)).answer(LABELS, ApiRequest(b"a"))
    again = CountingEngine()
    asking = broker(again, Recordings(tmp_path), budget=0)
    assert asking.answer(LABELS, ApiRequest(b"a")) == {"asked": 1}
    assert again.asked == 0
    assert counters(asking) == (0, 1, 0)


def test_another_engine_is_asked_anew(tmp_path):
    broker(CountingEngine(), Recordings(tmp_path)).answer(LABELS, ApiRequest(b"a"))
    newer = CountingEngine("parrot-2")
    broker(newer, Recordings(tmp_path)).answer(LABELS, ApiRequest(b"a"))
    assert newer.asked == 1


def test_counts_only_questions_that_left():
    asking = broker(WithheldEngine(CountingEngine(), OFFLINE), budget=1)
    for content in (b"a", b"b"):
        with pytest.raises(NoAnswer, match="--offline"):
            asking.answer(LABELS, ApiRequest(content))
    assert counters(asking) == (0, 0, 2)


def test_spent_budget_refuses_but_replays():
    engine = CountingEngine()
    asking = broker(engine, budget=1)
    asking.answer(LABELS, ApiRequest(b"a"))
    with pytest.raises(NoAnswer, match="budget of 1 API calls"):
        asking.answer(LABELS, ApiRequest(b"b"))
    asking.answer(LABELS, ApiRequest(b"a"))
    assert engine.asked == 1
    assert counters(asking) == (1, 1, 1)


def test_budget_holds_with_many_threads():
    engine = CountingEngine()
    asking = broker(engine, budget=20)
    ask_in_threads(asking)
    assert engine.asked == 20
    assert counters(asking) == (20, 0, 60)


@pytest.mark.parametrize("api", ["google.vision.steal", "", "x" * 10_000, None, ["a"], 7])
def test_only_the_catalogue_is_asked(api):
    engine = CountingEngine()
    asking = broker(engine)
    with pytest.raises(NoAnswer, match="no API of the catalogue") as refused:
        asking.answer(api, ApiRequest(b"a"))
    assert len(str(refused.value)) < 200
    assert (engine.asked, asking.refused) == (0, 1)


def test_empty_question_is_refused():
    with pytest.raises(NoAnswer, match="asked nothing"):
        broker(CountingEngine()).answer(LABELS, ApiRequest())


@pytest.mark.parametrize("failure", [NoAnswer("down"), UsageError("down")])
def test_failed_engine_is_not_recorded(failure):
    engine = CountingEngine(failure=failure)
    asking = broker(engine)
    with pytest.raises(NoAnswer, match="down"):
        asking.answer(LABELS, ApiRequest(b"a"))
    engine.failure = None
    assert asking.answer(LABELS, ApiRequest(b"a")) == {"asked": 2}
    assert counters(asking) == (2, 0, 1)


def test_tells_which_engine_answered():
    asking = broker(CountingEngine())
    assert asking.describe() == ()
    asking.answer(LABELS, ApiRequest(b"a"))
    assert asking.describe() == (f"{LABELS}: parrot-1",)


def test_knows_who_stands_in():
    asking = Broker(Engines.from_settings({}, offline=True), Recordings())
    assert asking.substitute("google.vision.text_detection")
    assert not asking.substitute("google.vision.landmark_detection")
    assert not broker(CountingEngine()).substitute(LABELS)


# ---------------------------------------------------------------- questions


@pytest.mark.parametrize(
    ("content", "text", "uri", "parameters"),
    [
        (b"\x00\xff pixels", None, None, {}),
        (None, "Grüße 😀", None, {"language": "de"}),
        (None, "half of a pair: \ud83d", None, {}),
        (None, None, "gs://bucket/a b", {"max_results": 7, "language_hints": ["en", "de"]}),
        (b"", "", "", {"type": "HTML"}),
    ],
)
def test_digest_is_the_guests(content, text, uri, parameters):
    asked = api_calls.ApiRequest(LABELS, content, text, uri, parameters)
    assert ApiRequest(content, text, uri, parameters).digest(LABELS) == api_calls.digest(asked)


def test_digests_differ_by_every_part():
    requests = [
        ApiRequest(b"a"),
        ApiRequest(b"b"),
        ApiRequest(text="a"),
        ApiRequest(uri="a"),
        ApiRequest(b"a", parameters={"max_results": 1}),
    ]
    digests = {request.digest(LABELS) for request in requests}
    assert len(digests | {requests[0].digest("google.vision.text_detection")}) == 6


@pytest.mark.parametrize("content", [b"pixels", {"$bytes": "cGl4ZWxz"}])
def test_frames_are_read(content):
    frame = {"content": content, "text": None, "uri": None, "parameters": {"max_results": 3}}
    assert ApiRequest.from_frame(frame) == ApiRequest(b"pixels", parameters={"max_results": 3})


NESTED: list = []
for _ in range(100_000):
    NESTED = [NESTED]


@pytest.mark.parametrize(
    "frame",
    [
        None,
        [],
        {"content": 7},
        {"content": "text"},
        {"content": {"$bytes": "***"}},
        {"content": {"$bytes": 7}},
        {"text": b"bytes"},
        {"text": ["a"]},
        {"uri": {}},
        {"parameters": [1]},
        {"parameters": {"a": b"bytes"}},
        {"parameters": {"a": float("nan")}},
        {"parameters": {"a": "x" * 20_000}},
        {"parameters": {"a": NESTED}},
        {"text": "x" * 1_000_001},
        {"uri": "x" * 5_000},
        {"content": b"x" * (20 * 1024 * 1024 + 1)},
    ],
    ids=lambda frame: str(type(frame).__name__),
)
def test_hostile_frames_are_refused(frame):
    with pytest.raises(NoAnswer):
        ApiRequest.from_frame(frame)
