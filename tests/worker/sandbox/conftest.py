"""What the sandbox's tests share: the isolations, a tree, guests of ours."""

import shutil
import sys
import tempfile
from pathlib import Path

import pytest

from worker.sandbox.command_lines import reachable_by_others
from worker.sandbox.guest_launch import GuestProgram
from worker.sandbox.guest_limits import Limits
from worker.sandbox.guest_process import GuestProcess
from worker.sandbox.guest_spawn import LaunchPlan
from worker.sandbox.isolation import Isolation, IsolationUnavailable, find_isolation

GUESTS = Path(__file__).parent / "guests"
SYSTEM_PYTHON = "/usr/bin/python3"


@pytest.fixture(scope="session")
def bubblewrap() -> Isolation:
    if shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    return find_isolation(choice="bubblewrap")


@pytest.fixture(scope="session")
def landlock() -> Isolation:
    try:
        return find_isolation(choice="landlock")
    except IsolationUnavailable as error:
        pytest.skip("; ".join(error.problems))


@pytest.fixture(scope="session", params=["bubblewrap", "landlock"])
def isolation(request) -> Isolation:
    """Each set of layers in turn."""
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="session")
def python(isolation) -> str:
    """An interpreter that guests can run: without mounts, ours may be out of their reach."""
    if isolation.namespaces or reachable_by_others(Path(sys.executable).resolve()):
        return sys.executable
    if not Path(SYSTEM_PYTHON).exists():
        pytest.skip("no Python that every user can run")
    return SYSTEM_PYTHON


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "module.py").write_text("ANSWER = 42\n")
    return tree


@pytest.fixture
def public():
    """A folder that every user can reach, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture
def start(isolation: Isolation, python: str, tree: Path):
    """Starts guests that behave as told, and closes them at the end."""
    started: list[GuestProcess] = []

    def start_guest(behaviour: str, limits: Limits | None = None, **more) -> GuestProcess:
        plan = LaunchPlan(
            more.get("isolation", isolation),
            more.get("tree", tree).resolve(),
            Path(more.get("python", python)),
            limits or Limits(),
            GuestProgram(GUESTS, "guests"),
            network=more.get("network", False),
            devices=more.get("devices", ()),
        )
        guest = GuestProcess(plan)
        started.append(guest)
        guest.channel.send({"type": "prepare", "behaviour": behaviour, "root": guest.root})
        return guest

    yield start_guest
    for guest in started:
        guest.close()
