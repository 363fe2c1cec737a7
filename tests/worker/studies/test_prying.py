"""A library that is studied sees neither secrets nor a network, whatever it asks for."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from worker.errors import MachineError
from worker.studies.installed_library import installed_library
from worker.studies.library_study import StudySandbox, study
from worker.studies.study_journal import StudyJournal
from worker.studies.study_protocol import StudyRequest

SECRET = "the operator's own"
VERSION = "9.9.0"
PRYING = """\
import json
import os
import socket
from pathlib import Path

SECRET, PORT, FILE, HOME = {secret!r}, {port!r}, {file!r}, {home!r}
seen = []


def tried(what, attempt):
    try:
        if attempt():
            seen.append(what)
    except Exception:
        pass


def connects(address):
    return lambda: socket.create_connection(address, timeout=1)


def of_processes():
    found = [each.read_bytes() for each in Path("/proc").glob("[0-9]*/environ") if readable(each)]
    return any(SECRET.encode() in each for each in found)


def readable(path):
    try:
        return path.read_bytes() is not None
    except OSError:
        return False


def writes():
    Path(__file__).with_name("left.txt").write_text("x")
    return True


tried("a secret in the environment", lambda: SECRET in os.environ.values())
tried("settings in the environment", lambda: any(n.startswith("ASSAYER_") for n in os.environ))
tried("a secret of another process", of_processes)
tried("a file of secrets", lambda: SECRET in Path(FILE).read_text())
tried("what the operator keeps", lambda: list(Path(HOME).iterdir()))
tried("the loopback", connects(("127.0.0.1", PORT)))
tried("the network", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(
    ("169.254.169.254", 80)) is None)
tried("its own files", writes)
raise ImportError("SEEN " + json.dumps(seen))
"""


@pytest.fixture
def server():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


@pytest.fixture
def environment(tmp_path, server, monkeypatch):
    """An environment with a torch of its own, and secrets that it knows the places of."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "key.pem").write_text(SECRET)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("ASSAYER_GITHUB__WEBHOOK_SECRET", SECRET)
    monkeypatch.setenv("GOOGLE_API_KEY", SECRET)
    packages = tmp_path / "env/lib" / f"python3.{sys.version_info.minor}" / "site-packages"
    (packages / "torch").mkdir(parents=True)
    known = {"secret": SECRET, "port": server, "file": str(home / "key.pem"), "home": str(home)}
    (packages / "torch" / "__init__.py").write_text(PRYING.format(**known))
    (packages / f"torch-{VERSION}.dist-info").mkdir()
    (packages / f"torch-{VERSION}.dist-info" / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: torch\nVersion: {VERSION}\n"
    )
    python = Path(sys.executable).resolve()
    (tmp_path / "env/bin").mkdir()
    (tmp_path / "env/bin/python").symlink_to(python)
    (tmp_path / "env/pyvenv.cfg").write_text(f"home = {python.parent}\n")
    return tmp_path / "env"


def seen(text):
    return json.loads(text.rpartition("SEEN ")[2].splitlines()[0])


def test_library_that_pries_sees_nothing(environment, isolation, tmp_path):
    found = installed_library("torch", environment)
    assert found.version == VERSION
    order = StudyRequest("torch", found.version, "relations", seconds=60)
    with (
        StudyJournal(tmp_path / "journal.jsonl", "a key") as journal,
        pytest.raises(MachineError, match="SEEN") as error,
    ):
        list(study(order, StudySandbox(isolation, found.python), journal))
    assert seen(str(error.value)) == []


def test_library_that_pries_sees_all_where_nothing_holds_it(environment):
    """The attempts are real: the same library, imported as any other."""
    ran = subprocess.run(
        [environment / "bin/python", "-c", "import torch"],
        capture_output=True,
        text=True,
        check=False,
        env=dict(os.environ),
    )
    told = seen(ran.stderr)
    assert set(told) >= {
        "a secret in the environment",
        "settings in the environment",
        "a secret of another process",
        "a file of secrets",
        "what the operator keeps",
        "the loopback",
        "its own files",
    }
