"""Raw HTTP from the real guest in the real sandbox: described, refused, named."""

import shutil
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from analyzers.criteria import is_crash, needs_environment
from analyzers.vocabulary import Exchange, LiteralArgument, NotRun, Probe, Raised, Returned
from tests.analyzers.cloud.bench import goals
from tests.worker.sessions import LABELS, target
from worker.broker.api_broker import Broker
from worker.engines.engine_selection import Engines
from worker.engines.recordings import Recordings
from worker.executor.execution_context import GuestRuntime
from worker.executor.session import Session
from worker.sandbox.command_lines import reachable_by_others
from worker.sandbox.guest_limits import Limits
from worker.sandbox.isolation import IsolationUnavailable, find_isolation

SYSTEM_PYTHON = "/usr/bin/python3"
PROJECT = Path(__file__).parent / "projects" / "raw_http.py"
ANSWER = {"label_annotations": [{"description": "Sky", "score": 0.9}]}
CALLED = ("by_requests", "by_httpx", "by_urllib")
SENT = (
    *("by_prepared_requests", "by_httpx_stream", "by_async_httpx", "by_opener", "by_urllib3"),
    *("by_http_client", "by_aiohttp", "by_trusting_aiohttp"),
)
ELSEWHERE = "https://api.example.com/v1/x?token=secret"
NAMES = ("https://api.example.com/v1/x", "api.example.com:443")


class Painter:
    """Says what picture it saw, and hears how it was asked."""

    identity = "painter"
    local = False

    def __init__(self):
        self.asked = []

    def answers(self, api):
        return api == LABELS

    def ask(self, api, request):
        self.asked.append(request)
        return {"label_annotations": [{"description": request.content.decode(), "score": 0.5}]}


@pytest.fixture(scope="module")
def place():
    if shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    isolation = find_isolation()
    if not isolation.namespaces:
        pytest.skip("no network namespaces here")
    return GuestRuntime(isolation, Path(sys.executable), Limits())


@pytest.fixture(scope="module")
def painter():
    return Painter()


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("network") / "tree"
    root.mkdir()
    shutil.copy(PROJECT, root / "app.py")
    return root


@pytest.fixture(scope="module")
def session(place, painter, root):
    broker = Broker(Engines([painter]), Recordings(None), None)
    with Session(place, root, target(function="call"), broker) as session:
        yield session


@pytest.fixture
def ask(session, painter):
    """Runs one function of the project in a process of its own."""
    painter.asked.clear()

    def ask(function, script=None, argument=None):
        arguments = {
            "name": LiteralArgument(repr(function)),
            "argument": LiteralArgument(repr(argument)),
        }
        script = script if script is None else tuple(Exchange(a, "", b) for a, b in script)
        (run,) = session.run([Probe("app.py::call", arguments, script)], seconds=60)
        return run

    return ask


@pytest.fixture
def by_call(ask):
    """The digest of the question of a client that is intercepted by its calls."""
    return ask("by_requests", script=[(LABELS, ANSWER)]).exchanges[0].digest


def needs(function):
    if "curl" in function and shutil.which("curl") is None:
        pytest.skip("curl is not installed")


@pytest.mark.parametrize("function", [*CALLED, *SENT, "by_curl"])
def test_script_answers_every_client(ask, by_call, function):
    needs(function)
    run = ask(function, script=[(LABELS, ANSWER)])
    assert run.ending == Returned("'Sky'")
    assert [exchange.digest for exchange in run.exchanges] == [by_call]
    assert run.outside == ()


def test_host_is_asked_once_whatever_the_client(ask, painter):
    clients = ["by_requests", "by_http_client", *(["by_curl"] if shutil.which("curl") else [])]
    assert {ask(client).ending for client in clients} == {Returned("'picture'")}
    assert [request.content for request in painter.asked] == [b"picture"]


def test_connection_is_kept_and_chunks_are_joined(ask):
    answers = [(LABELS, ANSWER), (LABELS, {"label_annotations": [{"description": "Sea"}]})]
    assert ask("by_chunks", script=answers).ending == Returned("('Sky', 'Sea')")


@pytest.mark.parametrize("function", ["by_urllib3", "by_curl"])
def test_missing_answer_is_no_run(ask, function):
    needs(function)
    run = ask(function, script=())
    assert isinstance(run.ending, NotRun)
    assert LABELS in run.ending.reason


REFUSALS = {
    "by_requests": "requests.exceptions.ConnectionError",
    "by_prepared_requests": "requests.exceptions.ConnectionError",
    "by_httpx": "httpx.ConnectError",
    "by_httpx_stream": "httpx.ConnectError",
    "by_async_httpx": "httpx.ConnectError",
    "by_urllib": "urllib.error.URLError",
    "by_opener": "urllib.error.URLError",
    "by_urllib3": "urllib3.exceptions.MaxRetryError",
    "by_http_client": "socket.gaierror",
    "by_aiohttp": "aiohttp.client_exceptions.ClientConnectorDNSError",
    "by_trusting_aiohttp": "aiohttp.client_exceptions.ClientConnectorDNSError",
}


@pytest.mark.parametrize(("function", "exception"), REFUSALS.items())
def test_other_addresses_are_refused_and_named(ask, function, exception):
    run = ask(function, script=(), argument=ELSEWHERE)
    assert isinstance(run.ending, Raised)
    assert run.ending.exception == exception
    assert "no described ML API" in run.ending.message
    assert needs_environment(run.ending)
    assert not is_crash(run.ending)
    assert run.outside in [(name,) for name in NAMES]


def test_other_addresses_are_refused_to_programs(ask):
    needs("by_curl")
    run = ask("by_curl_elsewhere", script=())
    assert "403" in run.ending.value
    assert run.outside == ("api.example.com:443",)


def test_unknown_path_of_known_host_is_named(ask):
    run = ask("unknown_path", script=())
    assert not is_crash(run.ending)
    assert run.outside == ("https://vision.googleapis.com/v1/models",)


def test_retries_do_not_wait(ask):
    run = ask("patiently", script=())
    assert run.ending.exception == "requests.exceptions.ConnectionError"
    assert run.outside == NAMES[:1]


def test_every_address_fails_at_once(ask):
    run = ask("looks_around", script=())
    kinds = ["OSError", "gaierror", "ConnectionRefusedError", 101]
    assert run.ending == Returned(f"({kinds}, True)")
    assert run.outside == (
        "192.0.2.1:443", "metadata.google.internal:80", "127.0.0.1:1", "192.0.2.2:443",
    )  # fmt: skip


def test_certificate_is_verified_with_our_authority(ask):
    assert "authority" in ask("distrusting", script=()).ending.value


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        ("garbage", "Bad"),
        ("long line", ""),
        ("long body", "413"),
        ("long chunk", "413"),
        ("odd chunk", "400"),
        ("odd length", "400"),
        ("no JSON", "400"),
        ("odd body", ""),
        ("odd tunnel", "200"),
    ],
)
def test_broken_http_is_harmless(ask, kind, answer):
    run = ask("rudely", script=[(LABELS, ANSWER)], argument=kind)
    assert isinstance(run.ending, Returned), run.ending
    assert "'Sky'" in run.ending.value
    assert answer in run.ending.value


TRANSCRIPT = {"results": [{"alternatives": [{"transcript": "hello", "confidence": 0.9}]}]}
POSITIVE = {"sentiment": "positive", "confidence_scores": {"positive": 0.75}}
CHAT = {"choices": [{"message": {"role": "assistant", "content": "hi"}}]}


@pytest.mark.parametrize(
    ("function", "api", "answer", "value"),
    [
        ("aws", "aws.rekognition.detect_labels", {"Labels": [{"Name": "Dog"}]}, "'Dog'"),
        ("azure", "azure.language.analyze_sentiment", POSITIVE, "[('1', 0.75), ('2', 0.75)]"),
        (
            "azure_picture",
            "azure.vision.analyze",
            {"tags": {"list": [{"name": "dog", "confidence": 0.9}]}},
            "'dog'",
        ),
        ("openai", "openai.chat_completions", CHAT, "'hi'"),
        (
            "hugging_face",
            "huggingface.text_classification",
            {"elements": [{"label": "POSITIVE", "score": 0.9}]},
            "'POSITIVE'",
        ),
        ("speech", "google.speech.recognize", TRANSCRIPT, "'hello'"),
    ],
)
def test_providers_are_answered_in_their_own_json(ask, function, api, answer, value):
    run = ask(function, script=[(api, answer)])
    assert run.ending == Returned(value)
    assert {exchange.api for exchange in run.exchanges} == {api}
    assert run.outside == ()


def test_stream_of_openai_is_events(ask):
    run = ask("openai_stream", script=[("openai.chat_completions", CHAT)])
    assert run.ending == Returned("('data: [DONE]', 'text/event-stream')")


def test_upload_is_the_content(ask, painter):
    run = ask("openai_upload", script=[("openai.transcriptions", {"text": "hello"})])
    assert run.ending == Returned("'hello'")


MODERATION = {"results": [{"flagged": True}]}
SENTIMENT = {"Sentiment": "POSITIVE"}
TAGS = {"tags": {"list": [{"name": "dog", "confidence": 0.5}]}}
SCORE = {"document_sentiment": {"score": 0.5, "magnitude": 1.0}}


@pytest.mark.parametrize(
    ("provider", "api", "answer"),
    [
        ("azure", "azure.vision.analyze", TAGS),
        ("aws", "aws.comprehend.detect_sentiment", SENTIMENT),
        ("openai", "openai.moderations", MODERATION),
        ("google", "google.language.analyze_sentiment", SCORE),
    ],
)
def test_calls_and_bytes_ask_the_same_question(ask, provider, api, answer):
    called, sent = (ask(f"{provider}_{how}", script=[(api, answer)]) for how in ("called", "sent"))
    assert isinstance(called.ending, Returned)
    assert called.ending == sent.ending
    assert [e.digest for e in called.exchanges] == [e.digest for e in sent.exchanges] != []


def test_search_goes_through_the_proxy(place, root):
    found = target(function="alarm")
    wanted = replace(
        found, goals=tuple(g for g in goals(PROJECT.read_text()) if g.function == "alarm")
    )
    with Session(place, root, wanted, Broker(Engines(()), Recordings(None), None)) as session:
        searched = session.search(wanted.goals, 0, 3.0)
        (alarm,) = [w for w in searched.witnesses if w.goal == "app.py::alarm#0:true"]
        (run,) = session.run([alarm.probe])
    assert alarm.confirmed
    assert run.ending == Returned("'alarm'")


@pytest.fixture(scope="module")
def closed():
    """A session without namespaces; its Python may lack what is installed here."""
    try:
        isolation = find_isolation(choice="landlock")
    except IsolationUnavailable as reason:
        pytest.skip("; ".join(reason.problems))
    ours = reachable_by_others(Path(sys.executable).resolve())
    python = Path(sys.executable if ours else SYSTEM_PYTHON)
    if not python.exists():
        pytest.skip("no Python that every user can run")
    broker = Broker(Engines(()), Recordings(None), None)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        tree = Path(folder, "tree")
        tree.mkdir()
        shutil.copy(PROJECT, tree / "app.py")
        place = GuestRuntime(isolation, python, Limits())
        with Session(place, tree, target(function="call"), broker) as session:
            yield session


def test_without_namespaces_calls_alone_are_answered(closed):
    def run(function, argument=None):
        arguments = {
            "name": LiteralArgument(repr(function)),
            "argument": LiteralArgument(repr(argument)),
        }
        script = (Exchange(LABELS, "", ANSWER),)
        return closed.run([Probe("app.py::call", arguments, script)], seconds=60)[0]

    assert run("by_urllib").ending == Returned("'Sky'")
    sent = run("by_http_client").ending
    assert isinstance(sent, NotRun)
    assert "network namespace" in sent.reason
    elsewhere = run("by_urllib", ELSEWHERE)
    assert elsewhere.ending.exception == "urllib.error.URLError"
    assert elsewhere.outside == NAMES[:1]
