import pytest

from analyzers.vocabulary import Wanted
from tests.worker.engines.standin import Reply
from worker.errors import UsageError
from worker.settings.server import SourceSettings
from worker.sources import Sources

LABELS = "google.vision.label_detection"


def sources(offline=True, kept=None, **settings):
    return Sources.from_settings(settings, offline=offline, kept=kept)


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
    supply = sources().find(Wanted(api, reading), 2, 0)
    assert [item.origin.source for item in supply.inputs] == [source] * 2


def test_keywords_need_a_configured_source():
    supply = sources().find(Wanted(LABELS, "cat"), 2, 0)
    assert supply.inputs == ()
    assert "[sources.images]" in supply.shortfall


def test_other_tasks_fall_short():
    supply = sources().find(Wanted("google.language.classify_text", "/Arts"), 2, 0)
    assert "no source of inputs" in supply.shortfall


def test_openverse_is_offline_when_told(stand_in, tmp_path):
    server = stand_in(Reply({"results": []}))
    images = SourceSettings(kind="openverse", endpoint=server.url)
    assert (
        "--offline"
        in sources(True, tmp_path, images=images).find(Wanted(LABELS, "cat"), 2, 0).shortfall
    )
    assert server.asked == []
    online = sources(False, tmp_path, images=images)
    assert "0 pictures of 'cat'" in online.find(Wanted(LABELS, "cat"), 2, 0).shortfall
    assert len(server.asked) == 1


def test_folder_must_exist(tmp_path):
    with pytest.raises(UsageError, match="existing folder"):
        sources(images=SourceSettings(kind="folder", folder=tmp_path / "none"))


def test_unknown_kind_is_wrong_usage():
    with pytest.raises(UsageError, match="'magic'"):
        sources(images=SourceSettings(kind="magic"))


def test_coming_kind_falls_short():
    supply = sources(images=SourceSettings(kind="brave")).find(Wanted(LABELS, "cat"), 2, 0)
    assert "'brave'" in supply.shortfall


def test_failed_service_is_an_outage(stand_in, tmp_path):
    server = stand_in(Reply({}, 400))
    setting = SourceSettings(kind="openverse", endpoint=server.url)
    failing = sources(offline=False, kept=tmp_path, images=setting)
    assert failing.outages == ()
    failing.find(Wanted(LABELS, "an unheard of thing"), 2, 0)
    assert failing.outages == ("Openverse rejected the question: HTTP 400",)


def test_task_of_a_wish_comes_before_that_of_its_api():
    wanted = Wanted("azure.vision.analyze", "EXIT", task="text")
    (item,) = sources().find(wanted, 1, 0).inputs
    assert item.origin.source == "drawn"
    assert item.reading == "EXIT"
