import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.analyzers.guest.guests import GuestAtHand, content, inert, literal, probe

Start = Callable[..., GuestAtHand]


@pytest.fixture
def absent(start: Start) -> Callable[[str], GuestAtHand]:
    def begin(function: str) -> GuestAtHand:
        guest = start("rough")
        reply = guest.prepare("absent.py", function, "shop/parts/prices.py")
        assert reply["type"] == "prepared", reply
        return guest

    return begin


def test_missing_modules_are_stood_in_for(start: Start) -> None:
    reply = start("rough").prepare("absent.py", "price")
    assert {"nonexistent_library", "nonexistent_web", "shop.missing_name"} <= set(reply["standins"])
    assert "os.environ['SHOP_TOKEN']" in reply["standins"]


def test_failing_statements_are_noted(start: Start) -> None:
    notes = start("rough").prepare("absent.py", "price")["notes"]
    assert any(note.startswith("absent.py:10: FileNotFoundError") for note in notes)
    assert any(note.startswith("absent.py:11: ZeroDivisionError") for note in notes)


def test_stand_in_decorator_keeps_function(absent) -> None:
    guest = absent("price")
    (result,) = guest.run(probe(item=literal("tea")))
    assert result["ending"]["value"] == "6"
    assert "shop/parts/prices.py::of#0:true" in guest.hits(result)


@pytest.mark.parametrize(
    ("function", "value"),
    [
        ("Seller.sell", "('EUR', 6)"),
        ("Seller.plain", "'tea'"),
        ("Seller.named", "('Seller', 'tea')"),
        ("Reseller.sell", "('EUR', 6)"),
        ("Reader.read", "6"),
        ("Stubborn.ask", "True"),
        ("outer.<locals>.inner", "'teatea'"),
    ],
)
def test_methods_are_called_on_instances(absent, function: str, value: str) -> None:
    assert absent(function).ending(item=literal("tea"))["value"] == value


def test_property_is_called(absent) -> None:
    assert absent("Seller.size").ending()["value"] == "7"


def test_parameters_leave_out_self(start: Start) -> None:
    reply = start("rough").prepare("absent.py", "Seller.sell")
    assert reply["parameters"] == [
        {
            "name": "item",
            "kind": "positional_or_keyword",
            "default": False,
            "annotation": None,
        }
    ]


def test_folder_that_the_program_starts_in_is_searched(start: Start, tmp_path: Path) -> None:
    for name, text in (
        ("views/show.py", "from parts.words import WORD\n\ndef f():\n    return WORD\n"),
        ("parts/words.py", "WORD = 'tea'\n"),
    ):
        place = tmp_path / "My server" / name
        place.parent.mkdir(parents=True)
        place.write_text(text)
    guest = start(tmp_path)
    guest.prepare("My server/views/show.py", "f")
    assert guest.ending()["value"] == "'tea'"


INJECTED = """
from pathlib import Path
from fastapi import Depends, UploadFile
import fastapi


def user():
    return {"name": "Ada"}


async def view(user=Depends(user), *, photo: UploadFile = fastapi.File(None), at=Path("x"), n=1):
    return user["name"]
"""


def test_what_a_framework_injects_is_given(start: Start, tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(INJECTED)
    reply = start(tmp_path).prepare("app.py", "view")
    has_default = {each["name"]: each["default"] for each in reply["parameters"]}
    assert has_default == {"user": False, "photo": False, "at": True, "n": True}


@pytest.mark.parametrize(
    ("function", "arguments", "standin"),
    [
        ("count", {"item": literal(1)}, True),
        ("index", {"items": literal([])}, False),
        ("index", {"items": inert()}, None),
        ("fails", {"item": literal(1)}, False),
        ("opens", {}, True),
        ("limit", {}, None),
    ],
)
def test_stand_in_takes_the_blame(absent, function, arguments, standin) -> None:
    ending = absent(function).ending(**arguments)
    assert ending.get("standin") is standin, ending


def test_environment_is_tolerant(absent) -> None:
    assert absent("token").ending()["value"] == "('1', None)"


def test_flask_has_the_keys_that_code_insists_on_and_no_other_setting(absent) -> None:
    ending = absent("settings").ending()
    assert (ending["exception"], ending["message"]) == ("KeyError", "'SHELVES'")


def test_package_module_keeps_relative_imports(start: Start) -> None:
    guest = start("rough")
    guest.prepare("shop/parts/prices.py", "of", "shop/rates.py")
    assert guest.ending(item=literal("cake"))["value"] == "8"


def test_notebook_functions_run(start: Start) -> None:
    guest = start("rough")
    guest.prepare("book.ipynb", "double")
    (result,) = guest.run(probe(x=literal(4)))
    assert result["ending"]["value"] == "8"
    assert guest.hits(result) == {"book.ipynb::double#0:true"}


def test_module_level_runs_anew(start: Start) -> None:
    guest = start("rough")
    guest.prepare("book.ipynb", "<module>")
    (result,) = guest.run(probe())
    assert result["ending"] == {"kind": "returned", "value": "None"}
    assert "book.ipynb::<module>#0:true" in guest.hits(result)


def test_main_block_runs(start: Start) -> None:
    guest = start("rough")
    guest.prepare("script.py", "__main__")
    (result,) = guest.run(probe())
    assert result["ending"]["exception"] == "IndexError"
    assert (result["ending"]["line"], result["ending"]["function"]) == (13, "__main__")
    assert "script.py::__main__#0:true" in guest.hits(result)


@pytest.mark.parametrize(
    ("path", "function"),
    [("old.py", "f"), ("absent.py", "nowhere"), ("none.py", "f"), ("absent.py", "LIMIT")],
)
def test_what_cannot_load_says_why(start: Start, path: str, function: str) -> None:
    reply = start("rough").prepare(path, function)
    assert reply["type"] == "unprepared"
    assert path in reply["reason"] or function in reply["reason"]


def test_work_folder_is_not_the_checkout(start: Start, tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "data.txt").write_text("seven")
    (root / "app.py").write_text(
        "def main(name):\n"
        "    text = open('data.txt').read()\n"
        "    open(name, 'w').write(text)\n"
        "    return open(name).read()\n"
    )
    guest = start(root)
    guest.prepare("app.py", "main")
    assert guest.ending(name=literal("new.txt"))["value"] == "'seven'"
    assert not (root / "new.txt").exists()


def test_work_folder_inside_the_project_does_not_show_itself(start: Start, tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text("import os\ndef main():\n    return sorted(os.listdir())\n")
    guest = start(tmp_path)
    guest.prepare("app.py", "main")
    shown = guest.ending()["value"]
    assert "app.py" in shown
    assert "work-" not in shown


def test_module_of_a_package_hides_no_library(start: Start, tmp_path: Path) -> None:
    folder = tmp_path / "project" / "package" / "backend"
    folder.mkdir(parents=True)
    for package in (folder.parent, folder):
        (package / "__init__.py").touch()
    (folder / "beside.py").write_text("NUMBER = 3")
    (folder / "numpy.py").write_text(
        "import numpy as np\nimport beside\ndef three():\n    return int(np.abs(-beside.NUMBER))\n"
    )
    guest = start(tmp_path / "project")
    guest.prepare("package/backend/numpy.py", "three")
    assert guest.ending()["value"] == "3"


def test_folders_of_the_project_can_be_written_to(start: Start, tmp_path: Path) -> None:
    root = tmp_path / "project"
    (root / "static" / "uploads").mkdir(parents=True)
    (root / "static" / "uploads" / "old.txt").write_text("seven")
    (root / "app.py").write_text(
        "from pathlib import Path\n"
        "def main(name):\n"
        "    place = Path.cwd() / 'static' / 'uploads'\n"
        "    (place / name).touch()\n"
        "    (place / name).write_bytes((place / 'old.txt').read_bytes())\n"
        "    return (place / name).read_text()\n"
    )
    guest = start(root)
    guest.prepare("app.py", "main")
    assert guest.ending(name=literal("new.txt"))["value"] == "'seven'"
    assert [file.name for file in (root / "static" / "uploads").iterdir()] == ["old.txt"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "expression", "value"),
    [
        ("path", "open(x, 'rb').read()", "b'hello'"),
        ("path", "x.endswith('.txt')", "True"),
        ("bytes", "x", "b'hello'"),
        ("file", "(x.read(), x.filename[-4:], x.name[-4:])", "(b'hello', '.txt', '.txt')"),
        ("base64", "x", "'aGVsbG8='"),
        ("text", "x", "'hello'"),
    ],
)
def test_content_takes_every_form(start, tmp_path, form, expression, value) -> None:
    (tmp_path / "app.py").write_text(f"def f(x):\n    return {expression}\n")
    guest = start(tmp_path)
    guest.prepare("app.py", "f")
    given = probe(x=content(form, suffix=".txt"))
    (result,) = guest.run(given, blobs={"b1": b"hello"})
    assert result["ending"] == {"kind": "returned", "value": value}


def test_pictures_are_opened_and_missing_ones_are_blank(start: Start, tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(APP)
    guest = start(tmp_path)
    guest.prepare("app.py", "opened")
    blank = {
        form: {"kind": "content", "form": form, "blob": None, "suffix": ".png"}
        for form in ("path", "pil", "numpy")
    }
    assert guest.ending(**blank)["value"] == str([(64, 64)] * 4)


def _python_39() -> str | None:
    for python in (
        "python3.9",
        *sorted(map(str, Path.home().glob(".pyenv/versions/3.9*/bin/python"))),
    ):
        found = shutil.which(python)
        if (
            found
            and subprocess.run([found, "-c", ""], capture_output=True, check=False).returncode == 0
        ):
            return found
    return None


@pytest.mark.parametrize(
    ("path", "function", "value"),
    [("absent.py", "price", "6"), ("absent.py", "Seller.sell", "('EUR', 6)")],
)
def test_python_39_will_do(start: Start, path: str, function: str, value: str) -> None:
    python = _python_39()
    if python is None:
        pytest.skip("no Python 3.9 here")
    guest = start("rough", python=python)
    assert guest.prepare(path, function)["type"] == "prepared"
    assert guest.ending(item=literal("tea"))["value"] == value


APP = """
def prefixed(path):
    with open("uploads/" + path, "rb") as file:
        return file.read()


def snapshot(path):
    with open("shot.jpg", "rb") as file:
        return file.read()[1:4]


def opened(path, pil, numpy):
    from PIL import Image

    files = [Image.open("shot.jpg").size, Image.open(path).size]
    return [*files, pil.size, tuple(numpy.shape[1::-1])]


def read(path):
    import cv2

    return cv2.imread("shot.jpg").shape, cv2.imread("other.txt")


def settings(path):
    try:
        return open("settings.json").read()
    except FileNotFoundError:
        return "none"
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "value"),
    [
        ("prefixed", "b'hello'"),
        ("snapshot", "b'PNG'"),
        ("settings", "'none'"),
        ("read", "((64, 64, 3), None)"),
    ],
)
def test_missing_files_are_served(start: Start, tmp_path: Path, function, value) -> None:
    (tmp_path / "app.py").write_text(APP)
    guest = start(tmp_path)
    guest.prepare("app.py", function)
    (result,) = guest.run(probe(path=content("path")), blobs={"b1": b"hello"})
    assert result["ending"] == {"kind": "returned", "value": value}


def test_own_folder_does_not_hide_the_sdk(start: Start, tmp_path: Path) -> None:
    (tmp_path / "cloud").mkdir()
    (tmp_path / "cloud" / "google.py").write_text(
        "from google.cloud import vision\n\n\ndef f():\n"
        "    return vision.Feature.Type.LABEL_DETECTION.name\n"
    )
    guest = start(tmp_path)
    assert guest.prepare("cloud/google.py", "f")["notes"] == []
    assert guest.ending()["value"] == "'LABEL_DETECTION'"
