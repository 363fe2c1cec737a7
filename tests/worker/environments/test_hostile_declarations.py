"""What hostile files cannot do."""

import os
import time
from itertools import pairwise

import pytest

from tests.end_to_end.decoys import decoys
from worker.environments.declarations.declaration import TargetPython
from worker.environments.declarations.declaration_reader import declared_python, read_declaration

TARGET = TargetPython("3.11.7")
EVIL = "https://evil.example"
LEFT_OUT = [
    ("-e git+https://evil.example/x#egg=x", "editable"),
    ("git+ssh://git@evil.example/x", "address"),
    ("https://evil.example/x.whl", "address"),
    ("./wheels/x.whl", "path"),
    ("../outside/x.whl", "path"),
    ("/etc/x.whl", "path"),
    ("x @ https://evil.example/x.whl", "direct address"),
    ("x @ git+https://evil.example/x", "version control"),
    ("x @ file:///etc/passwd", "local path"),
    ("x === 1--index-url", "==="),
    ("x y z", "cannot be read"),
    ("${HOME}", "cannot be read"),
    ("x\u202e\x1b[31m==1", "cannot be read"),
    ("x" * 600, "too long"),
]
OPTIONS = ["--index-url", "-i", "--extra-index-url", "-f", "--find-links", "--trusted-host"]


@pytest.mark.parametrize(("line", "reason"), LEFT_OUT)
def test_what_is_not_of_the_index_is_named_not_installed(line, reason, tree):
    declaration = read_declaration(tree({"requirements.txt": f"{line}\nflask\n"}), [], TARGET)
    assert [wanted.line for wanted in declaration.wanted] == ["flask"]
    (left_out,) = declaration.left_out
    assert reason in left_out.reason
    assert str(left_out).isprintable()
    assert len(str(left_out)) < 250


@pytest.mark.parametrize("option", OPTIONS)
def test_options_reach_no_installer(option, tree):
    text = f"{option} {EVIL}/simple\n{option}={EVIL}\nflask {option} {EVIL}\n"
    declaration = read_declaration(tree({"requirements.txt": text}), [], TARGET)
    lines = [wanted.line for wanted in declaration.wanted]
    assert lines == ["flask"]
    assert any(option in note for note in declaration.notes)


@pytest.mark.parametrize(
    "name", ["../secret.txt", "/etc/passwd", "link.txt", "folder/s.txt", "fifo"]
)
def test_includes_stay_in_the_tree(name, tree, tmp_path):
    (tmp_path / "secret.txt").write_text("secret-package\n")
    root = tree({"requirements.txt": f"-r {name}\n-c {name}\nflask\n"})
    (root / "link.txt").symlink_to("../secret.txt")
    (root / "folder").symlink_to("..")
    os.mkfifo(root / "fifo")
    declaration = read_declaration(root, [], TARGET)
    assert [wanted.line for wanted in declaration.wanted] == ["flask"]
    assert len(declaration.notes) == 2
    assert "secret-package" not in str(declaration)


def test_linked_declarations_are_not_followed(tree, tmp_path):
    (tmp_path / "secret.txt").write_text("secret-package\n")
    root = tree({"app.py": ""})
    (root / "requirements.txt").symlink_to("../secret.txt")
    (root / ".python-version").symlink_to("../secret.txt")
    assert read_declaration(root, [], TARGET).wanted == []
    assert str(declared_python(root, [])) == ""


SWOLLEN = {
    "requirements.txt": "".join(f"package-{n}\n" for n in range(30_000)),
    "uv.lock": "x = 1\n" * 3_000_000,
    "pyproject.toml": "a = " + "[" * 100_000,
    "Pipfile.lock": '{"default":' * 50_000,
    "setup.py": "setup(install_requires=" + "[" * 5_000 + "]" * 5_000 + ")",
    "environment.yml": "a: &a [x, x]\n"
    + "".join(f"{new}: &{new} [*{old}, *{old}]\n" for old, new in pairwise("abcdefghijklmnop")),
}


@pytest.mark.parametrize("name", SWOLLEN)
def test_swollen_files_end_soon(name, tree):
    root = tree({name: SWOLLEN[name]})
    began = time.monotonic()
    declaration = read_declaration(root, [], TARGET)
    declared_python(root, [])
    assert time.monotonic() - began < 60
    assert len(declaration.wanted) <= 2000
    assert len(declaration.left_out) <= 2000


def test_includes_in_circles_end(tree):
    files = {"requirements.txt": "-r a.txt\n", "a.txt": "-r b.txt\nflask\n", "b.txt": "-r a.txt\n"}
    declaration = read_declaration(tree(files), [], TARGET)
    assert [wanted.line for wanted in declaration.wanted] == ["flask"]


def test_installer_heeds_nothing_where_we_stand(environment, index, tmp_path, monkeypatch):
    index.wheel("leaf", "1.0")
    with decoys(tmp_path / "strange") as strange:
        monkeypatch.chdir(strange.folder)
        monkeypatch.setenv("PATH", strange.environment()["PATH"])
        for name in ("UV_CONFIG_FILE", "PIP_CONFIG_FILE"):
            monkeypatch.setenv(name, str(strange.folder / "uv.toml"))
        made = environment({"requirements.txt": "leaf\n"})
        assert "1 package" in " ".join(made.notes)
        assert strange.heeded == []
