"""SDKs that are built otherwise than those that are known, or that fail."""

import sys
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.analyzers.guest.guests import LABELS, content, labels, probe

FOOD = [(LABELS, labels(("Food", 0.9)))]
APP = """
from google.cloud import vision_v1


def call(x):
    client = vision_v1.ImageAnnotatorClient()
    response = client.label_detection(image=vision_v1.Image(content=x))
    return [found.description for found in response.label_annotations]
"""
FAILING = "from .types import Image\nimport a_package_that_is_not_installed\n"
LITE = "class ImageAnnotatorClient:\n    def label_detection(self, image):\n        raise OSError\n"
TYPES = "class Image:\n    def __init__(self, content):\n        raise OSError\n"
STRANGE = "class ImageAnnotatorClient:\n    get_transport_class = None\n"
STRANGE += STRANGE.replace("ImageAnnotator", "StrangeAsync")


@pytest.fixture
def python(tmp_path: Path) -> Callable[[str], str]:
    """An interpreter whose only package is a vision SDK with this text."""

    def make(text: str) -> str:
        folder = tmp_path / "python"
        venv.create(folder, symlinks=True)
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        package = folder / "lib" / version / "site-packages" / "google" / "cloud" / "vision_v1"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text(text)
        (package / "types.py").write_text(TYPES)
        return str(folder / "bin" / "python")

    return make


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "app.py").write_text(APP)
    return tmp_path / "tree"


def test_part_of_an_sdk_that_sends_nothing_is_not_imported(start, project) -> None:
    text = "import sys\nfrom google.cloud import vision\n\n\ndef call(x):\n    return %s\n"
    (project / "app.py").write_text(text % "'aiohttp' in sys.modules, callable(vision.Image)")
    guest = start(project)
    guest.prepare("app.py", "call")
    (result,) = guest.run(probe([], x=content("bytes")), blobs={"b1": b"picture"})
    assert result["ending"]["value"] == "(False, True)"


def test_sdk_that_fails_to_import_is_stood_in_for(start, python, project) -> None:
    guest = start(project, python=python(FAILING))
    assert "google.cloud.vision_v1" in guest.prepare("app.py", "call")["standins"]
    (result,) = guest.run(probe(FOOD, x=content("bytes")), blobs={"b1": b"picture"})
    assert result["ending"] == {"kind": "returned", "value": "['Food']"}


@pytest.mark.parametrize("text", [LITE, STRANGE])
def test_sdk_of_another_build_is_made_inert_and_named(start, python, project, text: str) -> None:
    image = "class Image:\n    def __init__(self, content):\n        pass\n"
    guest = start(project, python=python(text + image))
    assert "google.cloud.vision_v1" in guest.prepare("app.py", "call")["standins"]
    (result,) = guest.run(probe(FOOD, x=content("bytes")), blobs={"b1": b"picture"})
    assert result["ending"]["kind"] == "returned"
