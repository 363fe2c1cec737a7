"""The guide to adding an API, followed: what it describes is found, searched, asked and judged."""

import base64
import re
from pathlib import Path

import pytest
from PIL import Image

from analyzers.catalogue import api_descriptions, load_catalogue
from analyzers.vocabulary import ApiCall, LiteralArgument, NotRun, Probe, Reason, Returned, Target
from tests.worker.changes.conftest import Project
from tests.worker.engines.providers.standin import Reply, StandIn
from tests.worker.sessions import PLACE
from worker.broker.api_broker import Broker
from worker.check.check_plan import CheckRequest
from worker.check.pipeline import check
from worker.cli.progress import SilentListener
from worker.engines.engine_selection import Engines
from worker.engines.recordings import Recordings
from worker.errors import UsageError
from worker.executor.session import Session
from worker.settings.operator_settings import EngineSettings, read_settings

GUIDE = Path(__file__).parents[2] / "docs" / "adding-an-api.md"
FILE = re.compile(r"^`(\w+/\w+\.\w+)`:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
THINGS, MOOD = "acme.vision.name_things", "acme.vision.tell_mood"
APP = """\
import requests
from acme_vision import AsyncClient, Client


def is_pet(path):
    with open(path, "rb") as file:
        found = Client(key="…").name_things(picture=file.read(), most=5)
    if found.things[0].name == "kitten":
        return True
    return False


def is_glad(text):
    return Client().tell_mood(text)["mood"] == "glad"


async def is_sad(text):
    return (await AsyncClient().tell_mood(text=text)).mood == "sad"


def sneaky(text):
    return Client().tell_mood(text, tell="https://thief.example")


def posted(picture):
    url = "https://vision.acme.example/v1/things"
    return requests.post(url, json={"picture": picture, "most": 2}).json()["things"]
"""


@pytest.fixture
def described(tmp_path):
    """The files of the guide, in a folder."""
    folder = tmp_path / "catalogue"
    files = FILE.findall(GUIDE.read_text("utf-8"))
    for name, text in files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    assert len(files) == 4
    yield folder
    api_descriptions.remove_folder(folder)


@pytest.fixture
def known(described):
    api_descriptions.add_folder(described)
    return load_catalogue()


@pytest.fixture
def server():
    server = StandIn(Reply({"things": [{"name": "kitten", "Sureness": 0.75}]}))
    server.pages["/v1/mood"] = Reply({"mood": "sad"})
    yield server
    server.close()


def asking(server, **more):
    setting = EngineSettings(endpoint=server.url, **more)
    return Engines.from_settings({"acme.vision": setting}, offline=False)


@pytest.fixture
def run(tmp_path, known, server):
    """Runs a function of the project in a real guest, engines answering over the wire."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "app.py").write_text(APP)

    def run(function, api, **arguments):
        calls = (ApiCall(api, "app.py", function, 8),)
        target = Target("app.py", function, 1, Reason.CHANGED, calls, (), ("app.py",))
        broker = Broker(asking(server), Recordings(None), None)
        with Session(PLACE, project, target, broker) as session:
            assert "acme_vision" in session.prepared.standins
            return session.run([Probe(target.id, arguments, None)], seconds=60)[0]

    return run


def test_shipped_entries_stay(known):
    assert {THINGS, MOOD, "google.vision.label_detection"} <= known.apis.keys()


def test_folder_is_forgotten(described, known):
    api_descriptions.remove_folder(described)
    assert THINGS not in load_catalogue().apis


@pytest.mark.parametrize(
    ("function", "api", "argument", "value"),
    [
        ("is_glad", MOOD, LiteralArgument("'how sad'"), "False"),
        ("is_sad", MOOD, LiteralArgument("'how sad'"), "True"),
        ("posted", THINGS, LiteralArgument("'cGl4ZWxz'"), "[{'Sureness': 0.75, 'name': 'kitten'}]"),
    ],
)
def test_calls_are_answered_by_the_engine(run, function, api, argument, value):
    name = "picture" if function == "posted" else "text"
    assert run(function, api, **{name: argument}).ending == Returned(value)


def test_service_is_asked_in_json(run, server):
    run("posted", THINGS, picture=LiteralArgument("'cGl4ZWxz'"))
    (asked,) = server.asked
    assert (asked.method, asked.path) == ("POST", "/v1/things")
    assert asked.json == {"picture": base64.b64encode(b"pixels").decode(), "most": 2}


def test_what_is_not_described_is_not_sent(run, server):
    ending = run("sneaky", MOOD, text=LiteralArgument("'how sad'")).ending
    assert isinstance(ending, NotRun)
    assert server.asked == []


@pytest.fixture
def checked(tmp_path, monkeypatch, described, server):
    """The report on a change that brings the function in, by an operator's settings."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for number in range(12):
        picture = Image.new("RGB", (320, 240), (number * 20, 80, 80))
        file = tmp_path / "pictures" / "kitten" / f"{number}.png"
        file.parent.mkdir(parents=True, exist_ok=True)
        picture.save(file)
    settings = tmp_path / "settings.toml"
    settings.write_text(
        f'[catalogue]\nfolder = "{described}"\n'
        f'[engines."acme.vision"]\nendpoint = "{server.url}"\n'
        f'[sources.images]\nkind = "folder"\nfolder = "{tmp_path / "pictures"}"\n'
    )
    project = Project(tmp_path / "checkout")
    project.commit(app="")
    project.write("app.py", APP)

    def checked():
        request = CheckRequest(
            project.root, base="HEAD", targets=("app.py::is_pet",), trust=True, seconds=240
        )
        return check(request, read_settings(settings), SilentListener()).report

    return checked


@pytest.mark.slow
def test_description_is_enough_for_a_finding(checked, server):
    server.replies = [Reply({"things": [{"name": "cat", "Sureness": 0.9}]})]
    report = checked()
    ((target, tally),) = report.targets
    assert target.apis == (THINGS,)
    assert (tally.goals_total, tally.goals_reached) == (2, 2)
    rules = {finding.rule for finding in report.findings}
    assert rules == {"cloud/low-recall", "cloud/crash"}


def test_broken_folder_is_a_wrong_usage(tmp_path):
    (tmp_path / "apis").mkdir()
    (tmp_path / "apis" / "acme.toml").write_text('provider = "acme"\n')
    settings = tmp_path / "settings.toml"
    settings.write_text(f'[catalogue]\nfolder = "{tmp_path}"\n')
    with pytest.raises(UsageError, match=r"acme.toml lacks hints, api"):
        read_settings(settings)
