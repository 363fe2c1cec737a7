"""``assayer demo`` ends in ten lines, and each command that it prints works when it is pasted."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAMS = Path(sys.executable).parent


@pytest.mark.slow
def test_commands_of_the_demo_work_when_pasted(tmp_path):
    path = f"{PROGRAMS}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "XDG_STATE_HOME": str(tmp_path / "state")}

    def bash(command):
        return subprocess.run(
            ["bash", "-c", command],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    done = bash("assayer demo --quiet")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) <= 10
    assert "<" not in done.stdout
    assert "block" in lines[-1]
    commands = [line for line in lines if line.strip().startswith("assayer ")]
    assert len(commands) == 3
    shown, replayed, changes = map(bash, commands)
    assert (shown.returncode, changes.returncode) == (0, 0)
    assert replayed.returncode == 1, replayed.stderr
    assert "FAILED " in replayed.stdout
    assert "cloud/crash" in shown.stdout
    assert changes.stdout.startswith("--- a/expenses/")
    [page] = [line.partition("file://")[2] for line in lines if "file://" in line]
    assert Path(page).is_file()
