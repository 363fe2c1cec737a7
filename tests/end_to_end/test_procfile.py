"""What the Procfile says starts, as whatever reads such files would start it."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest

from tests.end_to_end.bot import eventually
from tests.end_to_end.commandline import ASSAYER
from tests.github_double import GithubDouble
from tests.worker.redis_server import free_port
from worker.store.store import Store

ROOT = Path(__file__).parents[2]
LINES = dict(
    line.split(": ", 1) for line in (ROOT / "Procfile").read_text().splitlines() if line.strip()
)
SAYS = {"worker": ("cpu",), "gpu": ("gpu",), "publisher": ("publish",), "beat": ("beat",)}
"""What each but web calls itself in the database."""


@contextmanager
def started(line: str, variables: dict[str, str], log: Path):
    """A line in a shell of its own, ended with all that it began."""
    with log.open("w") as said:
        process = subprocess.Popen(
            ["sh", "-c", line],
            env=variables,
            cwd=log.parent,
            stdout=said,
            stderr=said,
            start_new_session=True,
        )
        try:
            yield process
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@pytest.fixture
def variables(tmp_path):
    with GithubDouble(tmp_path / "github") as github:
        told = github.settings()
        yield {
            "PATH": f"{ASSAYER.parent}:/usr/bin:/bin",
            "HOME": str(tmp_path),
            "PORT": str(free_port()),
            "ASSAYER_STORE__URL": f"sqlite:///{tmp_path}/assayer.db",
            "ASSAYER_STORE__BLOBS": str(tmp_path / "blobs"),
            "ASSAYER_GITHUB__API_URL": told["api_url"],
            "ASSAYER_GITHUB__APP_ID": str(told["app_id"]),
            "ASSAYER_GITHUB__PRIVATE_KEY_FILE": told["private_key_file"],
            "ASSAYER_GITHUB__WEBHOOK_SECRET": told["webhook_secret"],
        }


@pytest.mark.slow
def test_every_line_starts_and_says_that_it_is_there(variables, tmp_path):
    assert set(LINES) == {"web", *SAYS}
    address = f"http://127.0.0.1:{variables['PORT']}/healthz"
    with ExitStack() as running, Store(variables["ASSAYER_STORE__URL"]) as store:
        for name, line in LINES.items():
            running.enter_context(started(line, variables, tmp_path / f"{name}.log"))

        def healthy() -> bool:
            try:
                return httpx.get(address, timeout=5).status_code == 200
            except httpx.TransportError:
                return False

        def present() -> bool:
            with store.read() as unit:
                return {one.queues for one in unit.workers_present.present()} >= set(SAYS.values())

        eventually(healthy)
        eventually(present)
