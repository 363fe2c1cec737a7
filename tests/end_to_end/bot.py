"""The hosted bot as operators run it: real processes around a double of GitHub."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self, TypeVar

import httpx

from tests.end_to_end.commandline import ASSAYER, KEPT
from tests.github_double import GithubDouble
from tests.worker.redis_server import free_port
from worker.store.records import RunRecord
from worker.store.store import Store

PATIENCE_SECONDS = 600
PAUSE = 0.2
_T = TypeVar("_T")


def eventually(what: Callable[[], _T], seconds: float = PATIENCE_SECONDS) -> _T:
    """The first true thing that ``what`` returns."""
    deadline = time.monotonic() + seconds
    while not (found := what()):
        if time.monotonic() > deadline:
            raise AssertionError(f"it did not come within {seconds} s")
        time.sleep(0.05)
    return found


def toml(sections: dict[str, dict[str, Any]]) -> str:
    """Settings as their file; strings, numbers and lists are written in TOML as in JSON."""
    lines = []
    for name, section in sections.items():
        lines += [f"[{name}]", *(f"{key} = {json.dumps(value)}" for key, value in section.items())]
    return "\n".join(lines) + "\n"


@dataclass
class Bot:
    """One installation of Assayer: its folder, its GitHub, its processes.

    Without ``redis`` it is the mode of one command.
    """

    folder: Path
    github: GithubDouble
    redis: str | None = None
    database: str | None = None
    more: dict[str, dict[str, Any]] = field(default_factory=dict)
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.database = self.database or f"sqlite:///{self.folder / 'assayer.db'}"
        self._file = self.folder / "settings.toml"
        self._file.write_text(toml(self._settings()))
        self.github.deliveries.url = f"{self.url}/webhooks/github"
        self.store = Store(self.database)

    def _settings(self) -> dict[str, dict[str, Any]]:
        queue = {"lease": 10.0, "seconds": 600}
        sections = {
            "app": {"public_url": self.url},
            "github": {**self.github.settings(), "pause": PAUSE, "timeout": 3.0},
            "queue": queue if self.redis is None else {**queue, "url": self.redis},
            "store": {"url": self.database, "blobs": str(self.folder / "blobs")},
            "environments": {"install": "never"},
            "recordings": {"folder": str(self.folder / "recordings")},
        }
        for name, section in self.more.items():
            sections[name] = {**sections.get(name, {}), **section}
        return sections

    # -------------------------------------------------------------- processes

    def start(self, name: str, *arguments: str, **variables: str) -> None:
        """Start an ``assayer`` under a name."""
        kept = {key: os.environ[key] for key in KEPT if key in os.environ}
        state = {"XDG_STATE_HOME": str(self.folder / "state")}
        with self.log(name).open("ab") as log:
            self.processes[name] = subprocess.Popen(
                [ASSAYER, *arguments, "--settings", str(self._file)],
                env={**kept, **state, **variables},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def serve(self, *arguments: str) -> None:
        """Start the web process and wait until it answers."""
        self.start("serve", "serve", "--port", str(self.port), *arguments)
        eventually(self._answers)

    def _answers(self) -> bool:
        try:
            return httpx.get(f"{self.url}/healthz", timeout=5).status_code == 200
        except httpx.TransportError:
            return False

    def kill(self, name: str) -> None:
        """Kill a process and all its children at once, as the end of a machine would."""
        process = self.processes.pop(name)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def log(self, name: str) -> Path:
        return self.folder / f"{name}.log"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        for process in self.processes.values():
            process.terminate()
        for process in self.processes.values():
            try:
                process.wait(PATIENCE_SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        self.store.close()

    # ------------------------------------------------------------------ facts

    def run(self, check: Any) -> RunRecord:
        """The run that a check run tells of."""
        with self.store.read() as unit:
            found = unit.runs.get(check.external_id)
        assert found is not None
        return found

    def report(self, check: Any) -> dict[str, Any]:
        with self.store.read() as unit:
            found = unit.runs.report(check.external_id)
        assert found is not None
        return found

    def under_way(self, pull: Any) -> Any:
        """The check run of a run that a worker is in the middle of, by its own word.

        GitHub is told only now and then: the run may be over before it says so.
        """
        check = eventually(lambda: pull.repository.check_run(pull.head))
        eventually(lambda: "testing function" in (self.run(check).progress or ""))
        return check

    def settled(self) -> None:
        """Return when every delivery is heard, and nothing is left to be done at GitHub."""
        self.github.deliveries.wait()
        eventually(self._is_settled)

    def _is_settled(self) -> bool:
        with self.store.read() as unit:
            counts = unit.deliveries.count()
            outbox_tasks = unit.outbox_tasks.count()
            alive = unit.runs.alive()
        return not (counts["waiting"] or outbox_tasks["waiting"] or alive)


def completed(pull: Any, count: int = 1) -> Any:
    """The newest of ``count`` completed check runs of a pull request's head."""

    def found() -> Any:
        runs = pull.check_runs()
        done = len(runs) >= count and all(run.status == "completed" for run in runs)
        return runs[-1] if done else None

    return eventually(found)
