"""What programs of the machine see of our environment: the secrets in it they never do."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import worker.check.leftovers
import worker.sandbox.cgroups
import worker.system.programs
from worker.changes.git import Git
from worker.cli.demo import unpack
from worker.system.programs import environment, located, remove_current_folder, search_path
from worker.system.temporary_files import remove

ROOT = Path(__file__).parents[3]
CANARY = "canary-of-a-credential"


@pytest.fixture
def watched(tmp_path, monkeypatch):
    """Programs that write down what they were given, and do their work."""
    folder, seen = tmp_path / "bin", tmp_path / "seen"
    folder.mkdir()
    for name in ("git", "rm", "chmod"):
        program = folder / name
        program.write_text(f'#!/bin/sh\nenv >> "{seen}"\nexec {shutil.which(name)} "$@"\n')
        program.chmod(0o755)
    path = f"{folder}:{worker.system.programs.SEARCH_PATH}"
    monkeypatch.setattr(worker.system.programs, "SEARCH_PATH", path)
    monkeypatch.setenv("PATH", path)
    monkeypatch.setenv("ASSAYER_TEST_KEY", CANARY)
    return seen


def stubborn(folder):
    """Remove a folder that needs other programs to go."""
    place = folder / "stubborn"
    place.mkdir()
    remove(place)
    assert not place.exists()


DEEDS = {
    "git": lambda folder: Git(Path("/")).run("version"),
    "demo": unpack,
    "rm": stubborn,
}


@pytest.mark.parametrize("deed", DEEDS)
def test_programs_see_no_secret(deed, watched, tmp_path, monkeypatch):
    def fails(path):
        raise RecursionError

    if deed == "rm":
        monkeypatch.setattr(shutil, "rmtree", fails)
    DEEDS[deed](tmp_path)
    assert "PATH=" in watched.read_text()
    assert CANARY not in watched.read_text()


def test_named_variables_are_handed_on(monkeypatch):
    monkeypatch.setenv("HOME", "/nonexistent/home")
    monkeypatch.delenv("ABSENT", raising=False)
    given = environment("HOME", "ABSENT", MORE="1")
    assert given == {
        "PATH": worker.system.programs.SEARCH_PATH,
        "HOME": "/nonexistent/home",
        "MORE": "1",
    }


@pytest.mark.parametrize("module", [worker.check.leftovers, worker.sandbox.cgroups])
def test_system_programs_get_a_path_and_no_more(module, monkeypatch, tmp_path):
    """Those that only root can run for real: their call is looked at."""
    calls = []

    def run(command, **options):
        calls.append(options["env"])
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setenv("ASSAYER_TEST_KEY", CANARY)
    monkeypatch.setattr(module.subprocess, "run", run)
    if module is worker.check.leftovers:
        monkeypatch.setattr(module, "mounts_below", lambda _: [tmp_path])
        assert list(module._stale_mounts(tmp_path)) == [str(tmp_path)]
    else:
        module._start_in(module.ControlGroup(()))
    assert calls == [{"PATH": worker.system.programs.SEARCH_PATH}]
    assert "ASSAYER_TEST_KEY" in os.environ


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout with a program in its ``bin``, in which we stand, two folders down."""
    below = tmp_path / "checkout" / "docs" / "pages"
    below.mkdir(parents=True)
    for folder in (tmp_path / "checkout", tmp_path / "checkout/bin", below, tmp_path / "tools"):
        (folder / ".git").mkdir() if folder.name == "checkout" else folder.mkdir(exist_ok=True)
        (folder / "git").write_text("#!/bin/sh\n")
        (folder / "git").chmod(0o755)
    monkeypatch.chdir(below)
    return tmp_path / "checkout"


@pytest.mark.parametrize("entry", ["", ".", "bin", "../../bin", "{}", "{}/bin", "{}/docs/pages"])
def test_program_in_the_checkout_is_never_found(entry, checkout, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", f"{entry.format(checkout)}:{tmp_path}/tools")
    assert located("git", Path.cwd()) == f"{tmp_path}/tools/git"
    command = Git(Path.cwd()).command("version")
    assert command[0] == f"{tmp_path}/tools/git"


def test_link_to_the_checkout_is_the_checkout(checkout, tmp_path, monkeypatch):
    (tmp_path / "link").symlink_to(checkout / "bin")
    monkeypatch.setenv("PATH", f"{tmp_path}/link")
    assert search_path(checkout) == worker.system.programs.SEARCH_PATH


def test_tools_of_a_home_that_is_a_repository_are_found(checkout, monkeypatch):
    monkeypatch.setenv("HOME", str(checkout / "docs"))
    monkeypatch.setenv("PATH", f"{checkout}:{checkout}/bin")
    assert located("git", checkout) == f"{checkout}/bin/git"


def test_tools_are_found_from_the_root_folder(tmp_path, monkeypatch, checkout):
    monkeypatch.setenv("PATH", f"{tmp_path}/tools")
    assert located("git", Path("/")) == f"{tmp_path}/tools/git"


def test_children_import_nothing_from_where_we_stand(checkout, monkeypatch):
    monkeypatch.setenv("PATH", ":/usr/bin")
    monkeypatch.setenv("PYTHONPATH", f":lib:{ROOT}")
    monkeypatch.setenv("PYTHONSAFEPATH", "")
    inherited = [str(Path.cwd()), f"{Path.cwd()}/lib", "", "lib", str(ROOT), "/usr/lib/python3"]
    monkeypatch.setattr(sys, "path", inherited)
    remove_current_folder()
    assert sys.path == [str(ROOT), "/usr/lib/python3"]
    assert os.environ["PYTHONPATH"] == str(ROOT)
    program = "import sys; print(sys.path[0])"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == str(ROOT)


def test_our_own_folder_stays_importable(monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("PATH", "/usr/bin")
    monkeypatch.setenv("PYTHONPATH", ".")
    monkeypatch.setenv("PYTHONSAFEPATH", "")
    monkeypatch.setattr(sys, "path", [str(ROOT), "/usr/lib/python3"])
    remove_current_folder()
    assert sys.path == [str(ROOT), "/usr/lib/python3"]
