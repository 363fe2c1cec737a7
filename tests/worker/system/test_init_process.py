"""Process 1 of a container: orphans are waited for, signals reach the program."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import os, signal, subprocess, sys, time
from pathlib import Path
from worker.system.init_process import run_as_init_child
# a shell ignores interrupts for what it starts in the background
signal.signal(signal.SIGINT, signal.default_int_handler)
run_as_init_child()
status = subprocess.run(["sh", "-c", "(sleep 0.05 &) ; exit 3"]).returncode
deadline = time.monotonic() + 120
def others():
    return [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if pid > os.getpid()]
while others() and time.monotonic() < deadline:
    time.sleep(0.02)
print(os.getpid(), status, others(), flush=True)
if sys.argv[1] == "wait":
    time.sleep(600)
os._exit(int(sys.argv[1]))
"""
ALONE = ("unshare", "--pid", "--fork", "--kill-child", "--mount-proc")


@pytest.fixture(scope="module", autouse=True)
def namespaces():
    done = subprocess.run([*ALONE, "true"], capture_output=True, check=False)
    if done.returncode:
        pytest.skip(f"no process namespace can be made here: {done.stderr.decode()}")


def start(*arguments: str) -> subprocess.Popen:
    command = [*ALONE, sys.executable, "-c", PROGRAM, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_orphans_are_waited_for_and_children_are_not_stolen():
    with start("7") as process:
        assert process.stdout.readline() == "2 3 []\n"
        assert process.wait(120) == 7


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1])
def test_signals_reach_the_program(number):
    with start("wait") as process:
        assert process.stdout.readline()
        (first,) = _children(process.pid)
        os.kill(first, number)
        expected = 1 if number == signal.SIGINT else 128 + number
        assert process.wait(120) in {expected, 128 + number}


def _children(pid: int) -> list[int]:
    with Path(f"/proc/{pid}/task/{pid}/children").open() as file:
        return [int(child) for child in file.read().split()]


def test_other_processes_go_on_as_they_are():
    program = (
        "import os; from worker.system.init_process import run_as_init_child as f;"
        " p = os.getpid(); f()"
    )
    done = subprocess.run([sys.executable, "-c", f"{program}; print(p == os.getpid())"],
                          capture_output=True, text=True, check=True)  # fmt: skip
    assert done.stdout == "True\n"
