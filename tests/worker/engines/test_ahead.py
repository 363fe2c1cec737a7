import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from worker.broker.api_broker import Broker
from worker.engines.engine import ApiRequest, NoAnswer
from worker.engines.engine_selection import Engines, PrefetchingEngine
from worker.engines.local.text_recognition import LocalText
from worker.engines.recordings import Recordings
from worker.sources import text_pictures

TEXT = "google.vision.text_detection"
FILES = [f"file {number}".encode() for number in range(10)]
THREADS = 2


class NotingEngine:
    """An engine that notes what it is asked about, and knows nothing of file 1."""

    identity = "noting"
    local = True

    def __init__(self):
        self.seen = []

    def answers(self, api):
        return api == TEXT

    def ask(self, api, request):
        self.seen.append(request.content)
        if request.content == FILES[1]:
            raise NoAnswer("file 1")
        return {"text_annotations": [{"description": request.content.decode()}]}


@pytest.fixture
def engine():
    return NotingEngine()


@pytest.fixture
def ahead(engine):
    ahead = PrefetchingEngine(engine, THREADS)
    ahead.expect(FILES)
    return ahead


def ask(ahead, content):
    return ahead.ask(TEXT, ApiRequest(content))["text_annotations"][0]["description"]


def seen(engine, count):
    deadline = time.monotonic() + 120
    while len(engine.seen) < count and time.monotonic() < deadline:
        time.sleep(0.01)
    return sorted(engine.seen)


def test_what_follows_is_begun_as_far_as_there_are_threads(ahead, engine):
    assert ask(ahead, FILES[4]) == "file 4"
    assert seen(engine, 3) == FILES[4:7]
    ahead.expect(())
    ask(ahead, FILES[0])
    assert seen(engine, 4) == [FILES[0], *FILES[4:7]]


def test_every_file_is_asked_about_once(ahead, engine):
    asked = [*FILES[:1], *FILES[2:]]
    ahead.expect(asked)
    assert [ask(ahead, content).encode() for content in asked] == asked
    assert seen(engine, len(asked)) == asked


def test_nothing_is_begun_beside_a_file_that_was_not_expected(ahead, engine):
    assert ask(ahead, b"changed by the code") == "changed by the code"
    assert engine.seen == [b"changed by the code"]


def test_what_has_no_answer_is_told_to_who_asks(ahead):
    assert ask(ahead, FILES[0]) == "file 0"
    with pytest.raises(NoAnswer, match="file 1"):
        ask(ahead, FILES[1])
    assert ask(ahead, FILES[2]) == "file 2"


def test_what_nobody_asked_is_neither_counted_nor_recorded(ahead, engine):
    broker = Broker(Engines((ahead,)), Recordings())
    broker.expect(FILES[2:])
    for _ in range(2):
        broker.answer(TEXT, ApiRequest(FILES[2]))
    assert (seen(engine, 3), broker.calls, broker.cached) == (FILES[2:5], 1, 1)
    broker.answer(TEXT, ApiRequest(FILES[3]))
    assert (broker.calls, broker.cached) == (2, 1)


def test_pictures_are_read_alike_by_several_threads():
    requests = [
        ApiRequest(item.content)
        for words in ("STOP", "Total: 42.50 EUR")
        for item in text_pictures.write(words, 3, 0).inputs
    ]
    engine = LocalText()
    alone = [engine.ask(TEXT, request) for request in requests]
    with ThreadPoolExecutor(THREADS) as pool:
        assert list(pool.map(lambda request: engine.ask(TEXT, request), requests)) == alone
