"""Pictures and sounds that code changes before it asks: they run, and that is seen."""

import io
import json
import shutil
import sys
import time
import wave
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from analyzers.cloud.inversion import Inverter, altered
from analyzers.vocabulary import (
    ApiCall,
    Exchange,
    Input,
    InputArgument,
    InputKind,
    Origin,
    Reason,
    Returned,
    Target,
)
from tests.analyzers.cloud.bench import goals
from tests.worker.sessions import LABELS, laboratory, tree
from worker.broker.api_broker import Broker
from worker.engines.engine_selection import Engines
from worker.engines.recordings import Recordings
from worker.executor.execution_context import GuestRuntime
from worker.executor.sandbox_executor import SandboxExecutor
from worker.executor.session import Session
from worker.sandbox.guest_limits import Limits
from worker.sandbox.isolation import find_isolation

SPEECH = "google.speech.recognize"
HEAD = """\
import base64, io, os, tempfile, wave
from google.cloud import speech, vision


def asked(content):
    image = vision.Image(content=content)
    found = vision.ImageAnnotatorClient().label_detection(image=image)
    return [label.description for label in found.label_annotations]


def heard(content):
    config = speech.RecognitionConfig(language_code="en-US")
    audio = speech.RecognitionAudio(content=content)
    found = speech.SpeechClient().recognize(config=config, audio=audio)
    return [result.alternatives[0].transcript for result in found.results]


def look(path):
"""
PICTURES = {
    "as it is": "return asked(open(path, 'rb').read())",
    "resized": """
    from PIL import Image
    out = io.BytesIO()
    Image.open(path).resize((64, 64)).save(out, "JPEG")
    return asked(out.getvalue())""",
    "flipped": """
    import numpy
    from PIL import Image
    flipped = numpy.asarray(Image.open(path))[:, ::-1].copy()
    out = io.BytesIO()
    Image.fromarray(flipped).save(out, format="PNG")
    return asked(out.getvalue())""",
    "grey": """
    from PIL import Image, ImageOps
    out = io.BytesIO()
    ImageOps.grayscale(Image.open(path)).save(out, "PNG")
    return asked(out.getvalue())""",
    "turned and cropped": """
    from PIL import Image
    with tempfile.NamedTemporaryFile(suffix=".png", delete=False) as file:
        Image.open(path).rotate(90, expand=True).crop((2, 2, 60, 60)).save(file.name)
    content = open(file.name, "rb").read()
    os.unlink(file.name)
    return asked(content)""",
    "as a data URL": """
    url = "data:image/png;base64," + base64.b64encode(open(path, "rb").read()).decode()
    return asked(base64.b64decode(url.partition(",")[2]))""",
    "by OpenCV": """
    import cv2
    grey = cv2.cvtColor(cv2.resize(cv2.imread(path), (80, 60)), cv2.COLOR_BGR2GRAY)
    return asked(cv2.imencode(".jpg", grey)[1].tobytes())""",
}
SOUNDS = {
    "as it is": "return heard(open(path, 'rb').read())",
    "frames alone": """
    with wave.open(path) as sound:
        return heard(sound.readframes(sound.getnframes()))""",
    "by soundfile": """
    import soundfile
    samples, rate = soundfile.read(path)
    out = io.BytesIO()
    soundfile.write(out, samples[::2], rate // 2, format="WAV")
    return heard(out.getvalue())""",
}
UNCHANGED = {"as it is", "as a data URL"}
NEEDS = {"by OpenCV": "cv2", "by soundfile": "soundfile"}


def photograph():
    image = Image.new("RGB", (120, 90), "white")
    ImageDraw.Draw(image).ellipse((10, 10, 50, 70), fill="red")
    file = io.BytesIO()
    image.save(file, "PNG")
    return Input(InputKind.IMAGE, file.getvalue(), "a ball", "ball", ".png", Origin("drawn"))


def recording():
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(16000)
        sound.writeframes(bytes(range(256)) * 40)
    return Input(InputKind.AUDIO, file.getvalue(), "a hum", "hum", ".wav", Origin("spoken"))


ANSWERS = {
    LABELS: {"label_annotations": [{"description": "Ball", "score": 0.9}]},
    SPEECH: {"results": [{"alternatives": [{"transcript": "Ball", "confidence": 0.9}]}]},
}


@pytest.fixture
def seen(tmp_path):
    """What a search finds of a function, and the run of its template on an input."""
    if shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    place = GuestRuntime(find_isolation(), Path(sys.executable), Limits())

    def seen(body, api, item):
        root = tmp_path / "tree"
        root.mkdir()
        (root / "app.py").write_text(HEAD + "    " + body.strip() + "\n")
        calls = (ApiCall(api, "app.py", "look", 1),)
        target = Target("app.py", "look", 1, 99, Reason.CHANGED, calls, (), ("app.py",))
        with Session(place, root, target, Broker(Engines(()), Recordings(None), None)) as session:
            template = session.search((), 0, 1.0).template
            probe = template.with_input(item).answered((Exchange(api, "", ANSWERS[api]),))
            return probe, session.run([probe])[0]

    return seen


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "body", "api", "make"),
    [
        *((name, body, LABELS, photograph) for name, body in PICTURES.items()),
        *((name, body, SPEECH, recording) for name, body in SOUNDS.items()),
    ],
    ids=[*PICTURES, *(f"sound {name}" for name in SOUNDS)],
)
def test_changed_input_is_carried_through_and_noticed(seen, name, body, api, make):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name], reason=f"{NEEDS[name]} is not installed")
    item = make()
    probe, run = seen(body, api, item)
    assert [type(argument) for argument in probe.arguments.values()] == [InputArgument]
    assert run.ending == Returned("['Ball']")
    assert [(each.api, each.kind) for each in run.asked] == [(api, item.kind)]
    noun = "picture" if api == LABELS else "recording"
    expected = None if name in UNCHANGED else f"another {noun}"
    assert altered(api, item, probe, run, None) == expected


MOOD = """\
import json
from google.cloud import language_v1


def look(body):
    text = json.loads(body)["message"]["text"]
    document = language_v1.Document(content=text, type_=language_v1.Document.Type.PLAIN_TEXT)
    client = language_v1.LanguageServiceClient()
    if client.analyze_sentiment(document=document).document_sentiment.score > 0.4:
        return "glad"
    return "not"
"""
SENTIMENT = "google.language.analyze_sentiment"


def test_branches_behind_a_decoded_text_are_searched_and_tried(tmp_path):
    if shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    head = tree(tmp_path / "head", app=MOOD)
    place = GuestRuntime(find_isolation(), Path(sys.executable), Limits())
    calls = (ApiCall(SENTIMENT, "app.py", "look", 8),)
    found = tuple(goals(MOOD))
    target = Target("app.py", "look", 5, 11, Reason.CHANGED, calls, found, ("app.py",))
    bench = SandboxExecutor(laboratory(head, head, place), target, time.monotonic() + 60)
    try:
        searched = bench.search(target)
        (glad,) = [w for w in searched.witnesses if w.goal == "app.py::look#0:true"]
        (run,) = bench.run([glad.probe])
        assert run.ending == Returned("'glad'")
        review = Input(InputKind.TEXT, b"Well done", "a text", None, ".txt", Origin("rated"))
        passed = Inverter(target, bench, glad.probe.script).passed(SENTIMENT, glad.probe, [review])
    finally:
        bench.close()
    assert json.loads(passed.inputs[0].content) == {"message": {"text": "Well done"}}
    assert passed.meant == ("Well done",)
