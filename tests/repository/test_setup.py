"""A set-up that fails says so, by an exit status of its own and in its last line."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
FAILED = 75


@pytest.fixture
def programs(tmp_path):
    folder = tmp_path / "programs"
    folder.mkdir()

    def write(**texts):
        for name, text in texts.items():
            path = folder / name.replace("_", "-")
            path.write_text(f"#!/bin/sh\n{text}\n")
            path.chmod(0o755)
        return {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}

    return write


def test_missing_isolation_fails_the_setup(tmp_path, programs):
    log = tmp_path / "log"
    environment = programs(
        id="echo 0",
        dpkg_query='[ "$3" != bubblewrap ] && printf installed',
        apt_cache="exit 0",
        apt_get=f'echo "$*" >> {log}; exit 100',
    )
    done = subprocess.run(
        [SCRIPTS / "system-packages"], env=environment, check=False, capture_output=True, text=True
    )
    assert done.returncode == FAILED
    assert done.stderr.splitlines()[-1] == "Set-up failed: nothing works without bubblewrap"
    asked = [line for line in log.read_text().splitlines() if " install " in line]
    assert len(asked) == 2
    assert all("Acquire::Retries=3" in line and "bubblewrap" in line for line in asked)


def test_failing_pip_fails_the_setup(tmp_path, programs):
    (tmp_path / "scripts").mkdir()
    shutil.copy(SCRIPTS / "setup", tmp_path / "scripts")
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    environment = programs(python='[ "$1" = -c ]')
    shutil.copy(tmp_path / "programs" / "python", tmp_path / ".venv" / "bin")
    done = subprocess.run(
        [tmp_path / "scripts" / "setup"],
        env=environment,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == FAILED
    assert done.stderr.splitlines()[-1].startswith("Set-up failed: pip could not install")
