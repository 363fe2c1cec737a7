"""Asked again for more, a source begins with what it gave before: runs go on where they ended."""

import pytest
from PIL import Image

from analyzers.vocabulary import EdgeCase, InputRequest
from tests.worker.sources.test_brave import brave  # noqa: F401 - a fixture
from tests.worker.sources.test_brave import pictures as brave_pictures
from tests.worker.sources.test_commons import commons  # noqa: F401 - a fixture
from tests.worker.sources.test_commons import pictures as commons_pictures
from tests.worker.sources.test_openverse import library, openverse  # noqa: F401 - a fixture
from tests.worker.sources.test_wikipedia import articles, wikipedia  # noqa: F401 - a fixture
from worker.settings.operator_settings import SourceSettings
from worker.sources import spoken_recordings
from worker.sources.source_selection import Sources, configured_sources

FACES, LABELS = "google.vision.face_detection", "google.vision.label_detection"
WORDS, SPEECH = "google.vision.text_detection", "google.speech.recognize"
FEELING, ENTITIES = "google.language.analyze_sentiment", "google.language.analyze_entities"
WISHES = [
    InputRequest(WORDS, "STOP"),
    InputRequest(WORDS, "two\nlines"),
    InputRequest(FACES, "human face"),
    InputRequest(FEELING, "positive"),
    InputRequest(FEELING, "neutral"),
    InputRequest(ENTITIES, "PERSON"),
    InputRequest(ENTITIES, "Kyoto"),
    InputRequest(SPEECH, "stop"),
    *(InputRequest(FACES, None, corner=corner) for corner in (EdgeCase.NOTHING, EdgeCase.SEVERAL)),
    *(InputRequest(FEELING, None, corner=each) for each in EdgeCase if each is not EdgeCase.HUGE),
    InputRequest(LABELS, None, corner=EdgeCase.SEVERAL),
    InputRequest(FEELING, None, corner=EdgeCase.HUGE),
    InputRequest(SPEECH, None),
]  # fmt: skip


def grows(find, few=3, many=7):
    """Whether more begins with fewer, and no input comes twice."""
    short = [item.digest for item in find(few).inputs]
    long = [item.digest for item in find(many).inputs]
    assert len(short) <= few
    assert len(set(long)) == len(long) <= many
    return len(short) > 0 and long[: len(short)] == short


@pytest.mark.slow
@pytest.mark.parametrize("wanted", WISHES, ids=lambda w: f"{w.api}-{w.reading or w.corner}")
def test_what_is_made_here_grows(wanted):
    if wanted.api == SPEECH and wanted.reading and not spoken_recordings.english():
        pytest.skip("no program speaks here")
    find = Sources().find
    assert grows(lambda count: find(wanted, count, 5))


@pytest.mark.parametrize("reading", ["cat", None])
def test_folder_grows(tmp_path, reading):
    (tmp_path / "cat").mkdir()
    for number in range(9):
        Image.new("RGB", (99, 99), (number, 0, 0)).save(tmp_path / "cat" / f"{number}.png")
    (tmp_path / "cat" / "again.png").write_bytes((tmp_path / "cat" / "1.png").read_bytes())
    sources = configured_sources(
        {"images": SourceSettings(kind="folder", folder=tmp_path)}, offline=True
    )
    wanted = InputRequest(LABELS, reading, ("dog",))
    assert grows(lambda count: sources.find(wanted, count, 3), many=9)


@pytest.mark.parametrize(
    ("service", "made"),
    [("library", openverse), ("commons", commons_pictures), ("brave", brave_pictures)],
)
def test_search_grows(service, made, request, tmp_path):
    source = made(request.getfixturevalue(service), tmp_path)
    assert grows(lambda count: source.find(InputRequest(LABELS, "cat"), count, 0), 2, 7)


def test_articles_grow(wikipedia, tmp_path):  # noqa: F811
    source = articles(wikipedia, tmp_path)
    wanted = InputRequest("google.language.classify_text", "Movies")
    assert grows(lambda count: source.find(wanted, count, 0), 5, 30)


def test_words_upon_pictures_grow(tmp_path):
    (tmp_path / "dog").mkdir()
    for number in range(9):
        Image.new("RGB", (600, 500), (number, 90, 0)).save(tmp_path / "dog" / f"{number}.png")
    sources = configured_sources(
        {"images": SourceSettings(kind="folder", folder=tmp_path)}, offline=True
    )
    wanted = InputRequest(WORDS, "BEWARE", upon="dog")
    assert grows(lambda count: sources.find(wanted, count, 0), 4, 8)
