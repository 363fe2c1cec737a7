import pytest

from analyzers.vocabulary import InputRequest
from tests.worker.engines.providers.standin import Reply
from worker.errors import UsageError
from worker.settings.operator_settings import SourceSettings
from worker.sources.source_selection import configured_sources

LABELS = "google.vision.label_detection"


def sources(offline=True, kept=None, **settings):
    return configured_sources(settings, offline=offline, kept=kept)


@pytest.mark.parametrize(
    ("api", "reading", "source"),
    [
        ("google.vision.text_detection", "STOP", "drawn"),
        ("google.vision.document_text_detection", "STOP", "drawn"),
        ("google.language.analyze_sentiment", "positive", "rated tweets"),
        (LABELS, None, "drawn"),
    ],
)
def test_task_decides_the_source(api, reading, source):
    supply = sources().find(InputRequest(api, reading), 2, 0)
    assert [item.origin.source for item in supply.inputs] == [source] * 2


def test_keywords_need_a_configured_source():
    supply = sources().find(InputRequest(LABELS, "zeppelin"), 2, 0)
    assert supply.inputs == ()
    assert "[sources.images]" in supply.shortfall


def test_other_tasks_fall_short():
    supply = sources().find(InputRequest("openai.chat_completions", "hello"), 2, 0)
    assert "no source of inputs" in supply.shortfall


def test_openverse_is_offline_when_told(stand_in, tmp_path):
    server = stand_in(Reply({"results": []}))
    images = SourceSettings(kind="openverse", endpoint=server.url)
    assert (
        "--offline"
        in sources(True, tmp_path, images=images).find(InputRequest(LABELS, "cat"), 2, 0).shortfall
    )
    assert server.asked == []
    online = sources(False, tmp_path, images=images)
    assert "0 pictures of 'cat'" in online.find(InputRequest(LABELS, "cat"), 2, 0).shortfall
    assert len(server.asked) == 1


@pytest.mark.parametrize("name", ["images", "documents"])
def test_folder_must_exist(tmp_path, name):
    with pytest.raises(UsageError, match=f"sources.{name}.folder.*existing folder"):
        sources(**{name: SourceSettings(kind="folder", folder=tmp_path / "none")})


@pytest.mark.parametrize(("name", "kind"), [("images", "commons"), ("documents", "wikipedia")])
def test_wikimedia_is_told_who_asks(name, kind):
    with pytest.raises(UsageError, match=f"sources.{name}.contact.*whom to write to"):
        sources(**{name: SourceSettings(kind=kind)})
    sources(**{name: SourceSettings(kind=kind, contact="ann@example.org")})
    sources(**{name: SourceSettings(kind=kind, endpoint="http://127.0.0.1:1")})


def test_brave_wants_a_key():
    with pytest.raises(UsageError, match=r"sources\.images\.key"):
        sources(images=SourceSettings(kind="brave"))


def test_documents_need_a_configured_source():
    supply = sources().find(InputRequest("google.language.classify_text", "/Arts"), 2, 0)
    assert supply.inputs == ()
    assert "[sources.documents]" in supply.shortfall


@pytest.mark.parametrize(
    ("api", "name"),
    [
        ("google.language.moderate_text", "documents"),
        ("google.vision.safe_search_detection", "images"),
    ],
)
def test_what_should_be_kept_from_people_comes_from_a_folder_alone(api, name, tmp_path):
    found = sources(documents=SourceSettings(kind="wikipedia", contact="ann@example.org"))
    assert f"[sources.{name}]" in found.find(InputRequest(api, "Violent"), 2, 0).shortfall
    folder = sources(**{name: SourceSettings(kind="folder", folder=tmp_path)})
    assert "has 0" in folder.find(InputRequest(api, "Violent"), 2, 0).shortfall


def test_words_upon_pictures_need_a_source_of_them():
    supply = sources().find(
        InputRequest("google.vision.text_detection", "STOP", upon="zeppelin"), 2, 0
    )
    assert supply.inputs == ()
    assert "[sources.images]" in supply.shortfall


def test_unknown_kind_is_wrong_usage():
    with pytest.raises(UsageError, match="'magic'"):
        sources(images=SourceSettings(kind="magic"))


def test_failed_service_is_an_outage(stand_in, tmp_path):
    server = stand_in(Reply({}, 400))
    setting = SourceSettings(kind="openverse", endpoint=server.url)
    failing = sources(offline=False, kept=tmp_path, images=setting)
    assert failing.outages == ()
    failing.find(InputRequest(LABELS, "an unheard of thing"), 2, 0)
    assert failing.outages == ("Openverse rejected the question: HTTP 400",)


def test_task_of_a_wish_comes_before_that_of_its_api():
    wanted = InputRequest("azure.vision.analyze", "EXIT", task="text")
    (item,) = sources().find(wanted, 1, 0).inputs
    assert item.origin.source == "drawn"
    assert item.reading == "EXIT"
