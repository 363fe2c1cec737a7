"""However the host ends, its guests end with it."""

import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from worker.sandbox.command_lines import reachable_by_others

from .conftest import SYSTEM_PYTHON

HOST = """
import json, sys, time
from pathlib import Path
from worker.sandbox.guest_process import GuestProcess
from worker.sandbox.isolation import TRUSTED, find_isolation
from worker.sandbox.guest_launch import GuestProgram
from worker.sandbox.guest_usage import family

kind, guests, tree, python, behaviour, way = sys.argv[1:]
isolation = TRUSTED if kind == "trusted" else find_isolation(choice=kind)
program = GuestProgram(Path(guests), "guests")
try:
    with GuestProcess.start(isolation, tree=Path(tree), python=python, program=program) as guest:
        guest.channel.send({"type": "prepare", "behaviour": behaviour})
        if behaviour == "daemonise":
            guest.channel.receive(120)
        print(json.dumps(family(guest.pid)), flush=True)
        if way == "raise":
            sys.stdin.readline()
            raise RuntimeError("the host has failed")
        time.sleep(60)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
GUESTS = Path(__file__).parent / "guests"
KINDS = ["bubblewrap", "landlock", "trusted"]


@pytest.fixture
def host(tree: Path, request):
    """Starts a host with one guest of a kind; its first line names the guest's processes."""

    def started(kind: str, behaviour: str = "silent", way: str = "wait"):
        python = sys.executable
        if kind != "trusted":
            request.getfixturevalue(kind)
        if kind == "landlock" and not reachable_by_others(Path(python).resolve()):
            python = SYSTEM_PYTHON
        orders = [kind, str(GUESTS), str(tree), python, behaviour, way]
        return subprocess.Popen(
            [sys.executable, "-c", HOST, *orders],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return started


def guests_of(process: subprocess.Popen) -> list[int]:
    """Pidfds of a host's guest processes, which are at least two: one keeps the other."""
    pids = json.loads(process.stdout.readline())
    return [os.pidfd_open(pid) for pid in pids]


def all_ended(processes: list[int]) -> bool:
    """Whether the processes behind pidfds end."""
    ended = [bool(select.select([process], [], [], 600)[0]) for process in processes]
    for process in processes:
        os.close(process)
    return all(ended)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_guest_dies_with_its_host(host, kind, number):
    with host(kind) as process:
        guests = guests_of(process)
        process.send_signal(number)
        assert all_ended(guests)
        said, _ = process.communicate(timeout=600)
    assert ("interrupted" in said) == (number == signal.SIGINT)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", ["wait", "raise"])
def test_daemon_dies_with_its_host(host, kind, way):
    with host(kind, "daemonise", way) as process:
        guests = guests_of(process)
        assert len(guests) >= 3
        if way == "wait":
            process.kill()
        else:
            process.stdin.close()
        assert all_ended(guests)


def test_guest_dies_when_the_host_raises(host):
    with host("bubblewrap", "silent", "raise") as process:
        guests = guests_of(process)
        process.stdin.close()
        assert process.wait(120) == 1
        assert "the host has failed" in process.stderr.read()
    assert all_ended(guests)


def test_killed_keeper_takes_its_guest_along(host):
    with host("landlock") as process:
        guests = guests_of(process)
        signal.pidfd_send_signal(guests[0], signal.SIGKILL)
        assert all_ended(guests)
        process.kill()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["bubblewrap", "landlock"])
def test_killed_host_frees_its_slot(host, start, kind):
    for _ in range(2):
        with host(kind) as process:
            process.stdout.readline()
            process.kill()
    assert start("describe").channel.receive(120)["type"] == "unprepared"
