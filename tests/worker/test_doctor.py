"""What works here, and what to do about what does not."""

import socket
import tempfile

import pytest

import worker.doctor
import worker.sweeping
from worker.doctor import examine
from worker.sandbox.checks import Check
from worker.settings.server import read_settings
from worker.temporary import folder_of_all


def _isolated(*_settings):
    yield Check("isolation", ok=True, detail="tried elsewhere")


@pytest.fixture
def checks(monkeypatch, tmp_path):
    """What the doctor finds but for the isolation, which has tests of its own."""
    monkeypatch.setattr(worker.doctor, "examine_isolation", _isolated)
    monkeypatch.setenv("ASSAYER_STORE__URL", f"sqlite:///{tmp_path}/store.db")

    def checks(**variables) -> dict[str, Check]:
        for name, value in variables.items():
            monkeypatch.setenv(f"ASSAYER_{name}", value)
        return {check.name: check for check in examine(read_settings(None))}

    return checks


def closed_port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


def test_every_part_is_looked_at(checks):
    assert [*checks()] == [
        "clean-up",
        "isolation",
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
        "fonts",
        "related labels",
        "queue",
        "database",
        "GPU",
    ]


def test_local_engines_are_asked(checks):
    found = checks()
    assert found["engine google.vision.text_detection"].ok
    assert "rapidocr" in found["engine google.vision.text_detection"].detail
    assert found["engine google.language.analyze_sentiment"].ok
    assert "pocketsphinx" in found["engine google.speech.recognize"].detail


def test_other_provider_is_asked_where_it_is_set(checks):
    unset = checks()["engine azure.language"]
    assert unset.ok
    assert unset.detail.startswith('not set: [engines."azure.language"]')
    endpoint = f"http://127.0.0.1:{closed_port()}"
    asked = checks(ENGINES__AZURE_LANGUAGE__ENDPOINT=endpoint)
    assert "engine azure.language" not in asked
    assert "no answer" in asked["engine azure.language.analyze_sentiment"].detail


def test_missing_engine_names_its_setting(checks):
    missing = checks()["engine google.vision.label_detection"]
    assert not missing.ok
    assert 'engines."google.vision"' in missing.detail
    assert missing.remedy


def test_missing_broker_is_one_process(checks):
    assert checks()["queue"].detail == "none set: one process, no broker"


def test_deaf_redis_is_told(checks):
    found = checks(QUEUE__URL=f"redis://127.0.0.1:{closed_port()}/0")["queue"]
    assert not found.ok
    assert "Redis" in found.remedy


def test_unusable_database_is_told(checks, tmp_path):
    (tmp_path / "file").touch()
    found = checks(STORE__URL=f"sqlite:///{tmp_path}/file/store.db")["database"]
    assert not found.ok
    assert found.remedy == "Correct store.url."
    assert not checks(STORE__URL="nonsense")["database"].ok


def test_missing_database_driver_is_told(checks):
    found = checks(STORE__URL="mysql+aiomysql://localhost/assayer")["database"]
    assert not found.ok
    assert "driver" in found.remedy


def test_unusable_endpoint_is_told(checks):
    found = checks(
        ENGINES__GOOGLE_VISION__KIND="provider", ENGINES__GOOGLE_VISION__ENDPOINT="nonsense"
    )["engines"]
    assert not found.ok
    assert "google.vision" in found.detail


def test_missing_fonts_name_their_packages(checks, monkeypatch):
    monkeypatch.setattr(worker.doctor, "installed", list)
    found = checks()["fonts"]
    assert (found.ok, found.detail) == (False, "0 printed, 0 handwriting")
    assert "apt install fonts-dejavu-core" in found.remedy


def test_missing_wordnet_is_told(checks, monkeypatch, tmp_path):
    from analyzers.cloud.related import Nouns

    monkeypatch.setattr(worker.doctor, "related", Nouns(tmp_path))
    assert not checks()["related labels"].ok


def test_working_parts_need_no_remedy(checks):
    assert not any(check.remedy for check in checks().values() if check.ok)
    assert checks()["database"] == Check("database", ok=True, detail="sqlite")


def test_what_dead_runs_left_is_removed_and_said(checks, monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(worker.sweeping, "sweep_cgroups", list)
    (folder_of_all() / "trees-1").mkdir(parents=True)
    found = checks()["clean-up"]
    assert found.ok
    assert "folders 1" in found.detail
    assert not list(folder_of_all().iterdir())
