"""Which files a campaign is on: those of a checkout, or a file with what it imports."""

import pytest

from tests.end_to_end.repositories import small_repository
from worker.check.model_file import open_model_file
from worker.errors import UsageError

NET = "import torch\nfrom layers import Block\nimport parts.conv\n"


@pytest.fixture
def folder(tmp_path):
    files = {
        "net.py": NET,
        "layers.py": "from helpers import size\n",
        "helpers.py": "import net\n",
        "parts/__init__.py": "",
        "parts/conv.py": "",
        "other.py": "",
        "requirements.txt": "torch\n",
    }
    for path, text in files.items():
        place = tmp_path / "project" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return tmp_path / "project"


def test_lone_file_comes_with_what_it_imports(folder):
    file = open_model_file(folder / "net.py")
    assert (file.path, file.folder) == ("net.py", folder)
    assert set(file.changes.sources) == {
        "net.py",
        "layers.py",
        "helpers.py",
        "parts/__init__.py",
        "parts/conv.py",
    }
    assert [change.path for change in file.changes.changes] == ["net.py"]


def test_tree_of_a_lone_file_has_what_it_declares(folder, tmp_path):
    file = open_model_file(folder / "net.py")
    (tmp_path / "tree").mkdir()
    assert file.write(None, tmp_path / "tree") == ()
    written = {
        each.relative_to(tmp_path / "tree").as_posix()
        for each in (tmp_path / "tree").rglob("*")
        if each.is_file()
    }
    assert written == {*file.changes.sources, "requirements.txt"}


def test_file_of_a_checkout_comes_with_its_project(tmp_path):
    tree = small_repository(tmp_path / "nets", {"src/net.py": NET, "data.py": ""})
    (tree / "src" / "net.py").write_text("import torch\n", encoding="utf-8")
    file = open_model_file(tree / "src" / "net.py")
    assert (file.path, file.folder, file.write) == ("src/net.py", tree, None)
    assert file.changes.sources == {"src/net.py": "import torch\n", "data.py": ""}


def test_ignored_file_is_alone(tmp_path):
    tree = small_repository(tmp_path / "nets", {".gitignore": "scratch/\n", "net.py": ""})
    (tree / "scratch").mkdir()
    (tree / "scratch" / "mine.py").write_text("import torch\n", encoding="utf-8")
    file = open_model_file(tree / "scratch" / "mine.py")
    assert (file.path, set(file.changes.sources)) == ("mine.py", {"mine.py"})
    assert file.write is not None


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("absent.py", None, "absent.py: there is no such file"),
        ("net.txt", b"x = 1\n", "is no Python file"),
        ("net.py", b"import torch\n\ndef f(:\n", "net.py:3: invalid syntax"),
        ("net.py", b"\0\1\2", "it is a binary file"),
        ("net.py", b"x = '\xff'\n", "cannot be decoded"),
    ],
    ids=["absent", "no Python", "syntax", "binary", "encoding"],
)
def test_file_that_cannot_be_read_is_wrong_usage(name, content, said, tmp_path):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(UsageError) as error:
        open_model_file(tmp_path / name)
    assert said in str(error.value)


def test_folder_is_wrong_usage(tmp_path):
    with pytest.raises(UsageError, match="is a folder"):
        open_model_file(tmp_path)
