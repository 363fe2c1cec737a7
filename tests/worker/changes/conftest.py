"""Real repositories, made by the real git."""

import os
import subprocess
from pathlib import Path

import pytest


class Project:
    """A git repository under test, with the few verbs that the tests need."""

    def __init__(self, root: Path, *options: str) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        self.git("init", "--quiet", "--initial-branch=main", *options)

    def git(self, *arguments: str, stdin: bytes = b"") -> str:
        identity = {f"GIT_{who}_{what}": "a@example.org" for who in ("AUTHOR", "COMMITTER")
                    for what in ("NAME", "EMAIL")}  # fmt: skip
        clean = {name: value for name, value in os.environ.items() if name[:4] != "GIT_"}
        done = subprocess.run(
            ["git", *arguments], cwd=self.root, env=clean | identity, check=True,
            capture_output=True, input=stdin,
        )  # fmt: skip
        return done.stdout.decode().strip()

    def write(self, path: str, content: str | bytes) -> Path:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)
        return place

    def commit(self, **files: str | bytes) -> str:
        for name, content in files.items():
            self.write(f"{name}.py", content)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message=change")
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project")
