"""A project whose words attack those who read the report of it."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.worker.changes.conftest import Project
from worker.check.check_plan import CheckRequest
from worker.check.pipeline import check
from worker.cli.progress import SilentListener
from worker.errors import MachineError
from worker.report.artifacts import write_artifacts
from worker.report.report_formats import FORMATS, render
from worker.sandbox.isolation import find_isolation
from worker.settings.operator_settings import read_settings

SCREEN = "\x1b[2J\x1b]0;owned\x07\x9b1m"
PAGE = "<script>alert(1)</script><img src=x onerror=alert(2)>"
COMMENT = "[click](https://evil.example) @maintainer ![x](https://evil.example/p.png)"
LOG = "\n::error file=a.py::owned\n```\n# Approved\n"
QUOTES = "'''\"\"\"; import os; os._exit(0) #"
WORDS = SCREEN + PAGE + COMMENT + LOG + QUOTES + "\u202e"
SOURCE = f"""\
import sys
from google.cloud import vision

WORDS = {WORDS!r}


class Odd(LookupError):
    pass


Odd.__name__ = Odd.__qualname__ = WORDS
Odd.__module__ = "x](y" + WORDS


class Shelf:
    def __repr__(self):
        return WORDS

    def __getitem__(self, key):
        return getattr(self, WORDS)


def first_line(path):
    sys.stderr.write(WORDS)
    client = vision.ImageAnnotatorClient()
    with open(path, "rb") as file:
        image = vision.Image(content=file.read())
    found = client.text_detection(image=image).text_annotations
    if not found:
        return Shelf()[0]
    return WORDS
"""


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """Every form of the report, and the folder of its files."""
    try:
        find_isolation()
    except MachineError as missing:
        pytest.skip(str(missing))
    folder = tmp_path_factory.mktemp("hostile")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(folder / "state"))
        project = Project(folder / "project")
        project.commit(app="x = 1\n")
        project.write("reader.py", SOURCE)
        request = CheckRequest(project.root, base="HEAD", offline=True, inputs=2, seconds=60)
        checked = check(request, read_settings(None), SilentListener())
    artifacts = write_artifacts(checked.report, folder / "artifacts", checked.sources)
    assert [finding.rule for finding in checked.report.findings] == ["code/error"]
    return {form: render(form, checked.report, artifacts) for form in FORMATS}, folder


@pytest.mark.parametrize("form", sorted(FORMATS))
def test_no_form_drives_a_terminal(reports, form):
    text = reports[0][form]
    assert re.findall(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", text) == []
    text.encode("utf-8")


def test_message_arrives_as_words(reports):
    (finding,) = json.loads(reports[0]["json"])["findings"]
    assert "evil.example" in finding["message"]


def test_page_holds_no_markup_of_the_project(reports):
    page = reports[0]["html"]
    assert "alert(1)" in page
    for tag in ("<script>alert", "<img src=x", 'href="https://evil', 'src="https://evil'):
        assert tag not in page


def test_comment_neither_mentions_links_nor_shows(reports):
    comment = reports[0]["markdown"]
    outside_code = re.sub(r"(`+)[^`].*?\1", "", comment, flags=re.DOTALL)
    for living in ("<script", "<img src=x", "](https://evil", "@maintainer"):
        assert living not in outside_code
    assert not re.search(r"(?m)^(# Approved|::error)", outside_code)


def test_forms_for_machines_stay_whole(reports):
    texts, _ = reports
    assert json.loads(texts["sarif"])["runs"][0]["results"]
    assert ET.fromstring(texts["junit"]).tag in {"testsuites", "testsuite"}
    assert json.loads(texts["json"])["schema"] == "assayer-report/1"


def test_reproducer_runs_nothing_of_the_words(reports):
    (path,) = (reports[1] / "artifacts").glob("*.py")
    source = path.read_text(encoding="utf-8")
    compile(source, path.name, "exec")
    assert not re.search(r"(?m)^[^#\"']*os\._exit", source)


def test_files_stay_in_their_folder(reports):
    """Nothing is written beside the artifacts; the names are ours."""
    folder: Path = reports[1]
    assert {path.name for path in folder.iterdir()} <= {"project", "state", "artifacts"}
    for path in (folder / "artifacts").rglob("*"):
        assert re.fullmatch(r"[\w.-]+", path.name)
