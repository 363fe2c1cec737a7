"""Build the git bundle that ``assayer demo`` checks from its readable sources.

Usage: python scripts/build_demo_bundle.py [OUTPUT]

Two commits with fixed authors and dates, so that the same sources give the
same commits: branch ``main`` and, on top of it, ``receipts-and-comments``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

DEMO = Path(__file__).resolve().parent.parent / "worker" / "demo"
BRANCHES = (
    ("main", "base", "The expense desk files receipts"),
    ("receipts-and-comments", "head", "Check receipts by OCR and screen comments by sentiment"),
)
IDENTITY = {
    **{f"GIT_{who}_NAME": "Demo" for who in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{who}_EMAIL": "demo@example.com" for who in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{who}_DATE": "2026-01-05T09:00:00+00:00" for who in ("AUTHOR", "COMMITTER")},
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
}


def build(output: Path) -> None:
    """Write the bundle to ``output``."""
    with TemporaryDirectory() as folder:
        repository = Path(folder)
        _git(repository, "init", "-q", "-b", "main")
        for branch, source, message in BRANCHES:
            if branch != "main":
                _git(repository, "checkout", "-q", "-b", branch)
            shutil.copytree(
                DEMO / "application" / source,
                repository,
                dirs_exist_ok=True,
                ignore=shutil.ignore_patterns("__pycache__"),
            )
            _git(repository, "add", "-A")
            _git(repository, "commit", "-q", "-m", message)
        _git(repository, "bundle", "create", "-q", str(output), *(name for name, _, _ in BRANCHES))


def _git(repository: Path, *arguments: str) -> None:
    subprocess.run(
        ["git", "-C", str(repository), *arguments], check=True, env={**os.environ, **IDENTITY}
    )


if __name__ == "__main__":
    build(Path(sys.argv[1] if len(sys.argv) > 1 else DEMO / "expense-desk.bundle").resolve())
