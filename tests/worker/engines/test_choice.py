import pytest

from tests.worker.engines.standin import Reply
from worker.engines import ApiRequest, Engines, NoAnswer, NotAsked, Recordings
from worker.errors import UsageError
from worker.settings.server import EngineSettings

LABELS = "google.vision.label_detection"
TEXT = "google.vision.text_detection"
SENTIMENT = "google.language.analyze_sentiment"


def engines(offline=False, **settings):
    named = {name.replace("_", "."): setting for name, setting in settings.items()}
    return Engines.from_settings(named, offline=offline)


def test_local_engines_by_default():
    assert engines().engine(TEXT).local
    assert engines().engine(SENTIMENT).local


def test_labels_need_a_provider():
    with pytest.raises(NoAnswer, match=r'no engine for image labels.*\[engines."google.vision"\]'):
        engines().engine(LABELS)


def test_provider_takes_every_vision_task():
    chosen = engines(google_vision=EngineSettings(endpoint="http://127.0.0.1:1"))
    assert not chosen.engine(TEXT).local
    assert chosen.engine(TEXT) is chosen.engine(LABELS)
    assert chosen.engine(SENTIMENT).local


def test_offline_never_asks_the_provider(stand_in):
    server = stand_in(Reply({}))
    setting = EngineSettings(endpoint=server.url)
    online, offline = engines(google_vision=setting), engines(True, google_vision=setting)
    with pytest.raises(NoAnswer, match="--offline"):
        offline.engine(LABELS).ask(LABELS, ApiRequest(b"x"))
    assert server.asked == []
    assert offline.engine(LABELS).identity == online.engine(LABELS).identity


def test_unapproved_code_gets_local_engines_first(stand_in):
    server = stand_in(Reply({}))
    settings = {"google.vision": EngineSettings(endpoint=server.url)}
    chosen = Engines.from_settings(settings, offline=False, approved=False)
    assert chosen.engine(TEXT).local
    assert not chosen.engine(LABELS).local
    with pytest.raises(NotAsked, match="fork: not asked of paid engines until approved"):
        chosen.engine(LABELS).ask(LABELS, ApiRequest(b"x"))
    assert server.asked == []


def test_price_is_the_catalogues_or_the_operators():
    request = ApiRequest(b"x")
    chosen = engines(google_vision=EngineSettings())
    assert chosen.cost(LABELS, request) == 1500
    chosen = engines(google_vision=EngineSettings(price=0.002))
    assert chosen.cost(LABELS, request) == 2000
    assert engines(google_vision=EngineSettings(kind="local")).cost(TEXT, request) == 0
    assert engines(google_vision=EngineSettings(kind="replay")).cost(LABELS, request) == 0


def test_local_kind_refuses_what_it_cannot():
    chosen = engines(google_vision=EngineSettings(kind="local"))
    assert chosen.engine(TEXT).local
    with pytest.raises(NoAnswer, match="nothing on this machine"):
        chosen.engine(LABELS).ask(LABELS, ApiRequest(b"x"))


def test_replay_answers_from_its_folder(tmp_path):
    request = ApiRequest(b"x")
    Recordings(tmp_path).keep("whoever", LABELS, request.digest(LABELS), {"n": 1})
    setting = EngineSettings(kind="replay", endpoint=str(tmp_path))
    engine = engines(google_vision=setting).engine(LABELS)
    assert engine.ask(LABELS, request) == {"n": 1}
    with pytest.raises(NoAnswer, match="was recorded"):
        engine.ask(LABELS, ApiRequest(b"y"))


def test_other_providers_are_refused_clearly():
    name = "aws.rekognition.detect_labels"
    engine = engines(aws_rekognition=EngineSettings()).engine(name)
    with pytest.raises(NoAnswer, match="cannot ask this provider"):
        engine.ask(name, ApiRequest(b"x"))


@pytest.mark.parametrize(
    "endpoint", ["vision", "ftp://x", "http://", "http://h:x", "http://h?a=1", "http://me:pw@h"]
)
def test_bad_endpoint_is_wrong_usage(endpoint):
    with pytest.raises(UsageError, match="endpoint: is not"):
        engines(google_vision=EngineSettings(endpoint=endpoint))


def test_credentials_are_read_when_asked(stand_in, monkeypatch):
    server = stand_in(Reply({"responses": [{}]}))
    setting = EngineSettings(endpoint=server.url, credentials="env:LATE_KEY")
    engine = engines(google_vision=setting).engine(LABELS)
    monkeypatch.setenv("LATE_KEY", "late")
    engine.ask(LABELS, ApiRequest(b"x"))
    assert server.asked[0].query == {"key": ["late"]}
