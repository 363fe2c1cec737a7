"""No command runs or obeys what lies in the folder in which it is started."""

import os
import signal
import sys
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import pytest

from tests.end_to_end.bot import eventually
from tests.end_to_end.decoys import decoys
from tests.worker.redis_server import INSTALLED, free_port, redis_server
from worker.cli import COMMANDS
from worker.store.records import Job
from worker.store.store import Store

SECONDS = 600
ENDING = {
    "annotate": ("annotate", "photos.py"),
    "relations": ("relations", "show", "torch.relu"),
    "fuzz": ("fuzz", "model.py", "--offline", "--budget", "2"),
    "init": ("init",),
    "migrate": ("migrate",),
}
LONG = {
    "doctor": ("doctor",),
    "relations build": ("relations", "build", "--api", "torch.sin"),
}
LASTING = {"demo", "serve", "worker", "beat"}
OURSELVES = (sys.executable, "-P", "-m", "worker.cli")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    with decoys(tmp_path_factory.mktemp("strange")) as made:
        yield made


@contextmanager
def running(checkout, *arguments, **more):
    """A command that lasts, ended with all that it began."""
    process = checkout.start(*arguments, **more)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(SECONDS)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def test_every_command_is_tried():
    assert {*ENDING, *LONG, *LASTING, "check", "report", "replay"} >= set(COMMANDS)


@pytest.mark.parametrize("command", ENDING)
def test_command_heeds_no_decoy(checkout, command):
    checkout.start(*ENDING[command]).wait(SECONDS)
    assert checkout.heeded == [], checkout.said()


@pytest.mark.slow
@pytest.mark.parametrize("command", LONG)
def test_long_command_heeds_no_decoy(checkout, command):
    checkout.start(*LONG[command]).wait(SECONDS)
    assert checkout.heeded == [], checkout.said()


def test_check_and_replay_heed_no_decoy(checkout):
    report = checkout.home / "report.json"
    inputs = ("--all", "--offline", "--inputs", 1, "--budget", 5)
    options = (*inputs, "--format", "json", "--output", report)
    checkout.start("check", ".", *options).wait(SECONDS)
    assert checkout.heeded == [], checkout.said()
    assert checkout.start("report", report, "--diff").wait(SECONDS) == 0, checkout.said()
    assert checkout.start("replay", report).wait(SECONDS) == 1, checkout.said()
    assert checkout.heeded == [], checkout.said()


def test_our_module_heeds_no_decoy(checkout):
    assert checkout.start("init", "--help", command=OURSELVES).wait(SECONDS) == 0
    assert checkout.heeded == [], checkout.said()


@pytest.mark.slow
def test_demo_heeds_no_decoy(checkout):
    with running(checkout, "demo"):
        eventually(lambda: "A pull request adds" in checkout.said(), SECONDS)
    assert checkout.heeded == [], checkout.said()


@pytest.fixture
def hosted(tmp_path):
    """The variables of a bot of our own; its secret is in none of the checkout's files."""
    return {
        "ASSAYER_STORE__URL": f"sqlite:///{tmp_path}/assayer.db",
        "ASSAYER_STORE__BLOBS": str(tmp_path / "blobs"),
        "ASSAYER_GITHUB__WEBHOOK_SECRET": "env:HOOK",
        "ASSAYER_GITHUB__CHECKOUTS": str(tmp_path),
        "HOOK": "a secret",
    }


def asked(store: Store) -> str:
    """A run of a repository that is not there: all that examines is loaded, and fails."""
    with store.write() as unit:
        run = unit.runs.ask(Job("octo/app", None, None, "asked"))
    return run.id


def over(store: Store, run: str) -> bool:
    with store.read() as unit:
        return unit.runs.get(run).state.over


def commands_below(group: int) -> dict[int, bytes]:
    """The command lines of a process group."""
    found = {}
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if os.getpgid(int(place.name)) == group:
                found[int(place.name)] = (place / "cmdline").read_bytes()
    return found


def gunicorn_of(process) -> int:
    """The first process of the web app, which ``assayer serve`` has started."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return next(
        int(pid) for pid in children if b"\0app\0" in Path(f"/proc/{pid}/cmdline").read_bytes()
    )


def started_anew(group: int) -> bool:
    """Whether a web app that replaces another one is there, with a worker of its own."""
    return sum(b"/app/__main__.py\0" in line for line in commands_below(group).values()) > 1


def is_healthy(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/healthz", timeout=5).status_code == 200
    except httpx.TransportError:
        return False


@pytest.mark.slow
def test_served_bot_heeds_no_decoy(checkout, hosted):
    """Neither the web app nor an examination does, nor a web app that replaces another one."""
    port = free_port()
    with (
        Store(hosted["ASSAYER_STORE__URL"]) as store,
        running(checkout, "serve", "--port", port, **hosted) as process,
    ):
        run = asked(store)
        eventually(lambda: checkout.heeded or is_healthy(port), SECONDS)
        assert checkout.heeded == [], checkout.said()
        os.kill(gunicorn_of(process), signal.SIGUSR2)
        eventually(lambda: checkout.heeded or started_anew(process.pid), SECONDS)
        eventually(lambda: checkout.heeded or over(store, run), SECONDS)
    assert checkout.heeded == [], checkout.said()


@pytest.mark.slow
@pytest.mark.skipif(not INSTALLED, reason="redis-server is not installed")
def test_celery_worker_heeds_no_decoy(checkout, hosted):
    with redis_server() as url, Store(hosted["ASSAYER_STORE__URL"]) as store:
        variables = {**hosted, "ASSAYER_QUEUE__URL": url}
        run = asked(store)
        with (
            running(checkout, "worker", "--queues", "cpu", "--concurrency", "1", **variables),
            running(checkout, "beat", **variables),
        ):
            eventually(lambda: checkout.heeded or over(store, run), SECONDS)
    assert checkout.heeded == [], checkout.said()
