"""Assayer as people run it: a process of its own, with a home of its own."""

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ASSAYER = Path(sys.executable).with_name("assayer")
LONGEST = 1500
AMPLE = ("--budget", "3000")
KEPT = ("PATH", "HOME", "LANG", "PYTHONPATH")


@dataclass(frozen=True)
class Ended:
    """A process that ended: its exit status, what it wrote, how long it took."""

    status: int
    out: str
    err: str
    seconds: float

    @property
    def said(self) -> str:
        return self.out + self.err


@dataclass(frozen=True)
class Checked:
    """``assayer check`` that ended, and the folder of its report and artifacts."""

    ended: Ended
    folder: Path

    @property
    def status(self) -> int:
        return self.ended.status

    @cached_property
    def report(self) -> dict:
        return json.loads(self.path.read_text(encoding="utf-8"))

    @property
    def path(self) -> Path:
        return self.folder / "report.json"

    @property
    def findings(self) -> list[dict]:
        return self.report["findings"]

    def reasons(self) -> str:
        return "\n".join(skipped["reason"] for skipped in self.report["skipped"])

    def about(self, path: str, line: int) -> dict:
        (finding,) = [f for f in self.findings if (f["path"], f["line"]) == (path, line)]
        return finding


@dataclass(frozen=True)
class Home:
    """A user's state on disk and environment: runs of one home share recordings."""

    state: Path
    variables: dict

    def environment(self, **more: str) -> dict:
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        return {**kept, "XDG_STATE_HOME": str(self.state), **self.variables, **more}

    def run(self, *arguments, folder: Path | None = None, prefix=(), **more: str) -> Ended:
        began = time.monotonic()
        done = subprocess.run(
            [*prefix, ASSAYER, *map(str, arguments)],
            cwd=folder or self.state,
            env=self.environment(**more),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LONGEST,
            check=False,
        )
        return Ended(done.returncode, done.stdout, done.stderr, time.monotonic() - began)

    def check(self, repository: Path, folder: Path, *arguments, **more) -> Checked:
        """Check with a JSON report and artifacts in ``folder``, and time for a busy machine."""
        ended = self.run(
            "check",
            repository,
            *arguments,
            *(() if "--budget" in arguments else AMPLE),
            *("--format", "json", "--output", folder / "report.json", "--artifacts", folder),
            **more,
        )
        return Checked(ended, folder)


def home(folder: Path, **variables: str) -> Home:
    (folder / "state").mkdir(parents=True)
    return Home(folder / "state", variables)
