"""Assayer as an operator runs it: every part a process, a private Redis, a database."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import redis

from benchmarks.load_and_faults.bot_processes import Program
from benchmarks.load_and_faults.disturbances import Victim
from benchmarks.load_and_faults.github import Github
from tests.worker.postgresql_server import WHY_NOT, database, postgresql_server
from tests.worker.redis_server import free_port
from worker.store.store import Store

START_SECONDS = 90
SAMPLE_SECONDS = 2.0
REDELIVER_SECONDS = 20.0
_ASSAYER = Path(sys.executable).with_name("assayer")


@contextmanager
def database_in(folder: Path, kind: str) -> Iterator[str]:
    """Yield the address of an empty database."""
    if kind == "sqlite":
        yield f"sqlite:///{folder / 'assayer.db'}"
        return
    if WHY_NOT:
        raise SystemExit(WHY_NOT)
    with postgresql_server() as server:
        yield database(server, "campaign")


@dataclass
class System:
    """Web app, two publishers, two examining workers, the clock, Redis."""

    folder: Path
    github: Github
    database: str
    variables: dict[str, str]
    programs: dict[str, Program] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.port, self._redis_port = free_port(), free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.file = self.folder / "settings.toml"
        self.file.write_text(_toml(self._settings()))
        self._over = threading.Event()
        self._sampling = threading.Thread(target=self._sample)
        options = ["--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        self._add("redis", "redis-server", "--port", str(self._redis_port), *options)
        self._assayer("web", "serve", "--web-only", "--port", str(self.port))
        for number in (1, 2):
            self._assayer(f"publisher-{number}", "worker", "--queues", "publish")
            self._assayer(f"worker-{number}", "worker", "--queues", "cpu", "--concurrency", "1")
        self._assayer("beat", "beat")

    def _settings(self) -> dict[str, dict[str, Any]]:
        told = self.github.told["settings"]
        timing = {"timeout": 5.0, "redelivery": REDELIVER_SECONDS}
        url = f"redis://127.0.0.1:{self._redis_port}/0"
        return {
            "app": {"public_url": self.url},
            "github": {**told, **timing},
            "queue": {"url": url, "lease": 15.0, "seconds": 600, "attempts": 10},
            "store": {"url": self.database, "blobs": str(self.folder / "blobs")},
            "environments": {"install": "never"},
            "recordings": {"folder": str(self.folder / "recordings")},
            'engines."google.language"': {"kind": "local"},
        }

    def _assayer(self, name: str, *arguments: str) -> None:
        self._add(name, _ASSAYER, *arguments, "--settings", str(self.file))

    def _add(self, name: str, *command: str | Path) -> None:
        self.programs[name] = Program(name, command, self.folder, self.variables)

    def start(self) -> None:
        """Start everything and return when it is ready."""
        Store(self.database).close()
        for program in self.programs.values():
            program.start()
        self._sampling.start()
        deadline = time.monotonic() + START_SECONDS
        while not self._ready():
            if time.monotonic() > deadline:
                raise TimeoutError(f"the bot does not get ready: see {self.folder}")
            time.sleep(0.2)

    def _ready(self) -> bool:
        try:
            answer = httpx.get(f"{self.url}/readyz", timeout=5)
        except httpx.TransportError:
            return False
        return answer.status_code == 200

    def victims(self) -> list[Victim]:
        """What is killed in turn; one publisher and one worker live on."""
        named = [("redis", 2.0), ("web", 0.0), ("worker-1", 1.0), ("publisher-1", 1.0)]
        found = [self._victim(name, rest) for name, rest in (*named, ("beat", 1.0))]
        if not self.database.startswith("sqlite"):
            found.append(Victim("PostgreSQL's connections", self._cut_connections, _nothing, 0.0))
        return found

    def _victim(self, name: str, rest: float) -> Victim:
        program = self.programs[name]
        return Victim(name, program.kill, program.start, rest)

    def _cut_connections(self) -> None:
        """Kill one connection's process; the server then ends all of them and recovers."""
        folder = Path(self.database.rpartition("host=")[2])
        server = int((folder / "data" / "postmaster.pid").read_text().split()[0])
        for entry in Path("/proc").iterdir():
            with suppress(OSError):
                words = (entry / "cmdline").read_bytes().decode(errors="replace")
                if "postgres: assayer campaign" in words and _parent(entry) == server:
                    os.kill(int(entry.name), signal.SIGKILL)
                    return

    def _sample(self) -> None:
        while not self._over.wait(SAMPLE_SECONDS):
            for program in self.programs.values():
                program.look()

    def redis_is_up(self) -> bool:
        try:
            return bool(redis.Redis(port=self._redis_port).ping())
        except redis.ConnectionError:
            return False

    def end(self) -> None:
        self._over.set()
        if self._sampling.is_alive():
            self._sampling.join()
        for program in reversed(self.programs.values()):
            program.end()


def _nothing() -> None:
    """It starts again by itself."""


def _parent(place: Path) -> int:
    return int((place / "stat").read_text().rpartition(")")[2].split()[1])


def _toml(sections: dict[str, dict[str, Any]]) -> str:
    lines = []
    for name, section in sections.items():
        lines += [f"[{name}]", *(f"{key} = {json.dumps(value)}" for key, value in section.items())]
    return "\n".join(lines) + "\n"
