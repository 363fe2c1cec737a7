import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from worker.errors import MachineError
from worker.sandbox import command_lines
from worker.sandbox import isolation as module
from worker.sandbox.command_lines import interpreter_folders
from worker.sandbox.guest_limits import Limits
from worker.sandbox.isolation import IsolationUnavailable, find_isolation
from worker.sandbox.seccomp_filter import FilterUnavailable
from worker.sandbox.uid_slots import lease_uid, state_folder

ROOT = Path(__file__).parents[3]
SYSTEM_PYTHON = "/usr/bin/python3"
AS_USER = """
import json
import sys
from worker.sandbox.attacks import run_battery
from worker.sandbox.isolation import find_isolation
isolation = find_isolation(choice=sys.argv[1])
fought = run_battery(isolation)
through = [f"{attack.name}: {attack.detail}" for attack in fought if not attack.held]
print(json.dumps({"layers": isolation.layers, "tried": len(fought), "through": through}))
"""


def test_layers_are_named_for_the_report(isolation):
    words = ", ".join(isolation.layers)
    own = ("bubblewrap", "namespaces", "no network")
    if not isolation.namespaces:
        own = ("Landlock (version ", "no sockets", "strict seccomp")
    for layer in (*own, "uid", "seccomp", "rlimits", "memory and time watched"):
        assert layer in words
    assert ("cgroup (" in words) == any(place.controllers for place in isolation.hierarchies)


def test_bubblewrap_comes_first(bubblewrap):
    assert find_isolation() == bubblewrap


def test_bubblewrap_is_asked_for_every_bound():
    nothing = command_lines.SandboxedProgram((), ("true",))
    line = " ".join(command_lines.bubblewrap(nothing, Limits(), seccomp=3, info=4))
    for word in ("--unshare-all", "--disable-userns", "--die-with-parent", "--new-session"):
        assert word in line
    for words in ("--cap-drop ALL", "--clearenv", "--remount-ro / ", "--seccomp 3", "--nproc="):
        assert words in line


def test_landlock_takes_over_without_bubblewrap(landlock, monkeypatch, tmp_path):
    monkeypatch.setattr(module, "SEARCH_PATH", str(tmp_path))
    assert find_isolation().layers == landlock.layers


def test_missing_tool_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(module, "SEARCH_PATH", str(tmp_path))
    with pytest.raises(IsolationUnavailable, match="bwrap is not installed") as raised:
        find_isolation(choice="bubblewrap")
    assert "apt install bubblewrap" in str(raised.value)
    assert "--trust" in str(raised.value)
    assert len(raised.value.problems) == len(raised.value.remedies)


@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user's guests run as that user")
def test_interpreter_in_a_private_folder_needs_mounts(landlock, tmp_path):
    del landlock
    (tmp_path / "env" / "bin").mkdir(parents=True)
    (tmp_path / "env" / "pyvenv.cfg").touch()
    (tmp_path / "env").chmod(0o700)
    with pytest.raises(IsolationUnavailable, match="cannot read") as raised:
        find_isolation(choice="landlock", python=tmp_path / "env" / "bin" / "python")
    assert "[sandbox] python" in raised.value.remedy


@pytest.mark.parametrize(("abi", "has"), [(0, "no Landlock"), (2, "version 2 of Landlock")])
def test_every_obstacle_is_named(monkeypatch, tmp_path, abi, has):
    monkeypatch.setattr(module, "SEARCH_PATH", str(tmp_path))
    monkeypatch.setattr(module, "version", lambda: abi)
    with pytest.raises(IsolationUnavailable, match="bwrap is not installed") as raised:
        find_isolation()
    assert has in str(raised.value)
    assert "Linux 6." in raised.value.remedy
    assert len(raised.value.problems) == len(raised.value.remedies)


def test_missing_filter_is_named(isolation, monkeypatch):
    def absent(_strictness):
        raise FilterUnavailable("Unable to find libseccomp")

    monkeypatch.setattr(module, "seccomp_filter", absent)
    with pytest.raises(IsolationUnavailable, match="libseccomp"):
        find_isolation()


def test_failing_trial_is_no_isolation(bubblewrap, monkeypatch, tmp_path):
    broken = tmp_path / "bwrap"
    broken.write_text(
        "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2; exit 1\n"
    )
    broken.chmod(0o755)
    for folder in (tmp_path, *tmp_path.parents[:3]):
        folder.chmod(folder.stat().st_mode | 0o055)
    monkeypatch.setattr(module, "SEARCH_PATH", f"{tmp_path}:{command_lines.SEARCH_PATH}")
    with pytest.raises(IsolationUnavailable, match="No permissions") as raised:
        find_isolation(choice="bubblewrap")
    assert "max_user_namespaces" in raised.value.remedy


@pytest.mark.slow
@pytest.mark.parametrize("choice", ["bubblewrap", "landlock"])
def test_ordinary_user_is_isolated_too(choice):
    if os.geteuid() != 0:
        pytest.skip("the other tests run as an ordinary user already")
    check = "import sys; sys.exit(sys.version_info < (3, 11))"
    usable = subprocess.run([SYSTEM_PYTHON, "-c", check], check=False).returncode == 0
    if not usable:
        pytest.skip("no system Python of 3.11 or later that an ordinary user could run")
    site = next(path for path in sys.path if path.endswith("site-packages"))
    done = subprocess.run(
        [
            "setpriv",
            "--reuid=61183",
            "--regid=61183",
            "--clear-groups",
            SYSTEM_PYTHON,
            "-c",
            AS_USER,
            choice,
        ],
        env={
            "PATH": command_lines.SEARCH_PATH,
            "PYTHONPATH": f"{ROOT}:{site}",
            "HOME": "/nonexistent",
        },
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )
    if "ModuleNotFoundError" in done.stderr:
        pytest.skip("an ordinary user cannot read this checkout")
    if choice == "landlock" and "NoIsolation" in done.stderr:
        pytest.skip(done.stderr.splitlines()[-1])
    said = json.loads(done.stdout)
    assert said["through"] == []
    assert said["tried"] > 60
    assert any("uid 61183" in layer for layer in said["layers"])


def test_slots_are_never_shared(tmp_path):
    first, second = (lease_uid(range(10, 12), tmp_path) for _ in range(2))
    assert (first.uid, second.uid) == (10, 11)
    with pytest.raises(MachineError, match="2 sandbox slots"):
        lease_uid(range(10, 12), tmp_path)
    first.release()
    assert lease_uid(range(10, 12), tmp_path).uid == 10
    second.release()


def test_state_folder_of_another_is_refused(tmp_path):
    target = tmp_path / "target"
    target.mkdir()
    (tmp_path / "state").symlink_to(target)
    with pytest.raises(MachineError, match="someone else"):
        state_folder(tmp_path / "state")


def an_environment(folder: Path, home: Path) -> Path:
    (folder / "bin").mkdir(parents=True)
    (folder / "pyvenv.cfg").write_text(f"version = 3.11.7\nhome = {home}\n")
    (folder / "bin" / "python").symlink_to("python3")
    (folder / "bin" / "python3").symlink_to(home / "python3.11")
    return folder / "bin" / "python"


def test_environment_brings_its_base_along(tmp_path):
    base = tmp_path / "versions" / "3.11.7"
    (base / "bin").mkdir(parents=True)
    (base / "bin" / "python3.11").touch()
    (base / "lib" / "python3.11").mkdir(parents=True)
    (base / "lib" / "python3.11" / "os.py").touch()
    alias = tmp_path / "versions" / "3.11"
    alias.symlink_to(base)
    python = an_environment(tmp_path / "venv", alias / "bin")
    assert set(interpreter_folders(python)) == {tmp_path / "venv", base, alias}


def test_forged_environment_brings_no_home_along(tmp_path):
    home = tmp_path / "home"
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "python3.11").touch()
    (home / "secret").touch()
    python = an_environment(tmp_path / "venv", home / "bin")
    assert interpreter_folders(python) == (tmp_path / "venv",)
