"""The wheel, installed by the programs that people use, away from this checkout."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.worker.changes.conftest import Project

ROOT = Path(__file__).parents[2]
UV = str(Path(sys.executable).with_name("uv"))
SECONDS = 1500

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    command = [UV, "build", "--wheel", "--quiet", "--out-dir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, timeout=SECONDS)
    [wheel] = folder.glob("*.whl")
    return wheel


@pytest.fixture
def clean(tmp_path):
    """A home of its own; only where packages come from stays as it is."""
    kept = {
        name: text
        for name, text in os.environ.items()
        if name.startswith(("PIP_", "UV_", "SSL_", "REQUESTS_CA")) or name.lower().endswith("proxy")
    }
    cache = kept.get("UV_CACHE_DIR", str(Path.home() / ".cache" / "uv"))
    return {
        **kept,
        "PATH": f"{tmp_path}/bin:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(tmp_path),
        "UV_CACHE_DIR": cache,
        "UV_PYTHON": sys.executable,
        "UV_TOOL_DIR": str(tmp_path / "tools"),
        "UV_TOOL_BIN_DIR": str(tmp_path / "bin"),
        "PIPX_HOME": str(tmp_path / "pipx"),
        "PIPX_BIN_DIR": str(tmp_path / "bin"),
        # compiling a hundred packages takes longer than installing them
        "PIP_NO_COMPILE": "1",
    }


@pytest.fixture
def changed(tmp_path):
    """A project with a change that adds a crash on an empty answer."""
    project = Project(tmp_path / "project")
    project.commit(app="a = 1\n")
    project.write(
        "app.py",
        "from google.cloud import vision\n\n\n"
        "def first_word(content):\n"
        "    client = vision.ImageAnnotatorClient()\n"
        "    answer = client.text_detection(image=vision.Image(content=content))\n"
        "    return answer.text_annotations[0].description\n",
    )
    return project.root


def run(*command, cwd, env):
    return subprocess.run(
        [*map(str, command)],
        cwd=cwd,
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )


def test_installed_program_checks_a_change(wheel, clean, changed, tmp_path):
    done = run(UV, "tool", "install", "--quiet", wheel, cwd=tmp_path, env=clean)
    assert done.returncode == 0, done.stderr
    options = ("--offline", "--budget", "60", "--inputs", "4", "--output", tmp_path / "r.json")
    checked = run("assayer", "check", *options, cwd=changed, env=clean)
    assert checked.returncode == 1, checked.stderr
    assert "new failure app.py:7 IndexError" in checked.stderr
    shown = run("assayer", "report", tmp_path / "r.json", cwd=changed, env=clean)
    assert "cloud/crash" in shown.stdout


def test_pipx_installs_the_program(wheel, clean, tmp_path):
    pipx = (UV, "tool", "run", "--quiet", "pipx", "install")
    done = run(*pipx, wheel, cwd=tmp_path, env=clean)
    assert done.returncode == 0, done.stderr
    assert run("assayer", "--version", cwd=tmp_path, env=clean).stdout.startswith("assayer, ")


def test_program_runs_without_being_installed(wheel, clean, tmp_path):
    uvx = (UV, "tool", "run", "--quiet", "--from", wheel, "assayer")
    assert run(*uvx, "--version", cwd=tmp_path, env=clean).stdout.startswith("assayer, ")


def test_wheel_has_what_the_code_reads(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    listed = subprocess.run(
        ["git", "ls-files", "app", "worker", "analyzers", "templates"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert [path for path in listed.stdout.split() if path not in names] == []
