"""Modules are found where the project's code puts folders on the path."""

import sys
from pathlib import Path

import pytest

from analyzers.guest.clients.aws import in_words
from analyzers.guest.runtime.project_imports import ProjectFinder, Sources
from analyzers.guest.runtime.standins import Inert


def test_relative_folder_is_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("site", "model"):
        (tmp_path / name).mkdir()
    (tmp_path / "model" / "swears.py").write_text("x = 1\n")
    finder = ProjectFinder(Sources(str(tmp_path)), [str(tmp_path / "site")], 0.0)
    assert finder.find_spec("swears", None) is None
    monkeypatch.setattr(sys, "path", [*sys.path, "../model"])
    assert finder.find_spec("swears", None) is not None


def test_made_up_names_in_a_request_are_words() -> None:
    asked = {"Image": {"S3Object": {"Name": Inert("name"), "Bucket": "b"}}, "Kinds": [1]}
    assert in_words(asked) == {
        "Image": {"S3Object": {"Name": "made-up", "Bucket": "b"}},
        "Kinds": [1],
    }
