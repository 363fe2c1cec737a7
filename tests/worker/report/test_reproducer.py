"""Reproducers fail where the defect is and pass where it is fixed, with any SDK or none."""

import pytest

from analyzers.vocabulary import (
    Crashes,
    Exchange,
    Form,
    InertArgument,
    InputArgument,
    LiteralArgument,
    Probe,
    Turns,
)
from tests.worker.report import samples
from tests.worker.report.running import bare_site, run
from worker.report.reproducer import reproducer
from worker.report.reproducer import test_name as name_of

LATE = {"Delivery": {"late": True}}
FINDINGS = [
    samples.crash(),
    samples.low_recall(),
    samples.mixed_sentiment(),
    samples.dead_branch(),
    samples.changed(),
]
SAID = {
    "cloud/crash": "IndexError: list index out of range",
    "cloud/low-recall": "4 of 10 inputs make the condition true",
    "cloud/mixed-sentiment": "3 of 3 positive and 3 of 3 negative texts",
    "cloud/dead-branch": "is always true",
    "behaviour/changed": "2 of 2 inputs had another outcome",
}


@pytest.fixture(scope="module", params=["installed", "absent"])
def site(request, tmp_path_factory):
    if request.param == "installed":
        return None
    return bare_site(tmp_path_factory.mktemp("packages") / "site")


def write_tests(folder, findings, sources):
    for finding in findings:
        text = reproducer(finding, sources)
        assert text is not None
        (folder / f"{name_of(finding)}.py").write_text(text)


@pytest.fixture(scope="module")
def results(site, tmp_path_factory):
    folder = tmp_path_factory.mktemp("shop")
    write_tests(folder, FINDINGS, samples.SOURCES)
    samples.write_project(folder, samples.SOURCES)
    before = run(folder, site)
    samples.write_project(folder, samples.FIXED)
    return before, run(folder, site)


@pytest.mark.slow
@pytest.mark.parametrize("finding", FINDINGS, ids=lambda f: f.rule)
def test_fails_until_it_is_fixed(results, finding):
    before, after = results
    assert SAID[finding.rule] in before[name_of(finding)]
    assert after[name_of(finding)] is None


SHAPES = {
    "old/types_and_enums.py": """
from google.cloud import vision
from google.cloud.vision import types
from google.cloud.vision import enums

def read(content):
    client = vision.ImageAnnotatorClient()
    feature = types.Feature(type=enums.Feature.Type.LABEL_DETECTION)
    response = client.annotate_image({"image": types.Image(content=content), "features": [feature]})
    raise LookupError([label.description for label in response.label_annotations])
""",
    "old/first_generation.py": """
from google.cloud import vision
from google.cloud import language

def read(content):
    labels = vision.Client().image(content=content).detect_labels(limit=3)
    document = language.Client().document_from_text("fine")
    raise LookupError([labels[0].description, document.analyze_sentiment().sentiment.score])
""",
    "pkg/__init__.py": "",
    "pkg/sub/__init__.py": "",
    "pkg/sub/asking.py": """
from google.cloud import vision_v1 as vision
from ..naming import named

class Asker:
    def __init__(self, config):
        self.limit = config["limits"] / 0

    async def ask(self, content, /):
        client = vision.ImageAnnotatorAsyncClient()
        request = {"image": {"content": content}, "features": [{"type_": "LABEL_DETECTION"}]}
        answer = await client.batch_annotate_images(requests=[request])
        raise LookupError(named(answer.responses[0].label_annotations))
""",
    "pkg/naming.py": "def named(labels):\n    return [label.description for label in labels]\n",
    "forms.py": """
import functools
import os
import numpy
from PIL import Image
from google.cloud import vision

KEY = os.environ["SHOP_KEY"]

def traced(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        return None
    return inner

@traced
def read(pil, array, text, file, name, *, logger):
    logger.info("reading")
    with vision.ImageAnnotatorClient() as client:
        response = client.face_detection(image=vision.Image(content=file.read()))
    face = response.face_annotations[0]
    raise LookupError([
        pil.size, array.shape, array[0, 0].tolist(), text[:6], name, KEY,
        face.joy_likelihood >= vision.Likelihood.LIKELY, face.joy_likelihood.name,
        round(face.detection_confidence, 12), response.error.message,
        list(response.text_annotations), face.bounding_poly.vertices[0].y,
    ])
""",
    "scripts/my-run.py": """
import sys
from google.cloud import vision

if __name__ == "__main__":
    response = vision.ImageAnnotatorClient().text_detection(image=vision.Image())
    raise LookupError(response.text_annotations[0].description)
""",
}
FACE = {
    "face_annotations": [
        {
            "joy_likelihood": "VERY_LIKELY",
            "detection_confidence": 0.9,
            "bounding_poly": {"vertices": [{"x": 3}]},
        }
    ]
}
RED = samples.image("", "red")


def raising(target, arguments, *script):
    return samples.crash(
        target=target,
        symbol=target,
        probes=(Probe(target, arguments, script),),
        criterion=Crashes("LookupError", *target.split("::")),
        suggestion=None,
    )


SHAPED = {
    "['Cat']": raising(
        "old/types_and_enums.py::read",
        {"content": InputArgument(Form.BYTES, RED)},
        samples.labels("Cat"),
    ),
    "['Dog', 0.5]": raising(
        "old/first_generation.py::read",
        {"content": InputArgument(Form.BYTES, RED)},
        samples.labels("Dog", "Cat"),
        samples.sentiment(0.5, 0.9),
    ),
    "['Sky', 'Sea']": raising(
        "pkg/sub/asking.py::Asker.ask",
        {"content": InputArgument(Form.BYTES, RED)},
        samples.labels("Sky", "Sea"),
    ),
    "[(220, 140), (140, 220, 3), [0, 0, 255], 'iVBORw', 'a', '1', True, 'VERY_LIKELY',"
    " 0.899999976158, '', [], 0]": raising(
        "forms.py::read",
        {
            "pil": InputArgument(Form.PIL, RED),
            "array": InputArgument(Form.NUMPY, RED),
            "text": InputArgument(Form.BASE64, RED),
            "file": InputArgument(Form.FILE, RED),
            "name": LiteralArgument("'a'"),
            "logger": InertArgument(),
        },
        Exchange("google.vision.face_detection", "0" * 64, FACE),
    ),
    "'Total 12'": raising(
        "scripts/my-run.py::__main__",
        {},
        samples.exchange(
            "google.vision.text_detection", {"text_annotations": [{"description": "Total 12"}]}
        ),
    ),
}


@pytest.fixture(scope="module")
def shaped(site, tmp_path_factory):
    folder = tmp_path_factory.mktemp("shapes")
    samples.write_project(folder, SHAPES)
    write_tests(folder, SHAPED.values(), SHAPES)
    return run(folder, site)


@pytest.mark.slow
@pytest.mark.parametrize("said", SHAPED, ids=[f.target for f in SHAPED.values()])
def test_calls_every_shape_of_code(shaped, said):
    assert shaped[name_of(SHAPED[said])] == f"LookupError: {said.strip(chr(39))}"


@pytest.mark.parametrize(
    ("finding", "sources"),
    [
        (samples.crash(target="a.py::outer.<locals>.inner"), {}),
        (samples.crash(target="a.ipynb::f"), {}),
        (samples.crash(), {"a.py": "URL = 'https://vision.googleapis.com/v1/images:annotate'"}),
        (samples.low_recall(), {}),
        (samples.low_recall(), {"shop/alarm.py": "def other(): pass"}),
        (samples.low_recall(), {"shop/alarm.py": "def broken("}),
        (raising("a.py::f", {}, samples.exchange("aws.rekognition.detect_labels", {})), {}),
        (raising("a.py::f", {}, samples.exchange("google.vision.label_detection", LATE)), {}),
        (samples.changed(criterion=Turns(("a",), ("b",), (samples.FIRE,))), samples.SOURCES),
        (samples.changed(criterion=Turns(("'inputs/a'",), ("'b'",))), samples.SOURCES),
    ],
)
def test_says_when_there_is_none(finding, sources):
    assert reproducer(finding, sources) is None


@pytest.mark.slow
def test_empty_slots_are_given_empty_inputs(tmp_path):
    source = """
def take(a, b, c, d, e, f, g):
    raise LookupError([open(a).read(), b, c.read(), d, e, f.size, g.shape])
"""
    forms = [Form.PATH, Form.BYTES, Form.FILE, Form.BASE64, Form.TEXT, Form.PIL, Form.NUMPY]
    finding = raising("take.py::take", dict(zip("abcdefg", map(InputArgument, forms), strict=True)))
    samples.write_project(tmp_path, {"take.py": source})
    write_tests(tmp_path, [finding], {})
    [said] = run(tmp_path).values()
    assert said == "LookupError: ['', b'', b'', '', '', (1, 1), (1, 1, 3)]"


def test_hostile_text_cannot_run():
    text = "import os\n'''\"\"\"\r\x0cos.abort()\n{{ 1 }}\x00"
    item = samples.image("x")
    finding = raising(
        "a'b.py::f",
        {
            "x": InputArgument(Form.TEXT, samples.tweet(text, "odd\nos.abort()")),
            "y": LiteralArgument("'\\n'"),
        },
        samples.exchange("google.vision.label_detection", {"error": {"message": text}}),
    )
    made = reproducer(finding, {})
    assert made is not None
    names = {node.split("(")[0] for node in made.splitlines() if node.startswith("os.")}
    assert names == set()
    compile(made, "made.py", "exec")
    assert item.digest not in made
