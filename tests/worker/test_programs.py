"""What programs of the machine see of our environment: the secrets in it they never do."""

import os
import shutil
import subprocess

import pytest

import worker.programs
import worker.sandbox.cgroups
import worker.sweeping
from worker.changes.git import Git
from worker.cli.demo import unpack
from worker.programs import environment
from worker.temporary import remove

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
    path = f"{folder}:{worker.programs.SEARCH_PATH}"
    monkeypatch.setattr(worker.programs, "SEARCH_PATH", path)
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
    "git": lambda folder: Git(folder).run("version"),
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
        "PATH": worker.programs.SEARCH_PATH,
        "HOME": "/nonexistent/home",
        "MORE": "1",
    }


@pytest.mark.parametrize("module", [worker.sweeping, worker.sandbox.cgroups])
def test_system_programs_get_a_path_and_no_more(module, monkeypatch, tmp_path):
    """Those that only root can run for real: their call is looked at."""
    calls = []

    def run(command, **options):
        calls.append(options["env"])
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setenv("ASSAYER_TEST_KEY", CANARY)
    monkeypatch.setattr(module.subprocess, "run", run)
    if module is worker.sweeping:
        monkeypatch.setattr(module, "mounts_below", lambda _: [tmp_path])
        assert list(module._stale_mounts(tmp_path)) == [str(tmp_path)]
    else:
        module._start_in(module.Group(()))
    assert calls == [{"PATH": worker.programs.SEARCH_PATH}]
    assert "ASSAYER_TEST_KEY" in os.environ
