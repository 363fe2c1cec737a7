"""A small checkout with the gate and a few tests, in which the gate is run."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


class Checkout:
    """A folder with the gate's scripts, whose tests are written one by one."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "scripts").mkdir()
        shutil.copy(SCRIPTS / "gate.py", folder / "scripts")
        shutil.copytree(
            SCRIPTS / "gating",
            folder / "scripts" / "gating",
            ignore=shutil.ignore_patterns("__pycache__"),
        )
        self.write(
            "pytest.ini",
            "[pytest]\naddopts = -q --disable-plugin-autoload -p pytest_timeout\nmarkers = slow\n",
        )
        self.write(".gitignore", "build/\n__pycache__/\n")

    def write(self, path, text):
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_text(text)

    def test(self, path, *lines, before=""):
        """Write a file with one slow test of these lines."""
        body = "".join(f"    {line}\n" for line in lines or ("pass",))
        head = f"import os, time\nimport pytest\n{before}\n"
        self.write(f"tests/{path}", f"{head}\n@pytest.mark.slow\ndef test_it():\n{body}")

    def durations(self, **slow):
        known = {f"tests/{name}.py": seconds for name, seconds in slow.items()}
        self.write("tests/durations.json", json.dumps({"everyday": {}, "slow": known}))

    def commit(self):
        self.git("init", "-q") if not (self.folder / ".git").exists() else None
        self.git("add", "-A")
        self.git("commit", "-qm", "change")
        return self.git("rev-parse", "HEAD^{tree}")

    def git(self, *words):
        who = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
        done = subprocess.run(
            ["git", *who, *words], cwd=self.folder, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def gate(self, *arguments):
        """Run the gate, of the slow tests unless the arguments say more."""
        return subprocess.run(
            [sys.executable, "scripts/gate.py", *(arguments or ("--slow",))],
            cwd=self.folder,
            check=False,
            capture_output=True,
            text=True,
        )
