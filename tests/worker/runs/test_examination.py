"""A run is examined on its prepared clone, by somebody who knows no secret."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

import pytest

from tests.worker.changes.conftest import Project
from tests.worker.changes.git_server import GitServer
from tests.worker.runs.crew import ROOT, found
from worker.changes.remote_clone import RemoteOrigin, clone
from worker.errors import MachineError
from worker.runs.examination import checkout, examine
from worker.runs.run_attempt import carry_out
from worker.settings.operator_settings import (
    AppSettings,
    GithubSettings,
    QueueSettings,
    RecordingSettings,
    Settings,
    StoreSettings,
)
from worker.store.blobs import Blobs, clone_key, pack
from worker.store.records import Job, RunOptions, RunState
from worker.store.store import Store

EYES = """
from google.cloud import vision

def first_line(path):
    client = vision.ImageAnnotatorClient()
    with open(path, "rb") as file:
        image = vision.Image(content=file.read())
    response = client.text_detection(image=image)
    return response.text_annotations[0].description
"""
TORCH = "import torch\n\ndef double(x):\n    return torch.mul(x, 2)\n"


@pytest.fixture
def settings(tmp_path, monkeypatch):
    (tmp_path / "tmp").mkdir()
    (tmp_path / "tmp").chmod(0o755)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    return Settings(
        store=StoreSettings(url=f"sqlite:///{tmp_path}/assayer.db", blobs=str(tmp_path / "blobs")),
        recordings=RecordingSettings(folder=tmp_path / "recordings"),
    )


@pytest.fixture
def store(settings):
    with Store(settings.store.url) as opened:
        yield opened


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path / "served" / "project")


@pytest.fixture
def prepared(project, store, settings, tmp_path):
    """Makes a run that is prepared as the publisher does it."""
    server = GitServer(tmp_path / "served")

    def make(base, head, **more):
        fields = {"fork": False, "private": False, **more}
        job = Job(
            "octo/app", base, head, "opened", repository_id=42, installation=7, pull=5, **fields
        )
        with store.write() as unit:
            run = unit.runs.ask(job).id
            unit.runs.prepared(run)
        origin = RemoteOrigin(server.url("project/.git"), loopback=True)
        cloned = clone(origin, base or head, head, tmp_path / run)
        pack(cloned.folder, tmp_path / "clone.tar")
        Blobs(settings.store.blobs).put_file(clone_key(run), tmp_path / "clone.tar")
        return run

    yield make
    server.close()


def report(store, run):
    with store.read() as unit:
        return unit.runs.report(run)


def examined(store, settings, run):
    carry_out(run, settings, examine)
    record = found(store, run)
    assert record.state is RunState.DONE, record.error
    return report(store, run)


def test_change_is_what_left_the_base_branch(project, prepared, store, settings):
    """What others pushed to the base branch meanwhile is not the author's."""
    parted = project.commit(app="a = 1\n")
    base = project.commit(eyes=EYES)
    project.git("switch", "--quiet", "--detach", parted)
    run = prepared(base, project.commit(app="a = 2\n"))
    document = examined(store, settings, run)
    assert (document["verdict"], document["targets"]) == ("skipped", [])
    assert (document["repository"], document["base"]) == ("octo/app", parted)


@pytest.mark.slow
def test_finding_and_its_files_are_kept_and_the_clone_is_gone(
    project, prepared, store, settings, tmp_path
):
    base = project.commit(app="a = 1\n")
    run = prepared(base, project.commit(eyes=EYES), options=RunOptions(inputs=3))
    document = examined(store, settings, run)
    (finding,) = document["findings"]
    blobs = Blobs(settings.store.blobs)
    names = {key.removeprefix(f"runs/{run}/") for key in blobs.keys(f"runs/{run}")}
    assert finding["reproducer"] in names
    assert any(name.startswith("inputs/") for name in names)
    assert blobs.names("clones") == ()
    assert str(tmp_path) not in str(document)


ALONE = """
import sys
from worker.runs.examination import examine
from worker.runs.run_attempt import carry_out
from worker.settings.operator_settings import read_settings
carry_out(sys.argv[1], read_settings(), examine)
"""


def test_examining_worker_needs_no_secret_of_githubs(project, prepared, store, settings):
    base = project.commit(app="a = 1\n")
    run = prepared(base, project.commit(app="a = 2\n"))
    environment = {
        "PATH": os.environ["PATH"],
        "ASSAYER_STORE__URL": settings.store.url,
        "ASSAYER_STORE__BLOBS": settings.store.blobs,
    }
    subprocess.run([sys.executable, "-c", ALONE, run], cwd=ROOT, env=environment, check=True)
    assert found(store, run).state is RunState.DONE


def test_examination_is_not_told_the_apps_key_where_it_is_there(settings, tmp_path):
    github = GithubSettings(
        app_id=7, private_key_file=tmp_path / "key", webhook_secret="env:HOOK", checkouts=tmp_path
    )
    whole = settings.model_copy(
        update={"github": github, "app": AppSettings(operators="file:/etc/operators")}
    )
    told = whole.examining
    assert told.github == GithubSettings(checkouts=tmp_path)
    assert told.app.operators is None
    assert told.store == settings.store


def test_base_branch_and_not_where_the_change_left_it_configures(
    project, prepared, store, settings
):
    parted = project.commit(app="a = 1\n")
    project.write("pyproject.toml", '[tool.assayer]\nexclude = ["eyes.py"]\n')
    base = project.commit()
    project.git("switch", "--quiet", "--detach", parted)
    run = prepared(base, project.commit(eyes=EYES))
    assert examined(store, settings, run)["targets"] == []


def test_clone_that_is_gone_is_said_in_words(project, prepared, store, settings):
    run = prepared(project.commit(app="a = 1\n"), project.commit(app="a = 2\n"))
    Blobs(settings.store.blobs).remove(clone_key(run))
    carry_out(run, settings, examine)
    assert "prepared for this run is gone" in found(store, run).error


def test_options_of_a_rerun_reach_the_pipeline(project, prepared, store, settings):
    base = project.commit(app="a = 1\n")
    head = project.commit(app="a = 2\n")
    for options, word in (
        (RunOptions(target="app.py::gone"), "no such function"),
        (RunOptions(analyzer="gone"), "no analyzer is called"),
    ):
        run = prepared(base, head, options=options)
        carry_out(run, settings, examine)
        assert word in found(store, run).error
        assert found(store, run).refused


@pytest.mark.slow
def test_audit_looks_at_everything(project, prepared, store, settings):
    project.commit(model=TORCH)
    head = project.commit(app="a = 2\n")
    run = prepared(None, head, options=RunOptions(everything=True))
    with store.write() as unit:
        unit.runs.route(run, "cpu", without_gpu=True)
    with_gpus = settings.model_copy(update={"queue": QueueSettings(gpu="auto")})
    assert [each["target"] for each in examined(store, with_gpus, run)["skipped"]] == ["model.py"]


@pytest.mark.slow
def test_deep_learning_waits_for_a_gpu_and_is_told_where_none_came(
    project, prepared, store, settings
):
    base = project.commit(app="a = 1\n")
    run = prepared(base, project.commit(model=TORCH))
    rung = []
    with_gpus = settings.model_copy(update={"queue": QueueSettings(gpu="auto")})
    carry_out(run, with_gpus, examine, rung.append)
    assert [told.queue for told in rung] == ["gpu"]
    with store.write() as unit:
        unit.runs.route(run, "cpu", without_gpu=True)
    document = examined(store, with_gpus, run)
    assert document["verdict"] == "success"  # what can be tested without one is
    assert {"analyzer": "assayer", "target": "model.py", "reason": "not tested: no GPU"} in (
        document["skipped"]
    )


@pytest.mark.slow
def test_nothing_is_said_of_gpus_where_the_operator_has_none(project, prepared, store, settings):
    run = prepared(project.commit(app="a = 1\n"), project.commit(model=TORCH))
    document = examined(store, settings, run)
    assert (document["verdict"], document["skipped"]) == ("success", [])


# ----------------------------------------------------------- checkouts


def test_checkout_of_the_operators_is_examined_for_jobs_from_nowhere(
    project, store, settings, tmp_path
):
    base, head = project.commit(app="a = 1\n"), project.commit(app="a = 2\n")
    (tmp_path / "checkouts" / "octo").mkdir(parents=True)
    project.root.rename(tmp_path / "checkouts" / "octo" / "app")
    own = settings.model_copy(update={"github": GithubSettings(checkouts=tmp_path / "checkouts")})
    with store.write() as unit:
        run = unit.runs.ask(Job("octo/app", base, head, "pull request 1 opened")).id
    document = examined(store, own, run)
    assert document["schema"] == "assayer-report/1"
    assert (document["verdict"], document["findings"]) == ("skipped", [])


def test_checkout_stays_in_its_folder(tmp_path):
    (tmp_path / "checkouts" / "octo" / "app").mkdir(parents=True)
    (tmp_path / "secret").mkdir()
    (tmp_path / "checkouts" / "octo" / "link").symlink_to(tmp_path / "secret")
    settings = Settings(github=GithubSettings(checkouts=tmp_path / "checkouts"))
    assert checkout("octo/app", settings) == tmp_path / "checkouts" / "octo" / "app"
    for name in ("octo/absent", "../secret", "octo/link", str(tmp_path / "secret")):
        with pytest.raises(MachineError, match="there is no checkout"):
            checkout(name, settings)


def test_no_checkouts_are_a_setting_away(tmp_path):
    with pytest.raises(MachineError, match=r"github\.checkouts"):
        checkout("octo/app", Settings())
