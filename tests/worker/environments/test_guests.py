"""Guests in environments of their projects, through the one pipeline."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import typing_extensions

from analyzers.vocabulary import Conclusion, Status, Tested
from tests.analyzers.cloud.bench import goals
from tests.worker.changes.conftest import Project
from tests.worker.sessions import target
from worker.broker.api_broker import Broker
from worker.check.check_plan import CheckRequest
from worker.check.pipeline import check
from worker.cli.progress import SilentListener
from worker.engines.engine_selection import Engines
from worker.engines.recordings import Recordings
from worker.executor.execution_context import GuestRuntime
from worker.executor.session import Session
from worker.sandbox.guest_limits import Limits
from worker.sandbox.isolation import find_isolation
from worker.settings.operator_settings import Settings

needs_isolation = pytest.mark.skipif(
    shutil.which("bwrap") is None, reason="bubblewrap is not installed"
)
READER = """\
import shop
from google.cloud import vision


def first_line(path):
    client = vision.ImageAnnotatorClient()
    with open(path, "rb") as file:
        image = vision.Image(content=file.read())
    return shop.first(client.text_detection(image=image).text_annotations)
"""
CAREFUL = "def first(texts):\n    return texts[0].description if texts else None\n"
CARELESS = "def first(texts):\n    return texts[0].description\n"
SYMBOLIC = """\
import crosshair
import shop
from google.cloud import vision


def check(path):
    client = vision.ImageAnnotatorClient()
    with open(path, "rb") as file:
        image = vision.Image(content=file.read())
    for label in client.label_detection(image=image).label_annotations:
        if len(label.description) > 5 and len(label.description) < 3:
            return crosshair
    return shop.VERSION
"""
SPITEFUL = """\
import pathlib


def first(texts):
    try:
        pathlib.Path(__file__).with_name("left.py").write_text("")
        pathlib.Path(__file__).write_text("")
    except OSError:
        return None
    raise RuntimeError("the environment can be written to")
"""


DOUBLED = "def doubled(number):\n    return 2 * number\n"
PARAMETRIZED = """\
import pytest
from app import doubled


@pytest.mark.parametrize("number", [3])
def test_doubled(number):
    assert doubled(number) == 6
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return Project(tmp_path / "project")


@pytest.fixture
def checked(project, settings):
    def checked(offline=False, analyzers=(), **wishes):
        request = CheckRequest(
            project.root,
            base="HEAD",
            inputs=3,
            seconds=600,
            offline=offline,
            analyzers=analyzers,
        )
        environments = settings(**wishes)
        listener = PreparationLog()
        report = check(request, Settings(environments=environments), listener).report
        return replace(report, environment=(*report.environment, *listener.heard))

    return checked


class PreparationLog(SilentListener):
    def __init__(self):
        self.heard = []

    def preparing(self, what):
        self.heard.append(what)


@pytest.mark.slow
@needs_isolation
def test_other_version_of_a_package_is_a_change(project, checked, index):
    index.wheel("shop", "1.0", files={"shop.py": CAREFUL})
    index.wheel("shop", "2.0", files={"shop.py": CARELESS})
    project.write("requirements.txt", "shop==1.0\n")
    project.commit(reader=READER)
    project.write("requirements.txt", "shop==2.0\n")
    project.write("reader.py", READER.replace("return shop", "path = None\n    return shop"))
    report = checked()
    said = " | ".join(report.environment)
    assert report.conclusion is Conclusion.FAILURE, said
    (crash,) = report.findings
    assert crash.status is Status.NEW
    assert "base: environment: requirements.txt" in said
    assert "installing the project's environment (requirements.txt)" in said
    assert "stand-ins replaced" not in said or "shop" not in said.split("stand-ins replaced")[1]
    assert not report.broken


NETWORK = """\
import torch


def scaled(x: torch.Tensor) -> torch.Tensor:
    return torch.relu(x) * 2
"""
COUNTED = """\
import counters
from google.cloud import vision


def count(path):
    client = vision.ImageAnnotatorClient()
    with open(path, "rb") as file:
        image = vision.Image(content=file.read())
    found = client.label_detection(image=image).label_annotations
    return counters.total(found)
"""


@pytest.mark.parametrize("offline", [False, True])
@needs_isolation
def test_code_of_a_missing_framework_is_an_error(project, checked, offline):
    project.write("requirements.txt", "torch<2\n")
    project.commit(net="")
    project.write("net.py", NETWORK)
    report = checked(offline=offline)
    assert report.conclusion is Conclusion.ERROR
    ((_, tally),) = report.targets
    assert (tally.executions, tally.tested) == (0, Tested.NO)
    (skipped,) = report.skipped
    assert skipped.our_fault
    assert skipped.reason.startswith("torch cannot be imported in ")
    assert "torch<2" in skipped.reason
    assert "run once without --offline" in skipped.reason or not offline


@pytest.mark.slow
@needs_isolation
def test_code_of_a_framework_runs_on_the_real_one(project, checked, index):
    text = Path(typing_extensions.__file__).read_text()
    index.wheel("typing-extensions", "999.0", files={"typing_extensions.py": text})
    for name in ("filelock", "fsspec", "jinja2", "networkx", "setuptools", "sympy"):
        index.wheel(name, "999.0")
    project.write("requirements.txt", "torch>=2\n")
    project.commit(net="")
    project.write("net.py", NETWORK)
    report = checked(analyzers=("properties",))
    said = " | ".join(report.environment)
    assert report.conclusion is Conclusion.SUCCESS, (report.skipped, said)
    ((_, tally),) = report.targets
    assert tally.executions > 0
    assert tally.tested is Tested.YES
    assert "stand-ins" not in said


@needs_isolation
def test_result_on_a_stand_in_is_not_a_test(project, checked):
    project.write("requirements.txt", "counters\n")
    project.commit(app="")
    project.write("app.py", COUNTED)
    report = checked()
    assert report.conclusion is Conclusion.NEUTRAL
    ((_, tally),) = report.targets
    assert tally.executions > 0
    assert tally.tested is Tested.NO
    assert (
        "it ran on a stand-in for counters: install the real package to have it tested"
        in tally.reasons
    )


@pytest.mark.slow
@needs_isolation
def test_guest_cannot_write_to_its_environment(project, checked, index, tmp_path):
    folder = tmp_path / "environments"
    index.wheel("shop", "1.0", files={"shop.py": SPITEFUL})
    project.write("requirements.txt", "shop\n")
    project.commit(reader="")
    project.write("reader.py", READER)
    report = checked(folder=folder)
    assert report.findings == ()
    assert sum(tally.executions for _, tally in report.targets) > 0
    (module,) = folder.glob("ready/*/lib/python3*/site-packages/shop.py")
    assert module.read_text() == SPITEFUL
    assert not list(folder.rglob("left.py"))


@pytest.fixture
def searched(environment, index, tmp_path):
    """What a guest in an environment says of a search that needs a solver."""

    def searched(layer=True):
        index.wheel("shop", "1.0")
        made = environment({"requirements.txt": "shop\n", "app.py": SYMBOLIC})
        if not layer:
            made = replace(made, layer=None)
        place = GuestRuntime(find_isolation(), made.python, Limits()).of(made)
        broker = Broker(Engines(()), Recordings(None), None)
        found = replace(target(), goals=tuple(goals(SYMBOLIC)))
        with Session(place, tmp_path / "tree", found, broker) as session:
            result = session.search(found.goals, 0, 30.0)
            return result, session.prepared

    return searched


@pytest.mark.slow
@needs_isolation
def test_guests_own_needs_are_there_for_the_search_alone(searched):
    result, prepared = searched()
    assert result.bound
    assert "crosshair" in prepared.standins
    assert "shop" not in prepared.standins
    assert not [note for note in prepared.notes if "symbolic" in note]


@pytest.mark.slow
@needs_isolation
def test_search_without_its_needs_says_so(searched):
    result, prepared = searched(layer=False)
    assert not result.bound
    assert result.witnesses
    assert [note for note in prepared.notes if note.startswith("no symbolic search: ")]


@needs_isolation
def test_tests_that_need_pytest_are_watched_where_the_project_has_none(
    environment, index, tmp_path
):
    index.wheel("shop", "1.0")
    files = {"requirements.txt": "shop\n", "app.py": DOUBLED, "test_app.py": PARAMETRIZED}
    made = environment(files)
    place = GuestRuntime(find_isolation(), made.python, Limits()).of(made)
    broker = Broker(Engines(()), Recordings(None), None)
    doubled = target("app.py", "doubled")
    with Session(place, tmp_path / "tree", doubled, broker) as session:
        calls = session.observe(["doubled"], ["test_app.py"], 60.0)
    assert [each.arguments for each in calls] == [{"number": "froms([3])"}]
