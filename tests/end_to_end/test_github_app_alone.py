"""One command is the whole bot, without Redis; its database is PostgreSQL here."""

import os
import signal
from pathlib import Path

import pytest

from tests.end_to_end.bot import Bot, completed, eventually
from tests.end_to_end.shop import COMMENTS, CRASHES, GUARDED, shop
from tests.github_double import GithubDouble
from tests.worker.postgresql_server import WHY_NOT, database, postgresql_server

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    if WHY_NOT:
        pytest.skip(WHY_NOT)
    folder = tmp_path_factory.mktemp("alone")
    with (
        postgresql_server() as server,
        GithubDouble(folder / "github") as github,
        Bot(folder / "bot", github, database=database(server, "assayer")) as bot,
    ):
        bot.serve()
        yield bot
        github.check()


def test_pull_request_is_answered_and_its_fix_too(alone):
    pull = shop(alone.github, "shop").pull("comments", files={COMMENTS: CRASHES})
    assert completed(pull).conclusion == "failure"
    alone.settled()
    (thread,) = pull.threads()
    (summary,) = pull.bot_comments()
    assert not thread.resolved
    pull.push({COMMENTS: GUARDED})
    assert completed(pull).conclusion == "success"
    alone.settled()
    assert thread.resolved
    assert [comment.id for comment in pull.bot_comments()] == [summary.id]
    assert "No new findings" in summary.body


def _family(pid: int) -> list[int]:
    there = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(child for each in there for child in _family(int(each)))]


def test_killed_command_takes_its_processes_along(alone):
    there = _family(alone.processes["serve"].pid)
    assert len(there) >= 5
    os.kill(alone.processes["serve"].pid, signal.SIGKILL)
    eventually(lambda: not any(_is_alive(pid) for pid in there[1:]))


def _is_alive(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
