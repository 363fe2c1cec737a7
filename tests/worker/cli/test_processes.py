"""Processes beside the one that was asked for."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from worker.cli import cli, serve
from worker.cli.serve import ChildProgram, _beside_web, _own_queues, supervise
from worker.settings.operator_settings import AppSettings, GithubSettings, QueueSettings, Settings

ROOT = Path(__file__).parents[3]
WAITS = "import time; time.sleep(60)"
MARKS = """
import os, sys, time
with open(sys.argv[1], "a") as file:
    print(os.getpid(), file=file)
time.sleep(float(sys.argv[2]))
"""


def program(code, *arguments, **more):
    return ChildProgram("one", (sys.executable, "-c", code, *map(str, arguments)), **more)


def until(condition):
    deadline = time.monotonic() + 600
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def pids(file):
    return [int(line) for line in file.read_text().split()] if file.exists() else []


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


ENDS = """
import os, sys, time
while not os.path.exists(sys.argv[1]):
    time.sleep(0.05)
sys.exit(3)
"""


def test_end_of_the_web_app_ends_all(tmp_path):
    file = tmp_path / "pids"
    web, other = program(ENDS, file), program(MARKS, file, 60)
    assert supervise(web, [other], threading.Event()) == 3
    assert not any(alive(pid) for pid in pids(file))


def test_what_ends_is_started_again(tmp_path, monkeypatch):
    monkeypatch.setattr(serve, "FIRST_WAIT", 0.05)
    file, stop = tmp_path / "pids", threading.Event()
    watcher = threading.Thread(target=lambda: (until(lambda: len(pids(file)) > 2), stop.set()))
    watcher.start()
    assert supervise(program(WAITS), [program(MARKS, file, 0)], stop) == 0
    watcher.join()


def test_what_does_not_heed_is_killed(tmp_path, monkeypatch):
    monkeypatch.setattr(serve, "END_SECONDS", 0.2)
    file, stop = tmp_path / "pids", threading.Event()
    deaf = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + MARKS
    watcher = threading.Thread(target=lambda: (until(lambda: pids(file)), stop.set()))
    watcher.start()
    supervise(program(WAITS), [program(deaf, file, 60)], stop)
    watcher.join()
    assert not alive(pids(file)[0])


SUPERVISES = """
import sys, threading
from worker.cli.serve import ChildProgram, supervise
marks, file = sys.argv[1:]
one = ChildProgram("one", (sys.executable, "-c", marks, file, "60"))
supervise(one, [one], threading.Event())
"""


def test_children_end_with_a_parent_that_is_killed(tmp_path):
    file = tmp_path / "pids"
    command = [sys.executable, "-c", SUPERVISES, MARKS, str(file)]
    with subprocess.Popen(command, cwd=ROOT, env=os.environ) as parent:
        until(lambda: len(pids(file)) == 2)
        parent.send_signal(signal.SIGKILL)
    until(lambda: not any(alive(pid) for pid in pids(file)))


def test_secret_is_kept_from_a_program(monkeypatch):
    monkeypatch.setenv("HOOK", "s3cret")
    assert program("", unseen=frozenset({"HOOK"})).environment.get("HOOK") is None
    assert program("").environment["HOOK"] == "s3cret"


def beside(**queue):
    settings = Settings(
        app=AppSettings(operators="env:OPERATORS"),
        github=GithubSettings(webhook_secret="env:HOOK"),
        queue=QueueSettings(**queue),
    )
    return {each.name: each for each in _beside_web(settings)}


def test_one_command_is_the_whole_bot_without_a_broker():
    assert set(beside()) == {"publisher", "clock", "worker"}
    assert set(beside(url="redis://127.0.0.1:1")) == {"publisher", "clock"}


def test_what_examines_code_sees_no_secret_of_githubs():
    assert beside()["worker"].unseen == {"HOOK", "OPERATORS"}


@pytest.mark.parametrize("queues", ["cpu,publish", "tpu", ","])
def test_queues_that_do_not_go_together_are_refused(queues):
    result = CliRunner().invoke(cli, ["worker", "--queues", queues])
    assert result.exit_code == 2
    assert "--queues" in result.output


def test_help_teaches_how_to_split():
    result = CliRunner().invoke(cli, ["serve", "--help"])
    for words in ("--web-only", "assayer worker --queues publish", "assayer beat"):
        assert words in result.output


def test_machine_without_gpu_takes_no_gpu_jobs():
    has = Path("/dev/nvidia0").exists() or Path("/dev/kfd").exists()
    assert ("gpu" in _own_queues()) is has


def test_killed_program_says_where_it_was():
    code = (
        "import ctypes, worker.cli as it\n"
        "def crashing(**_): ctypes.string_at(0)\n"
        "it.cli.main = crashing\n"
        "it.main()\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, stderr=subprocess.PIPE, text=True, check=False
    )
    assert ended.returncode == -signal.SIGSEGV
    assert "in crashing" in ended.stderr
