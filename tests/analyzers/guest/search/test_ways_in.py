"""Every way in which an input enters a function is found, and spelled as the code spells it."""

from dataclasses import replace

import pytest

from analyzers.cloud.inversion.openings import openings
from analyzers.guest.search.input_entry import find_entry
from analyzers.vocabulary import ApiCall, InputArgument
from tests.analyzers.guest.search.targets import target
from tests.worker.sessions import PLACE
from tests.worker.sessions import target as real_target
from worker.broker.api_broker import Broker
from worker.engines.engine_selection import Engines
from worker.engines.recordings import Recordings
from worker.executor.session import Session

FLASK = "import base64\nimport flask\nfrom flask import request, jsonify\n"

WAYS = {
    "images[0]": "def f(images):\n    return [labels(open(i, 'rb').read()) for i in images]",
    "texts[0]": "def f(texts):\n    return [mood(t) for t in texts if t]",
    "event['body']": "def f(event, context):\n    return mood(event['body']).score",
    "event['query']['q']": "def f(event, context):\n    return mood(event['query'].get('q', ''))",
    "update.message.text": "def f(update, context):\n    return mood(update.message.text)",
    "request.FILES['image']": """
def f(request):
    owner = request.POST['owner']
    return owner, labels(request.FILES['image'].read())
""",
    "request.json['text']": """
async def f(request):
    document = await request.json()
    return mood(document['text'])
""",
    "request.GET['q']": "def f(request):\n    return mood(request.GET.get('q'))",
    "flask.request.files['image']": FLASK
    + """
def f():
    if 'image' not in request.files:
        return 'none'
    name = request.form['name']
    return jsonify(name=name, n=len(labels(request.files['image'].read())))
""",
    "flask.request.form['text']": FLASK
    + """
def f():
    if request.method == 'POST':
        return jsonify(score=mood(request.form.get('text')).score)
""",
    "flask.request.args['q']": FLASK + "def f(user):\n    return mood(request.args['q']).score",
    "flask.request.json['data']": FLASK
    + """
def f():
    document = flask.request.get_json(force=True)
    return len(labels(base64.b64decode(document['data'])))
""",
    "flask.request.data": FLASK + "def f():\n    return len(labels(request.data))",
    "input()": "def f():\n    name = input('Who? ')\n    return mood(input('How? ')).score",
    "sys.argv[1]": "import sys\ndef f():\n    return labels(open(sys.argv[1], 'rb').read())",
    "sys.argv[2]": "import sys\ndef f():\n    return int(sys.argv[1]), mood(sys.argv[2]).score",
}


@pytest.mark.parametrize("key", WAYS)
def test_place_takes_the_input(key: str) -> None:
    entry = find_entry(target(WAYS[key]), [])
    assert entry.slot == key, entry


def test_standard_input_is_one_place() -> None:
    source = "import sys\ndef f():\n    return mood(sys.stdin.read()).score"
    assert find_entry(target(source), []).slot == "input()"


def test_other_fields_of_a_request_are_filled() -> None:
    entry = find_entry(target(WAYS["request.FILES['image']"]), [])
    assert entry.arguments is not None
    assert entry.arguments["request.POST['owner']"] == {"kind": "literal", "source": "'1111'"}


def test_awaited_upload_is_a_file() -> None:
    source = "async def f(upload):\n    return labels(await upload.read())"
    entry = find_entry(target(source), [])
    assert entry.arguments is not None
    assert entry.arguments["upload"]["form"] == "file"


def test_second_form_of_a_picture_is_the_picture() -> None:
    source = "def f(content, frame):\n    return frame.shape, labels(content)"
    entry = find_entry(target(source), [])
    assert entry.arguments is not None
    assert {key: given["form"] for key, given in entry.arguments.items()} == {
        "content": "bytes",
        "frame": "numpy",
    }


@pytest.mark.parametrize("body", ["mood(text)", "mood(text.strip())", "mood(text[1:])"])
def test_ordinary_functions_cost_one_trial(body: str) -> None:
    assert find_entry(target(f"def f(text):\n    return {body}.score"), []).executions <= 3


HEAD = """
import io, os, pathlib
from google.cloud import vision

def labels(content):
    image = vision.Image(content=content)
    return vision.ImageAnnotatorClient().label_detection(image=image).label_annotations
"""
OPENED = {
    "open('res/photo.png')": """
def f():
    here = os.path.dirname(__file__)
    return labels(open(os.path.join(here, 'res', 'photo.png'), 'rb').read())
""",
    "open('/nowhere/photo.jpg')": """
def f():
    if not os.path.exists('/nowhere/photo.jpg'):
        raise SystemExit('no photo')
    return labels(pathlib.Path('/nowhere/photo.jpg').read_bytes())
""",
    "open('in.gif')": """
from PIL import Image
def f():
    made = io.BytesIO()
    Image.open('in.gif').convert('L').save(made, 'PNG')
    return labels(made.getvalue())
""",
    "cv2.VideoCapture()": """
import cv2
camera = cv2.VideoCapture(0)
def f():
    seen, frame = camera.read()
    return labels(cv2.imencode('.png', frame)[1].tobytes()) if seen else None
""",
}


@pytest.mark.parametrize("key", OPENED)
def test_what_the_code_opens_takes_the_input(key, tmp_path) -> None:
    pytest.importorskip("cv2" if "cv2" in key else "PIL")
    (tmp_path / "app.py").write_text(HEAD + OPENED[key])
    (tmp_path / "res").mkdir()
    (tmp_path / "res/photo.png").write_bytes(b"not the input")
    calls = (ApiCall("google.vision.label_detection", "app.py", "f", 1),)
    broker = Broker(Engines(()), Recordings(None), None)
    with Session(PLACE, tmp_path, replace(real_target(function="f"), calls=calls), broker) as guest:
        template = guest.search((), 0, 0.0).template
    assert template is not None
    assert isinstance(template.arguments[key], InputArgument)


def test_file_that_the_code_wrote_is_its_own(tmp_path) -> None:
    source = """
def f(content):
    with open('copy.png', 'wb') as file:
        file.write(content)
    return labels(open('copy.png', 'rb').read())
"""
    (tmp_path / "app.py").write_text(HEAD + source)
    calls = (ApiCall("google.vision.label_detection", "app.py", "f", 1),)
    broker = Broker(Engines(()), Recordings(None), None)
    with Session(PLACE, tmp_path, replace(real_target(function="f"), calls=calls), broker) as guest:
        template = guest.search((), 0, 0.0).template
    assert template is not None
    assert set(template.arguments) == {"content"}


@pytest.mark.parametrize(
    "guard",
    [
        "len(text) < 100",
        "len(text.split()) < 20",
        "len(text) <= 300",
        "len(text.split('.')) < 5",
        "len(text.splitlines()) < 3",
    ],
)
def test_long_texts_pass_guards(guard: str) -> None:
    source = f"def f(text):\n    if {guard}:\n        return None\n    return mood(text)"
    prepared = target(source)
    entry = find_entry(prepared, [], openings(prepared.sources, "app.py", "f"))
    assert entry.slot == "text", entry


def test_what_a_response_sends_in_parts_is_drawn() -> None:
    source = """
        class Response:
            def __init__(self, parts):
                self.response = parts
        def parts(text):
            while True:
                yield mood(text).score
        def f(text):
            return Response(parts(text))
        """
    entry = find_entry(target(source), [])
    assert entry.slot == "text", entry
