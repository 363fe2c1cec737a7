"""Git repositories made from folders of sources, one branch a folder."""

import os
import shutil
import subprocess
from pathlib import Path

PROJECTS = Path(__file__).parent / "projects"
AUTHOR = {
    "GIT_AUTHOR_NAME": "A. Author",
    "GIT_AUTHOR_EMAIL": "author@example.org",
    "GIT_COMMITTER_NAME": "A. Author",
    "GIT_COMMITTER_EMAIL": "author@example.org",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}


def git(repository: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments],
        cwd=repository,
        env={"PATH": os.environ["PATH"], **AUTHOR},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()


def commit(repository: Path, message: str) -> str:
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "--allow-empty", f"--message={message}")
    return git(repository, "rev-parse", "HEAD")


def repository(folder: Path, project: str) -> Path:
    """``base`` on ``main``; ``planted`` and ``twin``, if any, as branches; ``main`` checked out."""
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch=main")
    _put(PROJECTS / project / "base", folder)
    for branch in sorted({"planted", "twin"} & {f.name for f in (PROJECTS / project).iterdir()}):
        git(folder, "checkout", "--quiet", "-b", branch, "main")
        _put(PROJECTS / project / branch, folder)
    git(folder, "checkout", "--quiet", "main")
    return folder


def _put(source: Path, folder: Path) -> None:
    for old in folder.iterdir():
        if old.name != ".git":
            shutil.rmtree(old) if old.is_dir() else old.unlink()
    shutil.copytree(
        source, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__")
    )
    commit(folder, f"{source.name} of {source.parent.name}")


def checked_out(repository: Path, revision: str, folder: Path) -> Path:
    """A working tree of its own, as a colleague would clone it."""
    git(repository, "clone", "--quiet", "--branch", revision, str(repository), str(folder))
    return folder


def write(repository: Path, files: dict) -> Path:
    for name, text in files.items():
        path = repository / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return repository


def small_repository(folder: Path, files: dict) -> Path:
    """One commit on ``main``."""
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch=main")
    commit(write(folder, files), "first")
    return folder
