"""Client libraries from end to end: project, guest, broker, engine, and back."""

from dataclasses import replace

import pytest

from analyzers.vocabulary import ApiCall, LiteralArgument, NotRun, Probe, Returned
from tests.worker.sessions import PLACE, target
from worker.broker.api_broker import Broker
from worker.engines.engine_selection import Engines
from worker.engines.recordings import Recordings
from worker.executor.session import Session

API = "google.speech.long_running_recognize"
APP = """
from google.cloud import speech


def call(content):
    client = speech.SpeechClient.from_service_account_file("nowhere.json")
    config = {"encoding": "FLAC", "sample_rate_hertz": 8000, "language_code": "de-DE"}
    audio = speech.RecognitionAudio(content=content)
    operation = client.long_running_recognize(config=config, audio=audio)
    return operation.result(timeout=600).results[0].alternatives[0].transcript
"""


class Listener:
    """Says how long the sound is that it heard."""

    identity = "listener"
    local = True

    def __init__(self):
        self.heard = []

    def answers(self, api):
        return api == API

    def ask(self, api, request):
        self.heard.append(request)
        said = f"{len(request.content)} bytes"
        return {"results": [{"alternatives": [{"transcript": said, "confidence": 0.5}]}]}


@pytest.fixture
def run(tmp_path):
    """Runs the project with the engines that there are."""
    (tmp_path / "app.py").write_text(APP)
    calls = (ApiCall(API, "app.py", "call", 1),)
    found = replace(target(function="call"), calls=calls)

    def run(*engines):
        broker = Broker(Engines(engines), Recordings(None), None)
        with Session(PLACE, tmp_path, found, broker) as session:
            given = Probe("app.py::call", {"content": LiteralArgument("b'four'")}, None)
            return session.run([given], seconds=60)[0]

    return run


def test_speech_is_heard_by_an_engine(run) -> None:
    listener = Listener()
    assert run(listener).ending == Returned("'4 bytes'")
    (request,) = listener.heard
    assert request.content == b"four"
    assert request.parameters == {
        "encoding": "FLAC",
        "sample_rate_hertz": 8000,
        "language_code": "de-DE",
    }


def test_speech_without_an_engine_is_not_run(run) -> None:
    ending = run().ending
    assert isinstance(ending, NotRun)
    assert API in ending.reason
