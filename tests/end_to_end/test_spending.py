"""Jobs of the hosted bot against a paid service: whose secret goes where, and who may spend."""

import json
import logging
import os
from pathlib import Path

import pytest

from tests.end_to_end.outside import Outside
from tests.end_to_end.repositories import commit, git, small_repository, write
from worker.engines.engine import FORK
from worker.runs.examination import examine
from worker.runs.run_attempt import carry_out
from worker.settings.operator_settings import (
    EngineSettings,
    GithubSettings,
    RecordingSettings,
    Settings,
    SourceSettings,
    StoreSettings,
)
from worker.store.records import Job, RunState
from worker.store.store import Store

CANARY = "CANARY-AIza-0123456789"
EYES = (Path(__file__).parent / "projects/pictures/base/eyes.py").read_text()
NOSY = """
import os

from eyes import labels_of

ENVIRONMENT = repr(dict(os.environ))
try:
    with open("/proc/self/environ") as file:
        ENVIRONMENT += file.read()
except OSError:
    pass


def alarm(path):
    labels = labels_of(path)
    if "Fire" in labels:
        return {}[ENVIRONMENT]
    return "all quiet"
"""
CALM = """
from eyes import labels_of


def alarm(path):
    return "call them" if "Fire" in labels_of(path) else "all quiet"
"""


class Echoing(Outside):
    """A service that repeats the address it was asked at, key and all, in its errors."""

    def __init__(self):
        super().__init__()
        self.status = 0

    @property
    def questions(self):
        return self.asked.count("POST /v1/images:annotate")

    def reply(self, method, address, body):
        status, content = super().reply(method, address, body)
        if not address.startswith("/v1/images:annotate") or self.status == 0:
            return status, content
        return self.status, json.dumps({"error": {"message": f"no: {address}"}}).encode()


@pytest.fixture
def service():
    server = Echoing()
    yield server
    server.close()


@pytest.fixture
def bot(service, tmp_path, monkeypatch):
    """Makes a hosted bot that tests a change of ``octo/app``; its home is ``tmp_path/home``."""
    home = tmp_path / "home"
    monkeypatch.setenv("XDG_STATE_HOME", str(home))
    monkeypatch.setenv("VISION_KEY", CANARY)
    app = small_repository(tmp_path / "checkouts/octo/app", {"eyes.py": EYES})
    base = git(app, "rev-parse", "HEAD")
    settings = Settings(
        github=GithubSettings(checkouts=tmp_path / "checkouts"),
        store=StoreSettings(url=f"sqlite:///{home}/assayer.db", blobs=str(home / "blobs")),
        recordings=RecordingSettings(folder=home / "recordings"),
        engines={
            "google.vision": EngineSettings(endpoint=service.url, credentials="env:VISION_KEY")
        },
        sources={"images": SourceSettings(kind="openverse", endpoint=service.url)},
    )

    def make(code):
        return SpendingBot(settings, base, commit(write(app, {"watch.py": code}), "a camera"), home)

    return make


class SpendingBot:
    def __init__(self, settings, base, head, home):
        self.settings, self.base, self.head, self.home = settings, base, head, home

    def checked(self, *, fork):
        """The report of a job on the head, carried out to its end."""
        with Store(self.settings.store.url) as store:
            job = Job("octo/app", self.base, self.head, "asked", private=False, fork=fork)
            with store.write() as unit:
                run = unit.runs.ask(job).id
            carry_out(run, self.settings, examine)
            with store.read() as unit:
                assert unit.runs.get(run).state is RunState.DONE, unit.runs.get(run).error
                return unit.runs.report(run)

    def approve(self, head):
        with Store(self.settings.store.url) as store, store.write() as unit:
            unit.approvals.give("octo/app", head, "maintainer")

    def written(self):
        """Every byte of every file that the bot has written."""
        files = [path for path in self.home.rglob("*") if path.is_file()]
        assert files
        return b"".join(path.read_bytes() for path in files)


def reasons(report):
    return " ".join(skipped["reason"] for skipped in report["skipped"])


@pytest.mark.slow
@pytest.mark.parametrize("status", [0, 401])
def test_secret_is_written_nowhere(bot, service, status, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    service.status = status
    nosy = bot(NOSY)
    report = nosy.checked(fork=False)
    said = "".join((json.dumps(report), caplog.text, *capfd.readouterr()))
    assert service.questions
    assert service.keys == {CANARY}
    assert CANARY not in said
    assert CANARY.encode() not in nosy.written()
    assert os.environ["VISION_KEY"] == CANARY
    (crash,) = [f for f in report["findings"] if f["rule"] == "cloud/crash"]
    assert "KeyError" in json.dumps(crash)
    assert "HOME" in json.dumps(crash)
    assert bool(report["broken"]) == bool(status)


@pytest.mark.slow
def test_fork_spends_nothing_until_its_commit_is_approved(bot, service):
    camera = bot(CALM)
    report = camera.checked(fork=True)
    assert service.questions == 0
    assert "was not judged" in reasons(report)  # by the stand-in on this machine
    assert any(note.startswith(f"google.vision: {FORK}") for note in report["environment"])
    assert (report["verdict"], report["findings"]) == ("neutral", [])
    assert report["cost"]["dollars"] == 0

    camera.approve(camera.head)
    approved = camera.checked(fork=True)
    assert service.questions == approved["cost"]["api_calls"] > 0
    assert approved["cost"]["dollars"] == pytest.approx(0.0015 * service.questions)
    assert approved["verdict"] == "failure"
    assert "fork" not in reasons(approved) + " ".join(approved["environment"])
