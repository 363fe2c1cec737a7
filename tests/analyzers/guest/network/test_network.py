"""The guest's network without the sandbox: routes, names of addresses, waiting."""

import os
import socket
import threading
from collections.abc import Callable

import pytest

from analyzers import catalogue
from analyzers.guest.network import unreachable
from analyzers.guest.network.network import Proxy
from analyzers.guest.network.routes import HttpRequest, Routes
from analyzers.guest.network.unreachable import was_refused
from analyzers.guest.protocol import api_calls
from tests.analyzers.guest.guests import GuestAtHand, literal, probe

KNOWN = catalogue.load_catalogue()
ROUTES = Routes(KNOWN.as_json(KNOWN.apis))
AWS = "https://rekognition.us-east-1.amazonaws.com/"
FACE = "https://api-inference.huggingface.co"
AZURE = "https://x.cognitiveservices.azure.com"


def api_of(url: str, **headers: str) -> str | None:
    route = ROUTES.find(HttpRequest("POST", url, headers))
    return None if route is None else route.api


@pytest.mark.parametrize(
    ("url", "api"),
    [
        ("https://language.googleapis.com/v2/documents:analyzeSentiment", "analyze_sentiment"),
        ("1/v1/documents:classifyText?key=1", "classify_text"),
        ("https://speech.googleapis.com/v1/speech:recognize", "recognize"),
        ("https://api.openai.com/v1/chat/completions", "chat_completions"),
        ("https://api.openai.com/v1/completions", "completions"),
        (f"{AZURE}/openai/deployments/d/chat/completions?api-version=1", "chat_completions"),
        (f"{AZURE}/vision/v3.2/analyze?visualFeatures=Tags", "analyze"),
        (f"{AZURE}/text/analytics/v3.1/languages", "detect_language"),
        (f"{FACE}/models/a/b-sst-2-english", "text_classification"),
        (f"{FACE}/models/openai/whisper-tiny", "automatic_speech_recognition"),
        (f"{FACE}/models/a/b", "text_generation"),
        ("https://vision.googleapis.com/v1/models", None),
        ("https://example.com/v1/chat/completions", "chat_completions"),
        ("https://example.com/v1/chat/completions/7", None),
        (AWS, None),
    ],
)  # fmt: skip
def test_urls_lead_to_apis(url, api):
    found = api_of(url)
    assert found == api or found.rpartition(".")[2] == api


def test_header_leads_to_aws():
    target = {"x-amz-target": "Comprehend_20171127.DetectSentiment"}
    assert api_of(AWS.replace("rekognition", "comprehend"), **target) == (
        "aws.comprehend.detect_sentiment"
    )


@pytest.mark.parametrize(
    ("host", "described"),
    [
        ("vision.googleapis.com", True),
        ("Vision.GoogleAPIs.com.", True),
        ("rekognition.eu-central-1.amazonaws.com", True),
        ("any.cognitiveservices.azure.com", True),
        ("storage.googleapis.com", False),
        ("s3.eu-central-1.amazonaws.com", False),
        ("vision.googleapis.com.example.com", False),
        ("xvision.googleapis.com", False),
        ("", False),
    ],
)
def test_hosts_are_told_apart(host, described):
    assert ROUTES.describes(host) is described


@pytest.fixture
def session():
    yield api_calls.set_supplier(api_calls.EmptyAnswers())
    api_calls.set_supplier(api_calls.EmptyAnswers())


def test_addresses_are_named_without_secrets(session):
    unreachable.note_url("https://user:pass@example.com/a?key=secret#part")
    unreachable.note_address("example.com", 443)
    unreachable.note_address(b"example.org", 80)
    unreachable.note_url("no address")
    unreachable.note_url("http://[broken")
    assert session.outside == ["https://example.com/a", "example.org:80"]


def test_addresses_are_bounded(session):
    for number in range(50):
        unreachable.note_url(f"https://example.com/{number}\n{'a' * 1000}")
    assert len(session.outside) == unreachable.MOST
    assert {len(address) for address in session.outside} == {unreachable.LONGEST}
    assert all(address.isprintable() for address in session.outside)


def test_waiting_is_in_vain_after_a_refusal(session):
    assert not was_refused()
    unreachable.note_address("example.com", 443)
    assert was_refused()


def test_waiting_is_in_vain_without_an_answer(session):
    session.refuse("no engine")
    assert was_refused()


CLOSED = {"authority": None, "certificate": None, "key": None}
PROGRAM = """\
import os, socket, time

def ask(seconds):
    began = time.monotonic()
    time.sleep(seconds)
    slept = time.monotonic() - began
    try:
        socket.create_connection(("example.com", 443))
    except OSError as error:
        said = type(error).__name__, str(error)
    began = time.monotonic()
    time.sleep(60)
    return slept >= seconds, time.monotonic() - began < 30, said

def nap():
    time.sleep(36000)
    return "awake"

def wait():
    while True:
        time.sleep(60)

def environment():
    return sorted(name for name in os.environ if "KEY" in name or "proxy" in name.lower())
"""
REFUSED = "[Errno -2] example.com is no described ML API, and nothing else can be reached from here"


@pytest.fixture
def prepared(start: Callable[..., GuestAtHand], tmp_path):
    def prepared(function, network):
        project = tmp_path / "project"
        project.mkdir()
        (project / "app.py").write_text(PROGRAM)
        guest = start(project)
        guest.prepare("app.py", function, network=network)
        return guest

    return prepared


def test_closed_network_fails_at_once_and_ends_waiting(prepared):
    guest = prepared("ask", CLOSED)
    (result,) = guest.run(probe((), seconds=literal(0.05)), seconds=100.0)
    assert result["ending"]["value"] == str((True, True, ("gaierror", REFUSED)))
    assert result["outside"] == ["example.com:443"]


@pytest.mark.parametrize(("function", "kind"), [("nap", "returned"), ("wait", "timed-out")])
def test_nobody_is_waited_for(prepared, function, kind):
    (result,) = prepared(function, CLOSED).run(probe(()), seconds=3600.0)
    assert result["ending"]["kind"] == kind


@pytest.mark.parametrize("network", [CLOSED, None])
def test_environment_has_dummy_keys_alone(prepared, network):
    keys = [
        *("ANTHROPIC_API_KEY", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "CO_API_KEY"),
        *("GEMINI_API_KEY", "GROQ_API_KEY", "MISTRAL_API_KEY"),
        *("OPENAI_API_KEY", "TOGETHER_API_KEY"),
    ]
    assert prepared("environment", network).ending()["value"] == repr(keys)


def test_no_thread_connects_before_the_proxy_listens(session, monkeypatch):
    proxy = Proxy(ROUTES, "server.pem")
    proxy._process = os.getppid()
    listening, may_listen = threading.Event(), threading.Event()
    real = proxy._socket

    class Slow:
        def listen(self, most: int) -> None:
            listening.set()
            may_listen.wait(30)
            real.listen(most)

        def accept(self) -> object:
            return real.accept()

    monkeypatch.setattr(proxy, "_socket", Slow())
    monkeypatch.setattr(proxy, "_serve", lambda connection: connection.close())

    def ask() -> None:
        proxy.wake()
        socket.create_connection(proxy.address, timeout=30).close()
        answered.append(True)

    answered: list[bool] = []
    threads = [threading.Thread(target=ask) for _ in range(2)]
    threads[0].start()
    assert listening.wait(30)
    threads[1].start()
    threads[1].join(0.2)
    may_listen.set()
    for thread in threads:
        thread.join(30)
    real.close()
    assert answered == [True, True]
