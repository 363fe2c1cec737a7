import pytest

from tests.worker.engines.providers.standin import Reply
from worker.engines.engine import ApiRequest, NoAnswer, NotAsked
from worker.engines.engine_selection import Engines
from worker.engines.providers.provider_engines import PROVIDERS
from worker.engines.recordings import Recordings
from worker.errors import UsageError
from worker.settings.operator_settings import ENGINE_NAMES, EngineSettings

LANDMARKS = "google.vision.landmark_detection"
TEXT = "google.vision.text_detection"
SENTIMENT = "google.language.analyze_sentiment"


def engines(offline=False, **settings):
    named = {name.replace("_", "."): setting for name, setting in settings.items()}
    return Engines.from_settings(named, offline=offline)


def test_local_engines_by_default():
    assert engines().engine(TEXT).local
    assert engines().engine(SENTIMENT).local


def test_landmarks_need_a_provider():
    with pytest.raises(NoAnswer, match=r'no engine for landmark.*\[engines."google.vision"\]'):
        engines().engine(LANDMARKS)


def test_provider_takes_every_vision_task():
    chosen = engines(google_vision=EngineSettings(endpoint="http://127.0.0.1:1"))
    assert not chosen.engine(TEXT).local
    assert chosen.engine(TEXT) is chosen.engine(LANDMARKS)
    assert chosen.engine(SENTIMENT).local


def test_offline_never_asks_the_provider(stand_in):
    server = stand_in(Reply({}))
    setting = EngineSettings(endpoint=server.url)
    online, offline = engines(google_vision=setting), engines(True, google_vision=setting)
    with pytest.raises(NoAnswer, match="--offline"):
        offline.engine(LANDMARKS).ask(LANDMARKS, ApiRequest(b"x"))
    assert server.asked == []
    assert offline.engine(LANDMARKS).identity == online.engine(LANDMARKS).identity


def test_unapproved_code_gets_local_engines_first(stand_in):
    server = stand_in(Reply({}))
    settings = {"google.vision": EngineSettings(endpoint=server.url)}
    chosen = Engines.from_settings(settings, offline=False, approved=False)
    assert chosen.engine(TEXT).local
    assert not chosen.engine(LANDMARKS).local
    with pytest.raises(NotAsked, match="fork: not asked of paid engines until approved"):
        chosen.engine(LANDMARKS).ask(LANDMARKS, ApiRequest(b"x"))
    assert server.asked == []


def test_price_is_the_catalogues_or_the_operators():
    request = ApiRequest(b"x")
    chosen = engines(google_vision=EngineSettings())
    assert chosen.cost(LANDMARKS, request) == 1500
    chosen = engines(google_vision=EngineSettings(price=0.002))
    assert chosen.cost(LANDMARKS, request) == 2000
    assert engines(google_vision=EngineSettings(kind="local")).cost(TEXT, request) == 0
    assert engines(google_vision=EngineSettings(kind="replay")).cost(LANDMARKS, request) == 0


def test_local_kind_refuses_what_it_cannot():
    chosen = engines(google_vision=EngineSettings(kind="local"))
    assert chosen.engine(TEXT).local
    with pytest.raises(NoAnswer, match="nothing on this machine"):
        chosen.engine(LANDMARKS).ask(LANDMARKS, ApiRequest(b"x"))


def test_replay_answers_from_its_folder(tmp_path):
    request = ApiRequest(b"x")
    Recordings(tmp_path).keep("whoever", LANDMARKS, request.digest(LANDMARKS), {"n": 1})
    setting = EngineSettings(kind="replay", endpoint=str(tmp_path))
    engine = engines(google_vision=setting).engine(LANDMARKS)
    assert engine.ask(LANDMARKS, request) == {"n": 1}
    with pytest.raises(NoAnswer, match="was recorded"):
        engine.ask(LANDMARKS, ApiRequest(b"y"))


def test_provider_without_a_description_is_refused_clearly():
    engine = engines(nobody=EngineSettings()).engine("nobody.knows")
    with pytest.raises(NoAnswer, match="cannot ask this provider"):
        engine.ask("nobody.knows", ApiRequest(b"x"))


def test_every_engine_with_a_name_can_be_asked():
    assert set(PROVIDERS) == set(ENGINE_NAMES)


@pytest.mark.parametrize("name", ENGINE_NAMES)
def test_provider_is_known_by_its_address(name):
    setting = EngineSettings(endpoint="https://proxy.example/x")
    engine = Engines.from_settings({name: setting}, offline=False).engine(f"{name}.any")
    assert engine.identity.startswith(f"{name}@https://proxy.example/x")
    assert not engine.local


@pytest.mark.parametrize(
    ("name", "setting", "identity"),
    [
        (
            "aws.rekognition",
            {"region": "eu-central-1"},
            "aws.rekognition@https://rekognition.eu-central-1.amazonaws.com/",
        ),
        ("google.speech", {}, "google.speech@https://speech.googleapis.com/v1"),
        ("openai", {}, "openai@https://api.openai.com/v1"),
        ("huggingface", {}, "huggingface@https://router.huggingface.co/hf-inference"),
    ],
)
def test_provider_has_its_public_address(name, setting, identity):
    chosen = Engines.from_settings({name: EngineSettings(**setting)}, offline=False)
    assert chosen.engine(f"{name}.any").identity == identity


@pytest.mark.parametrize(
    ("name", "setting", "problem"),
    [
        ("aws.comprehend", {}, r'engines."aws.comprehend".region: is to name one'),
        ("aws.textract", {"region": "x.evil.example/"}, "region: is to name one"),
        ("azure.vision", {}, r'engines."azure.vision".endpoint: is to be that of your resource'),
        ("azure.language", {"endpoint": "my resource"}, "endpoint: is not an http"),
        ("azure.openai", {}, r'engines."azure.openai".endpoint: is to be that of your resource'),
        ("azure.speech", {}, r'engines."azure.speech".endpoint: is to be that of your resource'),
    ],
)
def test_missing_place_of_a_provider_is_wrong_usage(name, setting, problem):
    with pytest.raises(UsageError, match=problem):
        Engines.from_settings({name: EngineSettings(**setting)}, offline=False)


def test_azure_answers_for_openai_at_its_own_price():
    setting = EngineSettings(endpoint="https://x.openai.azure.com", price=0.01)
    chosen = Engines.from_settings({"azure.openai": setting}, offline=False)
    api = "openai.chat_completions"
    assert chosen.engine(api).identity == "azure.openai@https://x.openai.azure.com"
    assert chosen.cost(api, ApiRequest(text="?")) == 10_000


def test_speech_is_heard_here_by_default():
    assert engines().engine("google.speech.recognize").local


@pytest.mark.parametrize(
    "endpoint", ["vision", "ftp://x", "http://", "http://h:x", "http://h?a=1", "http://me:pw@h"]
)
def test_bad_endpoint_is_wrong_usage(endpoint):
    with pytest.raises(UsageError, match="endpoint: is not"):
        engines(google_vision=EngineSettings(endpoint=endpoint))


def test_credentials_are_read_when_asked(stand_in, monkeypatch):
    server = stand_in(Reply({"responses": [{}]}))
    setting = EngineSettings(endpoint=server.url, credentials="env:LATE_KEY")
    engine = engines(google_vision=setting).engine(LANDMARKS)
    monkeypatch.setenv("LATE_KEY", "late")
    engine.ask(LANDMARKS, ApiRequest(b"x"))
    assert server.asked[0].query == {"key": ["late"]}
