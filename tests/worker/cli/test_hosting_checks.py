"""What the doctor says about the hosted bot."""

import json

import pytest
from sqlalchemy import create_engine, inspect, text

import worker.cli.hosting_checks
import worker.github_app.client.rights
from tests.github_double.fixture import github
from tests.worker.redis_server import INSTALLED, free_port, redis_server
from worker.cli.hosting_checks import examine_hosting
from worker.cli.machine_checks import MachineCheck
from worker.settings.operator_settings import GithubSettings, Settings
from worker.store.records import WorkerRecord, WorkerState
from worker.store.store import Store

__all__ = ["github"]
READY = WorkerState.READY


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/store.db"


@pytest.fixture
def checks(url, tmp_path):
    def checks(**sections) -> dict[str, MachineCheck]:
        kept = {"url": url, "blobs": str(tmp_path / "blobs"), **sections.pop("store", {})}
        return {found.name: found for found in examine_hosting(Settings(store=kept, **sections))}

    return checks


def hosted(github, **more):
    return {"github": {**github.settings(), "timeout": 5, **more}}


def seen(url, *queues, state=READY):
    record = WorkerRecord("-".join(queues), "here", state, queues=queues)
    with Store(url) as store, store.write() as unit:
        unit.workers_present.see(record)


def test_nothing_set_is_no_complaint(checks):
    assert [found for found in checks().values() if not found.ok or found.remedy] == []


def test_missing_broker_is_one_process(checks):
    assert checks()["queue"].detail == "none set: one process, no broker"


def test_deaf_redis_is_told(checks):
    found = checks(queue={"url": f"redis://127.0.0.1:{free_port()}/0"})["queue"]
    assert not found.ok
    assert "Start Redis" in found.remedy


@pytest.mark.skipif(not INSTALLED, reason="redis-server is not installed")
def test_redis_that_answers_is_fine(checks):
    with redis_server() as address:
        assert checks(queue={"url": address})["queue"].ok


# ------------------------------------------------------------------- database


def test_new_database_is_left_empty(checks, url):
    assert "empty" in checks()["database"].detail
    assert inspect(create_engine(url)).get_table_names() == []


def test_database_tells_its_step(checks, url):
    Store(url).close()
    assert checks()["database"] == MachineCheck("database", ok=True, detail="sqlite, step 0003")


def test_older_database_is_told_and_not_touched(checks, url):
    Store(url).close()
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '0001'"))
    found = checks()["database"]
    assert (found.ok, "0001: 0003 is taken" in found.detail) == (True, True)
    with engine.connect() as connection:
        assert connection.scalar(text("SELECT version_num FROM alembic_version")) == "0001"


def test_newer_database_wants_a_newer_assayer(checks, url):
    Store(url).close()
    with create_engine(url).begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    found = checks()["database"]
    assert not found.ok
    assert "newer" in found.remedy


def test_unusable_database_is_told(checks, tmp_path):
    (tmp_path / "file").touch()
    found = checks(store={"url": f"sqlite:///{tmp_path}/file/store.db"})["database"]
    assert (found.ok, "[store] url" in found.remedy) == (False, True)
    assert not checks(store={"url": "nonsense"})["database"].ok


def test_missing_database_driver_is_told(checks):
    found = checks(store={"url": "mysql+aiomysql://localhost/assayer"})["database"]
    assert not found.ok
    assert "driver" in found.remedy


# ---------------------------------------------------------------------- blobs


def test_place_for_blobs_is_tried_and_left_empty(checks, tmp_path):
    assert "GiB are free" in checks()["blobs"].detail
    assert [file for file in (tmp_path / "blobs").rglob("*") if file.is_file()] == []


def test_place_that_cannot_be_written_is_told(checks, tmp_path):
    (tmp_path / "file").touch()
    found = checks(store={"blobs": f"{tmp_path}/file/blobs"})["blobs"]
    assert not found.ok
    assert "let this user write" in found.remedy


def test_unknown_kind_of_place_is_told(checks):
    assert not checks(store={"blobs": "nonsense://there"})["blobs"].ok


def test_full_disk_is_told(checks, monkeypatch):
    monkeypatch.setattr(worker.cli.hosting_checks, "LEAST_FREE", 1 << 62)
    found = checks()["blobs"]
    assert not found.ok
    assert "keep_days" in found.remedy


# --------------------------------------------------------------------- GitHub


def test_app_is_asked_for_at_github(checks, github):
    assert checks(**hosted(github))["GitHub App"].detail == "GitHub knows it as assayer"


def test_key_of_another_app_is_told(checks, github):
    found = checks(**hosted(github, app_id=999))["GitHub App"]
    assert not found.ok
    assert "private_key_file" in found.remedy


def test_app_that_lacks_a_right_is_told(checks, github, monkeypatch):
    needed = {**worker.github_app.client.rights.PERMISSIONS, "deployments": "write"}
    monkeypatch.setattr(worker.github_app.client.rights, "PERMISSIONS", needed)
    found = checks(**hosted(github))["GitHub App"]
    assert not found.ok
    assert "lacks deployments: write" in found.detail


def test_unreadable_key_is_told_without_its_content(checks, github, tmp_path):
    (tmp_path / "key").write_text("this is no key")
    found = checks(**hosted(github, private_key_file=tmp_path / "key"))["GitHub App"]
    assert not found.ok
    assert "no private key in PEM format" in found.detail
    assert "this is no key" not in json.dumps([found.detail, found.remedy])


def test_github_out_of_reach_is_told_in_seconds(checks, github, monkeypatch):
    monkeypatch.setattr("worker.github_app.client.api.FIRST_WAIT", 0.01)
    found = checks(**hosted(github, api_url=f"http://127.0.0.1:{free_port()}"))["GitHub App"]
    assert not found.ok
    assert "api_url" in found.remedy


def test_process_without_the_key_is_fine(checks):
    found = checks(github={"app_id": 7})
    assert found["GitHub App"].ok
    assert found["webhook secret"].ok


@pytest.mark.parametrize(
    ("secret", "ok"), [("", False), ("short", False), ("long enough, I hope", True)]
)
def test_webhook_secret_is_long_enough(checks, monkeypatch, secret, ok):
    monkeypatch.setenv("TEST_HOSTING_SECRET", secret)
    found = checks(github={"webhook_secret": "env:TEST_HOSTING_SECRET"})["webhook secret"]
    assert found.ok is ok
    assert not secret or secret not in found.detail


@pytest.mark.parametrize(
    ("address", "ok"),
    [
        ("https://assayer.example", True),
        ("http://127.0.0.1:8000", True),
        ("http://assayer.example", False),
    ],
)
def test_public_address_is_https(checks, address, ok):
    assert checks(app={"public_url": address})["public address"].ok is ok


# ------------------------------------------------------------------ processes


def test_absent_processes_are_told_with_their_commands(checks, url):
    Store(url).close()
    found = checks(github={"app_id": 7})["processes"]
    assert not found.ok
    for command in ("worker --queues publish", "beat", "worker --queues cpu"):
        assert f"`assayer {command}`" in found.remedy


def test_processes_that_are_there_are_counted(checks, url):
    for queue in ("publish", "beat", "cpu"):
        seen(url, queue)
    found = checks(github={"app_id": 7})["processes"]
    assert found.detail == "ready: publish 1, beat 1, cpu 1, gpu 0"
    assert (found.ok, found.remedy) == (True, "")


def test_refusing_worker_is_told(checks, url):
    for queue in ("publish", "beat", "cpu"):
        seen(url, queue)
    seen(url, "cpu", "gpu", state=WorkerState.REFUSING)
    found = checks(github={"app_id": 7})["processes"]
    assert (found.ok, "/readyz" in found.remedy) == (False, True)


def test_gpu_that_is_waited_for_must_be_somewhere(checks, url):
    Store(url).close()
    sections = {"github": {"app_id": 7}, "queue": {"gpu": "auto"}}
    assert not checks(**sections)["GPU"].ok
    seen(url, "gpu")
    assert checks(**sections)["GPU"].ok
    assert checks(github={"app_id": 7}, queue={"gpu": "never"})["GPU"].ok


def test_nothing_is_told_of_secrets(checks, github):
    settings = GithubSettings(**github.settings())
    said = json.dumps([str(found) for found in checks(**hosted(github)).values()])
    assert github.secret not in said
    assert settings.private_key_file.read_text()[100:200] not in said
