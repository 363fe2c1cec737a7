"""Reproducers put the input where the code looks for it, and fail where the code fails."""

import pytest

from analyzers.vocabulary import (
    Crashes,
    Form,
    InertArgument,
    InputArgument,
    LiteralArgument,
    Probe,
    RecipeArgument,
)
from tests.worker.report import samples
from tests.worker.report.running import run
from worker.report.replay_file import read_replay, write_replay
from worker.report.reproducer import reproducer
from worker.report.reproducer import test_name as name_of

RED = samples.image("", "red")
SAID = samples.tweet("So good!", "a tweet")

SHAPES = {
    "fixed.py": "import io, os\ndef f(limit):\n"
    "    at = os.path.join(os.path.dirname(__file__), 'p.png')"
    "\n    assert os.path.exists(at)\n    seen = len(io.open(at, 'rb').read())\n    os.remove(at)"
    "\n    raise LookupError((limit, seen))",
    "typed.py": "def f():\n    raise LookupError((input('?'), input('!')))",
    "script.py": "def f():\n    raise LookupError((input('?'), input('!')))",
    "piped.py": "import sys\ndef f():\n    raise LookupError(sys.stdin.read().strip())",
    "argued.py": "import sys\nif __name__ == '__main__':\n    raise LookupError(sys.argv[1:])",
    "parts.py": "def f(texts, event, update):\n"
    "    raise LookupError((texts, event['q']['text'], update.message.text))",
    "django_view.py": "def f(request):\n"
    "    raise LookupError((request.method, request.POST['id'], len(request.FILES['p'].read())))",
    "async_view.py": "async def f(request):\n    document = await request.json()\n"
    "    raise LookupError(document['text'])",
    "uploaded.py": "async def f(file):\n    raise LookupError(len(await file.read()))",
    "flask_files.py": "from flask import request, jsonify\ndef f():\n    jsonify(a=1)\n"
    "    found = request.files['p'], request.form['id']\n"
    "    raise LookupError((len(found[0].read()), found[1], request.method))",
    "flask_json.py": "import flask\ndef f():\n"
    "    raise LookupError(flask.request.get_json()['text'])",
    "flask_query.py": "from flask import request\ndef f():\n"
    "    raise LookupError((request.args.get('q'), request.method))",
    "camera.py": "import cv2\ncamera = cv2.VideoCapture(0)\ndef f():\n    found = []\n"
    "    while camera.isOpened():\n        found.append(camera.read()[1].shape)\n"
    "    raise LookupError(found)",
}
TEXT, PICTURE = InputArgument(Form.TEXT, SAID), InputArgument(Form.BYTES, RED)
SIZE = len(RED.content)
CALLS = {
    "fixed.py": ({"limit": LiteralArgument("3"), "open('p.png')": PICTURE}, (3, SIZE)),
    "typed.py": ({"input()": TEXT}, ("So good!", "So good!")),
    "script.py": ({"input()": RecipeArgument("['yes', 'no']")}, ("yes", "no")),
    "piped.py": ({"input()": TEXT}, "So good!"),
    "argued.py": ({"sys.argv[1]": TEXT}, ["So good!"]),
    "parts.py": (
        {"texts[0]": TEXT, "event['q']['text']": TEXT, "update.message.text": TEXT},
        (["So good!"], "So good!", "So good!"),
    ),
    "django_view.py": (
        {
            "request.POST['id']": LiteralArgument("'1'"),
            "request.FILES['p']": InputArgument(Form.FILE, RED),
        },
        ("POST", "1", SIZE),
    ),
    "async_view.py": ({"request.json['text']": TEXT}, "So good!"),
    "uploaded.py": ({"file": InputArgument(Form.FILE, RED)}, SIZE),
    "flask_files.py": (
        {
            "flask.request.form['id']": LiteralArgument("'7'"),
            "flask.request.files['p']": InputArgument(Form.FILE, RED),
        },
        (SIZE, "7", "POST"),
    ),
    "flask_json.py": ({"flask.request.json['text']": TEXT}, "So good!"),
    "flask_query.py": ({"flask.request.args['q']": TEXT}, ("So good!", "GET")),
    "camera.py": ({"cv2.VideoCapture()": InputArgument(Form.NUMPY, RED)}, [(140, 220, 3)] * 2),
}


def finding(path):
    function = "__main__" if path == "argued.py" else "f"
    arguments, _ = CALLS[path]
    return samples.crash(
        target=f"{path}::{function}",
        symbol=path,
        probes=(Probe(f"{path}::{function}", arguments, (samples.labels("Cat"),)),),
        criterion=Crashes("LookupError", path, function),
        suggestion=None,
    )


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ways")
    samples.write_project(folder, SHAPES)
    (folder / "p.png").write_bytes(b"the author's own")
    for path, source in SHAPES.items():
        text = reproducer(finding(path), {path: source})
        assert text is not None
        (folder / f"{name_of(finding(path))}.py").write_text(text)
    found = run(folder)
    assert (folder / "p.png").read_bytes() == b"the author's own"
    return found


@pytest.mark.slow
@pytest.mark.parametrize("path", CALLS)
def test_reproducer_puts_the_input_in_its_place(results, path):
    assert results[name_of(finding(path))] == f"LookupError: {CALLS[path][1]}"


def test_replay_keeps_places(tmp_path):
    given = finding("flask_files.py")
    files = {item.digest: tmp_path / "inputs" / "a.png" for item in given.probes[0].inputs}
    for item in given.probes[0].inputs:
        (tmp_path / "inputs").mkdir(exist_ok=True)
        files[item.digest].write_bytes(item.content)
    path = write_replay(given, files, tmp_path)
    assert read_replay(path).probes == given.probes


@pytest.mark.slow
def test_inert_parameter_stays_beside_places(tmp_path):
    samples.write_project(tmp_path, {"beside.py": "def f(who):\n    raise LookupError(input())"})
    arguments = {"who": InertArgument(), "input()": TEXT}
    given = samples.crash(
        target="beside.py::f",
        symbol="beside",
        probes=(Probe("beside.py::f", arguments, ()),),
        criterion=Crashes("LookupError", "beside.py", "f"),
        suggestion=None,
    )
    (tmp_path / "test_it.py").write_text(
        reproducer(given, {}, ("google.vision.label_detection",)) or ""
    )
    assert list(run(tmp_path).values()) == ["LookupError: So good!"]
