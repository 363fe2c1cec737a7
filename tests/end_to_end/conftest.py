"""The expensive runs, made once: many small tests look at their reports."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.end_to_end.bot import Bot
from tests.end_to_end.commandline import Checked, Home, home
from tests.end_to_end.outside import Outside
from tests.end_to_end.repositories import git, repository
from tests.github_double import GithubDouble
from tests.worker.redis_server import INSTALLED, redis_server
from worker.errors import MachineError
from worker.sandbox.isolation import find_isolation


@pytest.fixture(scope="session", autouse=True)
def isolation():
    try:
        find_isolation()
    except MachineError as missing:
        pytest.skip(str(missing))


@dataclass(frozen=True)
class Desk:
    """A project that reads scans and comments, and what was said about its branches."""

    repository: Path
    home: Home
    folder: Path

    def check(self, name: str, *arguments, **more) -> Checked:
        return self.home.check(self.repository, self.folder / name, *arguments, **more)

    def branch(self, name: str) -> Path:
        """A working tree of the branch, as its author has it."""
        folder = self.folder / f"tree-{name}"
        if not folder.exists():
            git(self.repository, "worktree", "add", "--quiet", "--detach", str(folder), name)
        return folder


@pytest.fixture(scope="session")
def desk(tmp_path_factory) -> Desk:
    folder = tmp_path_factory.mktemp("desk")
    return Desk(repository(folder / "desk", "desk"), home(folder), folder)


@pytest.fixture(scope="session")
def planted(desk) -> Checked:
    return desk.check("planted", "--base", "main", "--head", "planted", "--inputs", "5")


@pytest.fixture(scope="session")
def twin(desk) -> Checked:
    return desk.check("twin", "--base", "main", "--head", "twin", "--inputs", "5")


@pytest.fixture(scope="session")
def outside():
    server = Outside()
    yield server
    server.close()


@pytest.fixture(scope="session")
def pictures(tmp_path_factory, outside) -> Desk:
    """A project that asks for the labels of pictures, with both services at hand."""
    folder = tmp_path_factory.mktemp("pictures")
    return Desk(
        repository(folder / "watch", "pictures"), home(folder, **outside.variables()), folder
    )


@pytest.fixture(scope="session")
def hosted(tmp_path_factory):
    """The bot as most run it: web, publisher and clock by one command, a worker, Redis."""
    if not INSTALLED:
        pytest.skip("redis-server is not installed")
    folder = tmp_path_factory.mktemp("hosted")
    with (
        GithubDouble(folder / "github") as github,
        redis_server() as redis,
        Bot(folder / "bot", github, redis) as bot,
    ):
        bot.start("worker", "worker", "--queues", "cpu", "--concurrency", "2")
        bot.serve()
        yield bot
