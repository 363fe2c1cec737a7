"""One warm guest: the real one in the real sandbox, and ones that misbehave."""

import shutil
import sys
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

import worker.executor.session
from analyzers.guest.protocol.argument_decoding import BLANK
from analyzers.vocabulary import (
    AnswerSource,
    AskedInput,
    Died,
    Exchange,
    Form,
    Input,
    InputArgument,
    InputKind,
    LiteralArgument,
    NotRun,
    Origin,
    Probe,
    Raised,
    Returned,
    TimedOut,
)
from tests.analyzers.cloud.bench import goals
from tests.worker.sessions import LABELS, PLACE, target
from worker.broker.api_broker import Broker
from worker.engines.engine import ApiRequest, NoAnswer
from worker.engines.engine_selection import Engines
from worker.engines.recordings import Recordings
from worker.executor.execution_context import GuestRuntime
from worker.executor.guest_conversation import GuestFailure, TargetNotLoaded
from worker.executor.probe_codec import plain_input
from worker.executor.session import MOST_DEATHS, Session
from worker.sandbox.guest_limits import Limits
from worker.sandbox.isolation import find_isolation
from worker.sandbox.protocol.channel import ChannelClosed, ChannelTimeout
from worker.sandbox.protocol.frame_shapes import BadFrame

APP = """\
import os
import time

from google.cloud import language_v1, vision


def check(what):
    if what == "die":
        os.kill(os.getpid(), 11)
    if what == "sleep":
        while True: time.sleep(60)
    if what == "raise":
        raise KeyError(what)
    return what


def look(path):
    client = vision.ImageAnnotatorClient()
    with open(path, "rb") as file:
        image = vision.Image(content=file.read())
    names = [label.description for label in client.label_detection(image=image).label_annotations]
    if "Fire" in names:
        return "alarm"
    return names


def feel(text):
    document = language_v1.Document(content=text, type_=language_v1.Document.Type.PLAIN_TEXT)
    client = language_v1.LanguageServiceClient()
    return client.analyze_sentiment(document=document).document_sentiment.score
"""


class LabelEngine:
    """Says one label, or that it has none to say."""

    identity = "parrot"
    local = False

    def __init__(self, *names):
        self.names = names

    def answers(self, api):
        return api == LABELS

    def ask(self, api, request):
        if not self.names:
            raise NoAnswer("the parrot sleeps")
        return {"label_annotations": [{"description": name} for name in self.names]}


@pytest.fixture(scope="module")
def place():
    if shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    return GuestRuntime(find_isolation(), Path(sys.executable), Limits())


@pytest.fixture
def opened(place, tmp_path):
    root = tmp_path / "tree"
    root.mkdir()
    (root / "app.py").write_text(APP)
    (root / "broken.py").write_text("import nothing.of\n\ndef check(:\n")

    def opened(found, *engines):
        return Session(place, root, found, Broker(Engines(engines), Recordings(None), None))

    return opened


def given(what):
    return Probe("app.py::check", {"what": LiteralArgument(repr(what))}, ())


def test_runs_come_one_for_each_probe(opened):
    with opened(target()) as session:
        ran = session.run([given("a"), given("raise"), given("b")])
        assert session.run([]) == []
    assert [type(run.ending) for run in ran] == [Returned, Raised, Returned]
    assert "app.py::check#3:true" in ran[1].hits
    assert "app.py::check#3:true" not in ran[0].hits
    assert (ran[1].ending.exception, ran[1].ending.line) == ("KeyError", 13)


def test_death_costs_one_probe(opened):
    with opened(target()) as session:
        ran = session.run([given("a"), given("die"), given("b"), given("raise")])
    assert [run.ending for run in ran[:3]] == [Returned("'a'"), Died(11), Returned("'b'")]
    assert isinstance(ran[3].ending, Raised)


def test_many_deaths_end_the_batch(opened):
    with opened(target()) as session:
        ran = session.run([given("die")] * (MOST_DEATHS + 2))
        assert session.run([given("a")])[0].ending == Returned("'a'")
    assert [type(run.ending) for run in ran] == [Died] * MOST_DEATHS + [NotRun] * 2


def test_slow_probe_times_out_alone(opened):
    with opened(target()) as session:
        ran = session.run([given("sleep"), given("a")], seconds=0.5)
    assert [run.ending for run in ran] == [TimedOut(0.5), Returned("'a'")]


def test_questions_go_to_the_engine(opened):
    probe = Probe("app.py::look", {"path": InputArgument(Form.PATH, plain_input(Form.PATH))})
    with opened(target(function="look"), LabelEngine("Fire")) as session:
        (run,) = session.run([probe])
    assert run.ending == Returned("'alarm'")
    assert [exchange.api for exchange in run.exchanges] == [LABELS]
    assert len(run.exchanges[0].digest) == 64
    assert run.asked == (picture_asked(),)
    assert run.exchanges[0].source is AnswerSource.PROVIDER


def picture_asked():
    picture = plain_input(Form.PATH)
    return AskedInput(LABELS, InputKind.IMAGE, picture.digest, len(picture.content))


def test_question_without_an_answer_is_not_run(opened):
    probe = Probe("app.py::look", {"path": InputArgument(Form.PATH, plain_input(Form.PATH))})
    with opened(target(function="look"), LabelEngine()) as session:
        (run,) = session.run([probe])
    assert isinstance(run.ending, NotRun)
    assert "the parrot sleeps" in run.ending.reason


def test_recorded_answers_need_no_engine(opened):
    answer = {"label_annotations": [{"description": "Sky"}]}
    probe = Probe(
        "app.py::look", {"path": InputArgument(Form.PATH)}, (Exchange(LABELS, "digest", answer),)
    )
    with opened(target(function="look")) as session:
        (run,) = session.run([probe])
    assert run.ending == Returned("['Sky']")
    assert run.exchanges[0].source is AnswerSource.SIMULATED
    assert [(a.api, a.kind, a.size) for a in run.asked] == [(LABELS, InputKind.IMAGE, len(BLANK))]


def test_text_asked_about_in_a_replay_comes_in_part(opened):
    text = Input(InputKind.TEXT, "né ".encode() * 2000, "a text", None, ".txt", Origin("drawn"))
    probe = Probe("app.py::feel", {"text": InputArgument(Form.TEXT, text)}, (neutral(),))
    with opened(target(function="feel")) as session:
        (run,) = session.run([probe])
    (asked,) = run.asked
    assert (asked.digest, asked.size) == (text.digest, len(text.content))
    assert asked.text == text.content.decode()[:4000]


def neutral():
    answer = {"document_sentiment": {"score": 0.0, "magnitude": 0.1}}
    return Exchange("google.language.analyze_sentiment", "", answer)


@pytest.mark.slow
def test_search_finds_answers_for_goals(opened):
    found = replace(target(function="look"), goals=tuple(goals(APP)))
    with opened(found) as session:
        searched = session.search(found.goals, 0, 1.0)
        (alarm,) = [w for w in searched.witnesses if w.goal == "app.py::look#0:true"]
        (run,) = session.run([alarm.probe])
    assert alarm.confirmed
    assert run.ending == Returned("'alarm'")
    assert searched.template is not None
    assert searched.executions > 0


def test_unloadable_target_says_why(opened):
    with pytest.raises(TargetNotLoaded, match="SyntaxError"):
        opened(target("broken.py"))


# ------------------------------------------------- guests that misbehave

PREPARED = {"type": "prepared", "points": [], "standins": [], "notes": []}


class FakeGuest:
    """A guest that says what it was told to say, an exception where it fails."""

    root = Path("/project")

    def __init__(self, *says, stopped=None, deaf=False):
        self._says = list(says)
        self._deaf = deaf
        self.stopped = stopped
        self.heard = []
        self.closed = False
        self.channel = self

    def send(self, message, timeout=60.0):
        self.heard.append(message)
        if self._deaf and message["type"] == "run":
            raise ChannelTimeout("took no frame in 60 s")

    def receive(self, timeout):
        said = self._says.pop(0)
        if isinstance(said, Exception):
            raise said
        return said

    def stderr_tail(self):
        return "its last words\n"

    def why_stopped(self):
        return self.stopped

    def close(self):
        self.closed = True


@pytest.fixture
def session(monkeypatch, tmp_path):
    def session(*says, **more):
        guest = FakeGuest(*says, **more)
        monkeypatch.setattr(GuestRuntime, "guest", lambda _place, *_plan: guest)
        broker = Broker(Engines([LabelEngine("Fire")]), Recordings(None), None)
        return guest, lambda: Session(PLACE, tmp_path, target(), broker)

    return session


def ran(index):
    ending = {"kind": "returned", "value": str(index)}
    result = {"index": index, "ending": ending, "hits": [], "exchanges": [], "seconds": 0.0}
    return {"type": "ran", "results": [result]}


DONE = {"type": "done", "ended": None}


@pytest.mark.parametrize("error", [BadFrame("is no JSON"), ChannelClosed("gone")])
def test_broken_protocol_ends_the_session(session, error):
    _, opened = session(PREPARED, error)
    with pytest.raises(GuestFailure, match="its last words") as failure:
        opened().run([given("a")])
    assert str(error) in str(failure.value)


def test_guest_that_we_stopped_says_why(session):
    _, opened = session(PREPARED, ChannelClosed("gone"), stopped="it used more than 4 GiB")
    with pytest.raises(GuestFailure, match="it used more than 4 GiB"):
        opened().run([given("a")])


def test_guest_that_does_not_listen_fails(session):
    _, opened = session(PREPARED, deaf=True)
    with pytest.raises(GuestFailure, match="took no frame"):
        opened().run([given("a")])


def test_guest_that_fails_at_the_start_is_closed(session):
    guest, opened = session(BadFrame("is no object"))
    with pytest.raises(GuestFailure):
        opened()
    assert guest.closed


def test_left_out_results_are_a_failure(session):
    _, opened = session(PREPARED, ran(1), DONE)
    with pytest.raises(GuestFailure, match="left out results"):
        opened().run([given("a"), given("b")])


def test_runs_are_put_in_order(session):
    _, opened = session(PREPARED, ran(1), ran(0), DONE)
    assert [r.ending.value for r in opened().run([given("a"), given("b")])] == ["0", "1"]


def test_many_probes_go_in_several_frames(session, monkeypatch):
    monkeypatch.setattr(worker.executor.session, "PROBES_A_FRAME", 2)
    guest, opened = session(PREPARED, ran(0), ran(1), DONE, ran(0), DONE)
    assert len(opened().run([given("a")] * 3)) == 3
    assert [len(m["probes"]) for m in guest.heard if m["type"] == "run"] == [2, 1]


FIRE = {"label_annotations": [{"description": "Fire"}]}
ASK = {"type": "ask", "api": LABELS, "request": {"content": b"png", "parameters": {}}}
DIGEST = ApiRequest(b"png").digest(LABELS)
NEVER_GIVEN = {
    "another answer": (DIGEST, LABELS, {"label_annotations": [{"description": "Smoke"}]}),
    "another API": (DIGEST, "google.vision.text_detection", FIRE),
}


def claiming(digest, api, answer, index=0):
    said = ran(index)
    said["results"][0]["exchanges"] = [{"api": api, "digest": digest, "answer": answer}]
    return said


@pytest.mark.parametrize("claim", NEVER_GIVEN.values(), ids=NEVER_GIVEN)
def test_answer_that_was_never_given_is_a_failure(session, claim):
    _, opened = session(PREPARED, ASK, claiming(*claim), DONE)
    with pytest.raises(GuestFailure, match="never given"):
        opened().run([replace(given("a"), script=None)])


def test_answer_of_an_earlier_batch_is_none_of_this(session):
    says = (ASK, claiming(DIGEST, LABELS, FIRE), DONE, claiming(DIGEST, LABELS, FIRE), DONE)
    _, opened = session(PREPARED, *says)
    asking = replace(given("a"), script=None)
    opened = opened()
    assert opened.run([asking])[0].exchanges == (Exchange(LABELS, DIGEST, FIRE),)
    with pytest.raises(GuestFailure, match="never given"):
        opened.run([asking])


def test_scripted_answer_keeps_its_source(session):
    script = (Exchange(LABELS, DIGEST, FIRE, AnswerSource.LOCAL),)
    _, opened = session(PREPARED, claiming(DIGEST, LABELS, FIRE), DONE)
    (run,) = opened().run([replace(given("a"), script=script)])
    assert run.exchanges[0].source is AnswerSource.LOCAL


def test_digest_of_an_exchange_is_the_hosts(session):
    _, opened = session(PREPARED, ASK, claiming("f" * 64, LABELS, FIRE), DONE)
    (run,) = opened().run([replace(given("a"), script=None)])
    assert run.exchanges == (Exchange(LABELS, DIGEST, FIRE),)


def test_what_was_asked_about_is_what_the_broker_saw(session):
    claim = claiming(DIGEST, LABELS, FIRE)
    told = {"api": LABELS, "part": "content", "digest": "f" * 64, "size": 9}
    claim["results"][0]["asked"] = [told]
    _, opened = session(PREPARED, ASK, claim, DONE)
    (run,) = opened().run([replace(given("a"), script=None)])
    assert run.asked == (AskedInput(LABELS, InputKind.IMAGE, sha256(b"png").hexdigest(), 3),)


def test_questions_are_answered_or_refused(session):
    asks = [
        {"type": "ask", "api": api, "request": {"content": b"png", "parameters": {}}}
        for api in (LABELS, "nobody.knows.this")
    ]
    guest, opened = session(PREPARED, *asks, ran(0), DONE)
    opened().run([given("a")])
    answer, refusal = guest.heard[2:]
    assert answer["answer"]["label_annotations"] == [{"description": "Fire"}]
    assert refusal["type"] == "refused"
    assert "nobody.knows.this" in refusal["reason"]
