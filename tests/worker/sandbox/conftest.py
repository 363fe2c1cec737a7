"""What the sandbox's tests share: the isolation, a tree, guests of ours."""

import shutil
import sys
from pathlib import Path

import pytest

from worker.sandbox.guest import GuestProcess
from worker.sandbox.isolation import Isolation, find_isolation
from worker.sandbox.launch import Program
from worker.sandbox.limits import Limits

GUESTS = Path(__file__).parent / "guests"


@pytest.fixture(scope="session")
def isolation() -> Isolation:
    if shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    return find_isolation()


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "module.py").write_text("ANSWER = 42\n")
    return tree


@pytest.fixture
def start(isolation: Isolation, tree: Path):
    """Starts guests that behave as told, and closes them at the end."""
    started: list[GuestProcess] = []

    def start_guest(behaviour: str, limits: Limits | None = None, **more) -> GuestProcess:
        guest = GuestProcess.start(
            more.get("isolation", isolation),
            tree=more.get("tree", tree),
            python=more.get("python", sys.executable),
            limits=limits,
            program=Program(GUESTS, "guests"),
            network=more.get("network", False),
        )
        started.append(guest)
        guest.channel.send({"type": "prepare", "behaviour": behaviour})
        return guest

    yield start_guest
    for guest in started:
        guest.close()
