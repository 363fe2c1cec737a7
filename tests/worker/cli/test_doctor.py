"""What works here, and what to do about what does not."""

import tempfile

import pytest

import worker.check.leftovers
import worker.cli.diagnosis
from tests.worker.engines.providers.standin import Reply, StandIn
from tests.worker.redis_server import free_port
from worker.cli.diagnosis import can_be_tested, examine
from worker.cli.machine_checks import MachineCheck
from worker.engines.local import image_network
from worker.settings.operator_settings import read_settings
from worker.system.temporary_files import folder_of_all


def _isolated(*_settings):
    yield MachineCheck("isolation", ok=True, detail="tried elsewhere")


@pytest.fixture
def checks(monkeypatch, tmp_path):
    """What the doctor finds but for the isolation, which has tests of its own."""
    return _examining(monkeypatch, tmp_path)


@pytest.fixture(scope="module")
def usual(tmp_path_factory):
    """What the doctor finds where nothing is set."""
    with pytest.MonkeyPatch.context() as patch:
        yield _examining(patch, tmp_path_factory.mktemp("usual"))()


def _examining(monkeypatch, folder):
    monkeypatch.setattr(worker.cli.diagnosis, "examine_isolation", _isolated)
    monkeypatch.setenv("ASSAYER_STORE__URL", f"sqlite:///{folder}/store.db")
    monkeypatch.setenv("ASSAYER_STORE__BLOBS", str(folder / "blobs"))
    monkeypatch.setenv("ASSAYER_ENVIRONMENTS__INSTALL", "never")

    def checks(**variables) -> dict[str, MachineCheck]:
        for name, value in variables.items():
            monkeypatch.setenv(f"ASSAYER_{name}", value)
        return {check.name: check for check in examine(read_settings(None))}

    return checks


def test_every_part_is_looked_at(usual):
    assert [*usual] == [
        "clean-up",
        "isolation",
        "packages",
        "engine google.vision.text_detection",
        "engine google.language.analyze_sentiment",
        "engine google.vision.label_detection",
        "engine google.speech.recognize",
        "engine aws.rekognition",
        "engine aws.comprehend",
        "engine aws.textract",
        "engine azure.vision",
        "engine azure.language",
        "engine openai",
        "source images",
        "source documents",
        "fonts",
        "voices",
        "related labels",
        "relation tables",
        "queue",
        "database",
        "blobs",
        "GitHub App",
        "webhook secret",
        "public address",
        "processes",
        "GPU",
    ]


def test_local_engines_are_asked(usual):
    assert usual["engine google.vision.text_detection"].ok
    assert "rapidocr" in usual["engine google.vision.text_detection"].detail
    assert usual["engine google.language.analyze_sentiment"].ok
    assert "pocketsphinx" in usual["engine google.speech.recognize"].detail


@pytest.mark.slow
def test_other_provider_is_asked_where_it_is_set(checks):
    unset = checks()["engine azure.language"]
    assert unset.ok
    assert unset.detail.startswith('not set: [engines."azure.language"]')
    endpoint = f"http://127.0.0.1:{free_port()}"
    asked = checks(ENGINES__AZURE_LANGUAGE__ENDPOINT=endpoint)
    assert "engine azure.language" not in asked
    assert "no answer" in asked["engine azure.language.analyze_sentiment"].detail


def test_missing_engine_names_its_setting(checks, monkeypatch):
    monkeypatch.setattr(image_network, "PACKAGE", "no-such-weights")
    missing = checks()["engine google.vision.label_detection"]
    assert not missing.ok
    assert "assayer[vision]" in missing.detail
    assert 'engines."google.vision"' in missing.detail
    assert missing.remedy


def test_unusable_endpoint_is_told(checks):
    found = checks(
        ENGINES__GOOGLE_VISION__KIND="provider", ENGINES__GOOGLE_VISION__ENDPOINT="nonsense"
    )["engines"]
    assert not found.ok
    assert "google.vision" in found.detail


def test_missing_fonts_name_their_packages(checks, monkeypatch):
    monkeypatch.setattr(worker.cli.diagnosis, "installed", list)
    found = checks()["fonts"]
    assert (found.ok, found.detail) == (False, "0 printed, 0 handwriting")
    assert "apt install fonts-dejavu-core" in found.remedy


def test_sources_are_asked_where_they_are_set(checks, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    server = StandIn(Reply({}, 400))
    found = checks(
        SOURCES__IMAGES__KIND="folder",
        SOURCES__IMAGES__FOLDER=str(tmp_path),
        SOURCES__DOCUMENTS__KIND="wikipedia",
        SOURCES__DOCUMENTS__ENDPOINT=server.url,
    )
    server.close()
    assert found["source images"].detail.endswith("has 0 pictures of 'cat'")
    assert not found["source documents"].ok
    assert "Wikipedia rejected the question" in found["source documents"].detail


def test_unset_sources_name_their_setting(usual):
    assert usual["source images"].detail.startswith("not set: set [sources.images]")
    assert usual["source documents"].detail.startswith("not set: set [sources.documents]")


def test_unusable_source_is_told(checks):
    found = checks(SOURCES__DOCUMENTS__KIND="wikipedia")["sources"]
    assert not found.ok
    assert "sources.documents.contact" in found.detail


def test_missing_voices_name_their_package(checks, monkeypatch):
    monkeypatch.setattr(worker.cli.diagnosis, "english", tuple)
    found = checks()["voices"]
    assert (found.ok, found.remedy) == (False, "apt install flite")


def test_missing_wordnet_is_told(checks, monkeypatch, tmp_path):
    from analyzers.cloud.repairs.related_words import NounGraph

    monkeypatch.setattr(worker.cli.diagnosis, "related", NounGraph(tmp_path))
    assert not checks()["related labels"].ok


def test_working_parts_need_no_remedy(usual):
    assert not any(check.remedy for check in usual.values() if check.ok)


def test_what_dead_runs_left_is_removed_and_said(checks, monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(worker.check.leftovers, "sweep_cgroups", list)
    (folder_of_all() / "trees-1").mkdir(parents=True)
    found = checks()["clean-up"]
    assert found.ok
    assert "folders" in found.detail
    assert not (folder_of_all() / "trees-1").exists()


OCR = MachineCheck("engine google.vision.text_detection", ok=True, detail="local-ocr")
TORCH = MachineCheck("framework torch", ok=True, detail="2.13.0+cpu, Assayer's own")
TABLES = MachineCheck("relation tables", ok=True, detail="torch 2.13.0")
SHUT = MachineCheck("isolation", ok=True, detail="bubblewrap")
OPEN = MachineCheck("isolation", ok=False, detail="none", remedy="apt install bubblewrap")
UNSET = MachineCheck("engine openai.moderations", ok=True, detail="not set", unset=True)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ([SHUT], "nothing yet; see what is missing above"),
        ([SHUT, OCR, UNSET], "code that asks ML APIs for text in pictures"),
        (
            [SHUT, TORCH, TABLES],
            "models and tensor code of torch 2.13.0+cpu; library calls (torch 2.13.0)",
        ),
        ([OPEN, TORCH], "only your own code, with --trust: models and tensor code"),
    ],
)
def test_last_line_says_what_can_be_tested(found, said):
    assert can_be_tested(found).startswith(said)


@pytest.mark.parametrize(("check", "mark"), [(OCR, "ok"), (OPEN, "missing"), (UNSET, "–")])
def test_each_part_has_a_mark(check, mark):
    assert check.mark == mark
