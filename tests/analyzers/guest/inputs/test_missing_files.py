"""Folders, files, fonts and pickles that are not here do not keep code from its request."""
# ruff: noqa: PTH107, PTH123, PTH208 - the functions that code under test calls

import os
import pickle
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from analyzers.guest.inputs import external_inputs, project_files
from analyzers.guest.runtime import assumptions, drawing
from analyzers.guest.runtime.standins import Inert, is_standin

NAMES = ("stat", "mkdir", "listdir", "remove", "unlink", "chmod", "utime")


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Intercept the files of this folder, as if these tests were the project, for one test."""
    monkeypatch.setattr("builtins.open", open)
    monkeypatch.setattr("io.open", open)
    for name in NAMES:
        monkeypatch.setattr(os, name, getattr(os, name))
    for name in ("load", "loads"):
        monkeypatch.setattr(pickle, name, getattr(pickle, name))
    monkeypatch.setattr(project_files, "_known", project_files._Files())
    project_files.intercept_opening(str(Path(__file__).parent))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_file_to_change_that_is_missing_is_made_up() -> None:
    with assumptions.assuming({"content": b"picture"}), open("/nowhere/a.png", "r+b") as file:
        assert file.read() == b"picture"


def test_folder_lists_what_was_written_to_it() -> None:
    with open("missing/one.txt", "w") as file:
        file.write("x")
    assert os.listdir("missing") == ["one.txt"]


def test_copy_to_a_missing_folder_is_made(project: Path) -> None:
    (project / "a.txt").write_text("x")
    shutil.copy("a.txt", "missing/b.txt")
    with open("missing/b.txt") as file:
        assert file.read() == "x"


def test_path_for_windows_leads_to_the_file_that_is_here(project: Path) -> None:
    (project / "data").mkdir()
    (project / "data" / "words.txt").write_text("tea")
    for path in ("data\\words.txt", f"{project}\\data\\words.txt"):
        with open(path) as file:
            assert file.read() == "tea"


def test_text_of_another_machine_is_read(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(project_files._known, "root", str(project))
    (project / "words.txt").write_bytes(b"caf\xe9")
    with open("words.txt") as file:
        assert file.read() == "caf\xe9"
    with open("words.txt", encoding="utf-8") as file, pytest.raises(UnicodeDecodeError):
        file.read()


def test_missing_text_is_no_picture() -> None:
    with assumptions.assuming({"content": b"\xff\xd8"}), open("/nowhere/names.txt") as file:
        assert file.read() == "1\n"


def test_assumed_file_of_a_missing_folder_can_be_removed() -> None:
    with assumptions.assuming({"content": "words"}):
        os.remove(f"missing/{os.listdir('missing')[0]}")
    with pytest.raises(FileNotFoundError):
        os.remove("missing/other.txt")


def test_pickle_that_is_not_here_is_made_up() -> None:
    with assumptions.assuming({"content": b"no pickle"}):
        assert is_standin(pickle.loads(b"no pickle"))
    with pytest.raises(pickle.UnpicklingError):
        pickle.loads(b"no pickle")


def test_name_about_the_content_is_none() -> None:
    with assumptions.assuming({"content": b"picture"}):
        assert is_standin(Inert("config")["MAX_CONTENT_LENGTH"])


def test_word_of_a_form_equals_what_is_assumed() -> None:
    fields = external_inputs.RequestFields(text="1111")
    assert fields["text"][0] != "#"
    with assumptions.assuming({"facts": {"input() == '#'": True}}):
        assert fields["text"][0] == "#"
        assert fields.get("text") != "@"


def test_number_on_the_command_line_is_one() -> None:
    with external_inputs.external_inputs({"sys.argv": ["x", "a word"]}, {}):
        assert int(sys.argv[1]) == 1


def test_missing_font_is_replaced() -> None:
    module = SimpleNamespace(truetype=_refuse, load_default=lambda size: size)
    drawing.patch_fonts(module)
    assert module.truetype("/nowhere/Sans.ttf", 40) == 40
    with pytest.raises(OSError, match="no font"):
        module.truetype(__file__, 40)


def _refuse(font: object, size: float) -> None:
    raise OSError("no font", font, size)


def test_backend_of_windows_is_no_obstacle() -> None:
    asked: list[bool] = []
    module = SimpleNamespace(use=lambda backend, force: asked.append(force))
    drawing.patch_matplotlib(module)
    module.use("TkAgg")
    assert asked == [False]


def test_old_constants_of_pillow_are_there() -> None:
    module = SimpleNamespace(LANCZOS=1, BILINEAR=2, CUBIC=9)
    drawing.patch_pictures(module)
    assert (module.ANTIALIAS, module.LINEAR, module.CUBIC) == (1, 2, 9)
