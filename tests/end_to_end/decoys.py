"""A checkout full of files that a careless program would run or obey where it stands."""

import os
import subprocess
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.end_to_end.commandline import ASSAYER
from tests.end_to_end.repositories import commit, git

PACKAGES = (
    *("worker", "app", "analyzers", "templates", "gunicorn", "celery", "kombu", "billiard"),
    *("flask", "alembic", "sqlalchemy", "uv", "assayer"),
)
MODULES = (
    *("sitecustomize", "usercustomize", "conftest", "gunicorn.conf", "celeryconfig", "settings"),
    *("torch", "numpy", "json", "multiprocessing", "logging", "tomllib", "subprocess", "redis"),
    *("click", "httpx", "prometheus_client", "cryptography", "cv2", "PIL", "scipy", "yaml"),
)
PROGRAMS = (
    *("uv", "uvx", "pip", "git", "bwrap", "setpriv", "prlimit", "unshare", "mount", "umount"),
    *("python", "python3", "gunicorn", "celery", "assayer", "sh", "rm", "chmod", "true"),
    *("gcc", "cc", "ld", "ldconfig", "objdump", "uname", "file", "flite", "espeak-ng", "nice"),
)
APP = """\
from google.cloud import vision


def is_receipt(image):
    client = vision.ImageAnnotatorClient()
    labels = client.label_detection(image=image).label_annotations
    return labels[0].description == "Receipt"
"""
MODEL = """\
import torch


def scale(x: torch.Tensor) -> torch.Tensor:
    return torch.relu(x) * 2
"""
TRAP = """\
import os

try:
    os.close(os.open({mark!r}, os.O_CREAT | os.O_WRONLY))
except OSError:
    pass
"""


@dataclass(frozen=True)
class Decoys:
    """A git checkout with decoys, each of which leaves a file in ``marks`` when it is run."""

    folder: Path
    marks: Path
    home: Path
    asked: list

    @property
    def heeded(self) -> list:
        """The names of decoys that were run, and what was asked of the hostile index."""
        return sorted(mark.name for mark in self.marks.iterdir()) + self.asked

    def environment(self, **more: str) -> dict:
        """A user's environment, whose ``PATH`` begins with the checkout in every way."""
        path = ("", ".", str(self.folder), str(self.folder / "bin"), "bin", os.environ["PATH"])
        return {
            "PATH": ":".join(path),
            "HOME": str(self.home),
            "PYTHONPATH": "",
            "XDG_STATE_HOME": str(self.home / "state"),
            **more,
        }

    def start(self, *arguments, command=(ASSAYER,), **more: str) -> subprocess.Popen:
        """An ``assayer`` in a process group of its own, started in the checkout."""
        with (self.home / "log").open("ab") as log:
            return subprocess.Popen(
                [*map(str, command), *map(str, arguments)],
                cwd=self.folder,
                env=self.environment(**more),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def said(self) -> str:
        """What the processes wrote."""
        return (self.home / "log").read_text(errors="replace")


@contextmanager
def decoys(folder: Path):
    """Lend a checkout with every decoy, and the hostile index that its files name."""
    with _index() as (address, asked):
        made = Decoys(folder / "checkout", folder / "marks", folder / "home", asked)
        for place in (made.folder / "bin", made.marks, made.home):
            place.mkdir(parents=True)
        git(made.folder, "init", "--quiet", "--initial-branch=main")
        _write_code(made)
        _write_configuration(made.folder, address)
        commit(made.folder, "A checkout that is not to be trusted")
        yield made


def _write_code(made: Decoys) -> None:
    (made.folder / "photos.py").write_text(APP)
    (made.folder / "model.py").write_text(MODEL)
    for name in PACKAGES:
        (made.folder / name).mkdir()
        for part in ("__init__", "__main__"):
            mark = str(made.marks / f"{name}.{part}")
            (made.folder / name / f"{part}.py").write_text(TRAP.format(mark=mark))
    for name in MODULES:
        trap = TRAP.format(mark=str(made.marks / name))
        (made.folder / f"{name}.py").write_text(trap)
    for place in (made.folder, made.folder / "bin"):
        for name in {*PROGRAMS} - {path.name for path in place.iterdir()}:
            program = place / name
            program.write_text(f"#!/bin/sh\n: > '{made.marks}/bin.{name}'\nexit 1\n")
            program.chmod(0o755)


def _write_configuration(folder: Path, address: str) -> None:
    index = f'[[index]]\nurl = "{address}/uv"\ndefault = true\n'
    (folder / "uv.toml").write_text(index)
    (folder / "pip.conf").write_text(f"[global]\nindex-url = {address}/pip\n")
    (folder / "pyproject.toml").write_text(
        '[project]\nname = "shop"\nversion = "1"\ndependencies = []\n'
        f'[tool.uv]\nindex-url = "{address}/tool"\n'
    )
    variables = ("UV_DEFAULT_INDEX", "PIP_INDEX_URL", "ASSAYER_ENVIRONMENTS__INDEX")
    for name in (".env", ".flaskenv"):
        lines = [f"{variable}={address}/{name}\n" for variable in variables]
        (folder / name).write_text("".join([*lines, "FLASK_APP=conftest\n"]))


@contextmanager
def _index():
    asked: list = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, *_words: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", asked
    finally:
        server.shutdown()
        server.server_close()
