"""However the host ends, its guests end with it."""

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

HOST = """
import sys, time
from pathlib import Path
from worker.sandbox.guest import GuestProcess
from worker.sandbox.isolation import TRUSTED, find_isolation
from worker.sandbox.launch import Program

isolation = TRUSTED if sys.argv[1] == "trusted" else find_isolation()
program = Program(Path(sys.argv[2]), "guests")
try:
    with GuestProcess.start(isolation, tree=Path(sys.argv[3]), program=program) as guest:
        guest.channel.send({"type": "prepare", "behaviour": sys.argv[4]})
        print(guest.pid, flush=True)
        if sys.argv[5] == "raise":
            raise RuntimeError("the host has failed")
        time.sleep(60)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
GUESTS = Path(__file__).parent / "guests"


def host(tree: Path, kind: str, behaviour: str, way: str = "wait"):
    command = [sys.executable, "-c", HOST, kind, str(GUESTS), str(tree), behaviour, way]
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tree.parent)},
    )


def ended(process: int) -> bool:
    """Whether the process behind a pidfd ends within ten seconds."""
    return bool(select.select([process], [], [], 10)[0])


@pytest.mark.parametrize("kind", ["isolated", "trusted"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_guest_dies_with_its_host(isolation, tree, kind, number):
    with host(tree, kind, "silent") as process:
        guest = os.pidfd_open(int(process.stdout.readline()))
        process.send_signal(number)
        assert ended(guest)
        os.close(guest)
        said, _ = process.communicate(timeout=20)
    assert ("interrupted" in said) == (number == signal.SIGINT)


def test_guest_dies_when_the_host_raises(isolation, tree):
    with host(tree, "isolated", "silent", "raise") as process:
        guest = int(process.stdout.readline())
        assert process.wait(20) == 1
        assert "the host has failed" in process.stderr.read()
    assert not Path(f"/proc/{guest}/exe").exists()


def test_killed_host_frees_its_slot(isolation, tree, start):
    for _ in range(2):
        with host(tree, "isolated", "silent") as process:
            process.stdout.readline()
            process.kill()
    assert start("describe").channel.receive(20)["type"] == "unprepared"
